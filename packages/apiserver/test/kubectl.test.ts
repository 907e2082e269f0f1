/**
 * Goal: unmodified kubectl works on our server. Method: a server with TLS, users and roles on a registry in a directory, as
 * programs run it, and the commands that a person types, with their output and exit codes.
 */
import { join } from 'node:path';
import { systemClock } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RegistryTokens } from '../src/auth/registry-tokens.ts';
import { createToken } from '../src/auth/tokens.ts';
import { findKubectl, gadgetManifest, type KubectlServer, kubectlWith, startKubectlServer } from './kubectl.kit.ts';

const kubectl = findKubectl();

describe.skipIf(kubectl === undefined)('kubectl', () => {
  let server: KubectlServer;

  beforeAll(async () => {
    server = await startKubectlServer(kubectl ?? '');
  });
  afterAll(() => server.close());

  const run = (line: string, input?: string) => server.run(line, input);
  const out = async (line: string, input?: string) => {
    const result = await run(line, input);
    expect(result, `${line}: ${result.err}`).toMatchObject({ code: 0 });
    return result.out;
  };

  it('shows versions and resources', async () => {
    expect(await out('version')).toContain('Server Version: v1.');
    expect(await out('api-resources --no-headers -o name')).toContain('gadgets.example.io\n');
    expect(await out('api-versions')).toContain('example.io/v1\n');
    expect(await out('explain gadgets.spec.replicas')).toContain('Number of instances.');
    expect(await out('get --raw /readyz')).toBe('ok');
  });

  it('applies, shows and changes an object', async () => {
    expect(await out('apply -f -', gadgetManifest(1))).toBe('gadget.example.io/web created\n');
    expect(await out('apply -f -', gadgetManifest(1))).toBe('gadget.example.io/web unchanged\n');
    expect(await out('get gadgets')).toMatch(/^NAME +REPLICAS +AGE\nweb +1 +\S+\n$/);
    expect(await out('get gd -o wide')).toMatch(/^NAME +REPLICAS +AGE +COLOUR\nweb +1 +\S+ +red\n$/);
    expect(await out('scale gadgets/web --replicas=3')).toBe('gadget.example.io/web scaled\n');
    expect(await out('label gadget web tier=edge')).toBe('gadget.example.io/web labeled\n');
    expect(await out('annotate gadget web note=x')).toBe('gadget.example.io/web annotated\n');
    expect(await out(`patch gadget web --type=merge -p '{"spec":{"colour":"blue"}}'`)).toContain('patched');
    const jsonPatch = `[{"op":"replace","path":"/spec/replicas","value":4}]`;
    expect(await out(`patch gadget web --type=json -p '${jsonPatch}'`)).toContain('patched');
    expect(await out('get gadget web -o jsonpath={.spec.replicas}/{.spec.colour}')).toBe('4/blue');
    expect((await run('diff -f -', gadgetManifest(9))).code).toBe(1);
    expect(await out('apply -f - --dry-run=server', gadgetManifest(9))).toBe(
      'gadget.example.io/web configured (server dry run)\n',
    );
    expect(await out('get gadget web -o jsonpath={.spec.replicas}')).toBe('4');
    expect(await out('describe gadget web')).toContain('Name:         web\n');
    expect(await out('wait gadget/web --for=jsonpath={.spec.replicas}=4 --timeout=20s')).toContain('condition met');
  });

  it('applies on the server, names the owner of a conflict, and takes over', async () => {
    const object = (replicas: number) => gadgetManifest(replicas).replace('name: web', 'name: shared');
    expect(await out('apply --server-side --field-manager=one -f -', object(1))).toContain('serverside-applied');
    const conflict = await run('apply --server-side --field-manager=two -f -', object(2));
    expect(conflict).toMatchObject({ code: 1 });
    expect(conflict.err).toContain('conflict with "one"');
    expect(conflict.err).toContain('.spec.replicas');
    const forced = 'apply --server-side --force-conflicts --field-manager=two -f -';
    expect(await out(forced, object(2))).toContain('serverside-applied');
    expect(await out('get gadget shared -o jsonpath={.spec.replicas}')).toBe('2');
    expect(await out('get gadget shared -o yaml --show-managed-fields')).toContain('manager: two');
  });

  it('continues on the server what it has applied on the client', async () => {
    const object = (options: string) =>
      gadgetManifest(1).replace('name: web', 'name: moved').replace('ports:', `${options}, ports:`);
    await out('apply -f -', object('options: { x: a, y: b }'));
    expect(await out('apply --server-side -f -', object('options: { x: a }'))).toContain('serverside-applied');
    expect(await out('get gadget moved -o jsonpath={.spec.options}')).toBe('{"x":"a"}');
    const before = await out('get gadget moved -o jsonpath={.metadata.resourceVersion}');
    await out('apply --server-side -f -', object('options: { x: a }'));
    expect(await out('get gadget moved -o jsonpath={.metadata.resourceVersion}')).toBe(before);
  });

  it('continues on the client what it has applied on the server', async () => {
    const object = (options: string) =>
      gadgetManifest(1).replace('name: web', 'name: returned').replace('ports:', `${options}, ports:`);
    await out('apply -f -', object('options: { x: a }'));
    await out('apply --server-side -f -', object('options: { x: a, y: b }'));
    const { err } = await server.run('apply -f -', object('options: { x: a }'));
    expect(err).toBe('');
    expect(await out('get gadget returned -o jsonpath={.spec.options}')).toBe('{"x":"a"}');
  });

  it('validates and replaces what it has written as a list', async () => {
    await out('apply -f -', gadgetManifest(1).replace('name: web', 'name: listed'));
    const list = await out('get gadgets --field-selector metadata.name=listed -o yaml');
    expect(list).toContain('kind: List');
    expect(await out('replace -f -', list)).toContain('gadget.example.io/listed replaced');
    const wrong = await server.run('replace -f -', list.replace('replicas:', 'replica:'));
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('unknown field "spec.replica"') });
  });

  it('asks what a user may do with a file', async () => {
    const review = `apiVersion: authorization.k8s.io/v1
kind: SelfSubjectAccessReview
spec: { resourceAttributes: { verb: get, resource: secrets } }
`;
    expect(await out('create -o jsonpath={.status.allowed} -f -', review)).toBe('true');
  });

  it('reports mistakes as it does on Kubernetes', async () => {
    expect((await run('get gadget none')).err).toBe(
      'Error from server (NotFound): gadgets.example.io "none" not found\n',
    );
    const invalid = await run('create -f -', gadgetManifest(500).replace('web', 'big'));
    expect(invalid.err).toContain('spec.replicas: Invalid value');
    const unknown = gadgetManifest(1).replace('colour:', 'color:').replace('web', 'odd');
    expect((await run('create -f - --validate=strict', unknown)).err).toContain('unknown field "spec.color"');
    expect((await run('-n nowhere create -f -', gadgetManifest(1))).err).toContain('namespaces "nowhere" not found');
  });

  it('creates core objects, which it sends as protobuf', async () => {
    expect(await out('create configmap settings --from-literal=a=b')).toBe('configmap/settings created\n');
    expect(await out('get configmap settings -o jsonpath={.data.a}')).toBe('b');
    expect(await out('create secret generic login --from-literal=password=abc')).toBe('secret/login created\n');
    expect(await out('get secret login -o jsonpath={.data.password}')).toBe('YWJj');
    expect(await out('create priorityclass high --value=1000')).toContain('created');
    expect(await out('delete configmap/settings secret/login')).toContain('deleted');
  });

  it('deletes dependents before, after or not at all, by --cascade', async () => {
    const owner = (name: string) => gadgetManifest(1).replace('name: web', `name: ${name}`);
    const owned = async (name: string) => {
      const uid = await out(`get gadget ${name} -o jsonpath={.metadata.uid}`);
      const reference = { apiVersion: 'example.io/v1', kind: 'Gadget', name, uid, blockOwnerDeletion: true };
      const metadata = { name: `of-${name}`, finalizers: ['example.io/wait'], ownerReferences: [reference] };
      await out('create -f -', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata }));
    };
    const release = (name: string) =>
      out(`patch configmap of-${name} --type=merge -p '{"metadata":{"finalizers":null}}'`);
    for (const name of ['fore', 'back', 'bare']) {
      await out('create -f -', owner(name));
      await owned(name);
    }

    expect(await out('delete gadget bare --cascade=orphan --timeout=40s')).toContain('deleted');
    expect((await run('get gadget bare')).code).toBe(1);
    const left = await out(
      'get configmap of-bare -o jsonpath={.metadata.ownerReferences}/{.metadata.deletionTimestamp}',
    );
    expect(left).toBe('/');

    expect(await out('delete gadget back --cascade=background --timeout=40s')).toContain('deleted');
    const deletionOf = (name: string) => out(`get configmap of-${name} -o jsonpath={.metadata.deletionTimestamp}`);
    await expect.poll(() => deletionOf('back')).not.toBe('');

    expect(await out('delete gadget fore --cascade=foreground --wait=false')).toContain('deleted');
    await expect.poll(() => deletionOf('fore')).not.toBe('');
    expect(await out('get gadget fore -o jsonpath={.metadata.finalizers}')).toBe('["foregroundDeletion"]');
    await release('fore');
    await out('wait --for=delete gadget/fore --timeout=40s');
    for (const name of ['back', 'bare']) await release(name);
    await out('delete configmap of-bare');
  });

  it('deletes a namespace with its contents', async () => {
    expect(await out('create namespace team')).toBe('namespace/team created\n');
    expect(await out('-n team create -f -', gadgetManifest(1))).toBe('gadget.example.io/web created\n');
    expect(await out('delete namespace team --timeout=40s')).toContain('deleted');
    expect((await run('get namespace team')).code).toBe(1);
    expect(await out('get gadgets -A -o jsonpath={.items[*].metadata.namespace}')).not.toContain('team');
  });

  it('authenticates users by token and allows what their roles allow', async () => {
    const { token } = await createToken(new RegistryTokens(server.registry), systemClock, { user: 'jane' });
    const jane = `--server=${server.serving.url} --token=${token} --certificate-authority=${join(server.directory, 'pki', 'ca.crt')}`;
    const asJane = kubectlWith(kubectl ?? '', join(server.directory, 'none'), server.directory);
    expect((await asJane(`${jane} get gadgets`)).err).toContain('User "jane" cannot list resource "gadgets"');
    expect(await out('create rolebinding jane --clusterrole=view --user=jane')).toContain('created');
    await expect.poll(async () => (await asJane(`${jane} get gadgets`)).code).toBe(0);
    expect((await asJane(`${jane} delete gadget web`)).err).toContain('cannot delete resource');
    expect((await asJane(`${jane} auth can-i list gadgets`)).out).toBe('yes\n');
    expect((await asJane(`${jane} auth can-i delete gadgets`)).out).toBe('no\n');
    expect((await asJane(`${jane} auth whoami -o jsonpath={.status.userInfo.username}`)).out).toBe('jane');
    expect((await asJane(`${jane.replace(token, `${token}x`)} get gadgets`)).err).toContain(
      'You must be logged in to the server',
    );
  });

  it('deletes objects, and those that a selector matches', async () => {
    expect(await out('delete gadgets -l app=web')).toContain('deleted');
    expect(await out('get gadgets')).toBe('');
  });
});
