/**
 * Goal: every command of kubectl either works on our server or fails with a message that names what is missing. Method:
 * the commands of `kubectl --help` that kubectl.test.ts does not cover, with their output and exit codes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { Event } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findKubectl, gadgetManifest, type KubectlServer, kubectlWith, startKubectlServer } from './kubectl.kit.ts';

const kubectl = findKubectl();

describe.skipIf(kubectl === undefined)('kubectl', () => {
  let server: KubectlServer;

  beforeAll(async () => {
    server = await startKubectlServer(kubectl ?? '');
    await out('create -f -', gadgetManifest(1));
  });
  afterAll(() => server.close());

  const out = async (line: string, input?: string) => {
    const result = await server.run(line, input);
    expect(result, `${line}: ${result.err}`).toMatchObject({ code: 0 });
    return result.out;
  };

  it('replaces and edits objects', async () => {
    expect(await out('replace -f -', gadgetManifest(2))).toBe('gadget.example.io/web replaced\n');
    expect(await out('replace --force -f -', gadgetManifest(2))).toMatch(
      /deleted.*\ngadget.example.io\/web replaced\n$/s,
    );
    const missing = await server.run('replace -f -', gadgetManifest(1).replace('web', 'none'));
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('"none"') });
    const edit = (expression: string) => {
      const editor = { KUBE_EDITOR: `sed -i ${expression}` };
      return kubectlWith(kubectl ?? '', server.serving.adminKubeconfig, server.directory, editor)('edit gadget web');
    };
    expect(await edit('s/replicas:.2/replicas:\\ 5/')).toMatchObject({
      code: 0,
      out: 'gadget.example.io/web edited\n',
    });
    expect(await edit('s/a/a/')).toMatchObject({ code: 0, err: expect.stringContaining('Edit cancelled') });
    expect(await out('get gadget web -o jsonpath={.spec.replicas}')).toBe('5');
  });

  it('compares with diff', async () => {
    expect(await server.run('diff -f -', gadgetManifest(5))).toMatchObject({ code: 0, out: '' });
    const changed = await server.run('diff -f -', gadgetManifest(6));
    expect(changed.code).toBe(1);
    expect(changed.out).toContain('-  replicas: 5\n+  replicas: 6\n');
  });

  it('scales with a precondition, and waits for a deletion', async () => {
    const refused = await server.run('scale gadget/web --current-replicas=9 --replicas=1');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('Expected replicas to be 9, was 5') });
    expect(await out('scale gadget/web --current-replicas=5 --replicas=2')).toBe('gadget.example.io/web scaled\n');
    await out('create configmap waited');
    const waiting = server.run('wait configmap/waited --for=delete --timeout=40s');
    await out('delete configmap waited');
    expect(await waiting).toMatchObject({ code: 0 });
    const timeout = await server.run('wait gadget/web --for=jsonpath={.spec.replicas}=77 --timeout=1s');
    expect(timeout).toMatchObject({ code: 1, err: expect.stringContaining('timed out waiting for the condition') });
  });

  it('shows events, and describes an object with them', async () => {
    expect(await server.run('events')).toMatchObject({ code: 0, err: 'No events found in default namespace.\n' });
    const uid = await out('get gadget web -o jsonpath={.metadata.uid}');
    const involvedObject = { apiVersion: 'example.io/v1', kind: 'Gadget', namespace: 'default', name: 'web', uid };
    const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const fields = { involvedObject, reason: 'Painted', message: 'Painted red', type: 'Normal' as const, count: 1 };
    const times = { firstTimestamp: time, lastTimestamp: time, source: { component: 'painter' } };
    await server.registry.resource(Event).create(Event.input({ name: 'web.1' }, { ...fields, ...times }));
    expect(await out('events --for gadget/web')).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n.*Painted red\n$/);
    expect(await out('describe gadget web')).toMatch(/Events:.*Painted .*painter .*Painted red/s);
  });

  it('serves its API by proxy', async () => {
    const env = { PATH: process.env['PATH'], HOME: server.directory, KUBECONFIG: server.serving.adminKubeconfig };
    const child = spawn(kubectl ?? '', ['proxy', '--port=0'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    onTestFinished(async () => {
      child.kill();
      await ended;
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const address = /Starting to serve on (\S+)/.exec(line.toString())?.[1];
    const status = await new Promise((resolve, reject) => {
      get(`http://${address}/apis/example.io/v1/gadgets`, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
    expect(status).toBe(200);
  });

  it('applies a kustomization, and removes objects that are no longer in it', async () => {
    const folder = join(server.directory, 'site');
    mkdirSync(folder);
    writeFileSync(join(folder, 'kustomization.yaml'), 'namePrefix: site-\nresources: [gadget.yaml]\n');
    writeFileSync(join(folder, 'gadget.yaml'), gadgetManifest(1));
    expect(await out('kustomize site')).toContain('name: site-web\n');
    expect(await out('apply -k site')).toBe('gadget.example.io/site-web created\n');
    expect(await out('delete -k site')).toContain('gadget.example.io "site-web" deleted');
  });

  it('reads its config, and shows resources and permissions', async () => {
    expect(await out('config current-context')).toBe('ecsm\n');
    expect(await out('config view -o jsonpath={.clusters[0].cluster.server}')).toBe(server.serving.url);
    expect(await out('api-resources --api-group=example.io --no-headers')).toMatch(
      /^gadgets +gd +example\.io\/v1 +true +Gadget\n$/,
    );
    expect(await out('explain gadget --recursive')).toContain('replicas\t<integer>');
    expect(await out('auth can-i --list')).toContain('*.*');
    expect(await out('get gadgets -w --watch-only=false --request-timeout=1s -o name')).toBe('gadget.example.io/web\n');
  });

  it('creates roles and bindings, and reconciles them', async () => {
    expect(await out('create role reader --verb=get --resource=gadgets.example.io')).toContain('reader created');
    expect(await out('create rolebinding reader --role=reader --user=ann')).toContain('reader created');
    expect(await out('create clusterrole all --verb=list --resource=namespaces')).toContain('all created');
    expect(await out('create clusterrolebinding all --clusterrole=all --user=ann')).toContain('all created');
    const role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: default }
rules: [{ apiGroups: [example.io], resources: [gadgets], verbs: [get, list] }]
`;
    expect(await out('auth reconcile -f -', role)).toContain('reader reconciled');
    expect(await out('get role reader -o jsonpath={.rules[*].verbs}')).toContain('list');
  });

  it.each([
    // kubectl contains the rules of these for the kinds of Kubernetes only.
    ['rollout status gadget/web', 'no kind "Gadget" is registered'],
    ['rollout restart gadget/web', 'no kind "Gadget" is registered'],
    ['rollout history gadget/web', 'no kind "Gadget" is registered'],
    ['rollout undo gadget/web', 'no kind "Gadget" is registered'],
    ['expose gadget web --port=80', 'no kind "Gadget" is registered'],
    ['set image gadget/web a=b', 'no kind "Gadget" is registered'],
    ['autoscale gadget/web --max=3', 'the server could not find the requested resource'],
    // The server observes no platform, so it has no nodes, pods and usage.
    ['top nodes', 'Metrics API not available'],
    ['top pods', 'Metrics API not available'],
    ['run web --image=web', 'no matches for kind "Pod" in version "v1"'],
    ['logs web', `the server doesn't have a resource type "pods"`],
    ['exec web -- ls', `the server doesn't have a resource type "pods"`],
    ['attach web', `the server doesn't have a resource type "pods"`],
    ['port-forward web 80', `the server doesn't have a resource type "pods"`],
    ['cordon node-1', `the server doesn't have a resource type "nodes"`],
    ['drain node-1', `the server doesn't have a resource type "nodes"`],
    ['taint node node-1 a=b:NoSchedule', `the server doesn't have a resource type "node"`],
    ['certificate approve web', `the server doesn't have a resource type "certificatesigningrequests"`],
    ['create deployment web --image=web', 'the server could not find the requested resource'],
    ['create token web', 'the server could not find the requested resource'],
    ['cluster-info', `the server doesn't have a resource type "services"`],
  ])('%s fails and names what is missing', async (line, message) => {
    expect(await server.run(line)).toMatchObject({ code: 1, err: expect.stringContaining(message) });
  });
});
