/**
 * Goal: kubectl shows the platform as it shows a cluster. Method: the operator as a real process with `--serve`, on a
 * simulated platform, one service of its own and one container that it does not manage.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { findKubectl, kubectlWith } from '../../apiserver/test/kubectl.kit.ts';
import { openSite, telemetry } from '../src/program/process.kit.ts';

const kubectl = findKubectl();

describe.skipIf(kubectl === undefined)('kubectl', () => {
  it('shows nodes with their leases, pods and namespaces of what is not managed, and autoscalers', async () => {
    const site = await openSite();
    site.simulator.platform.createService({
      name: 'foreign',
      image: {
        ref: 'telemetry@1.0.0#sylixos',
        action: 'run',
        config: {},
        vsoa: null,
        pullPolicy: 'IfNotPresent',
        autoUpgrade: 'Never',
      },
      nodeNames: ['node-1'],
      factor: 1,
      policy: 'static',
      prepull: false,
    } as never);
    await site.apply(telemetry());
    const operator = site.start(...site.places, '--serve', '127.0.0.1:0', '--listen', '127.0.0.1:0');
    onTestFinished(async () => {
      operator.child.kill('SIGKILL');
      await operator.ended;
    });
    const [, kubeconfig = ''] = await operator.until(/serving the Kubernetes API .*kubeconfig=(\S+)/);
    const run = kubectlWith(kubectl ?? '', kubeconfig, site.directory);
    const out = async (line: string) => {
      const { code, out: shown, err } = await run(line);
      expect({ code, err }, line).toEqual({ code: 0, err: '' });
      return shown;
    };

    expect(await out('get nodes')).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION\nnode-1 +Ready /);
    const described = await out('describe node node-1');
    expect(described).not.toContain('Failed to get lease');
    expect(described).toMatch(/Lease:\n +HolderIdentity: +node-1\n/);
    expect(described).toMatch(/RenewTime: +\w{3}, \d\d /);
    expect(await out('get leases -n kube-node-lease')).toMatch(/^NAME +HOLDER +AGE\nnode-1 +node-1 /);
    expect((await run('delete lease node-1 -n kube-node-lease')).err).toContain('MethodNotAllowed');

    const namespaces = await out('get namespaces -o name');
    expect(namespaces.split('\n')).toEqual(expect.arrayContaining(['namespace/ecsm-unmanaged', 'namespace/default']));
    await expect
      .poll(() => run('get pods -n ecsm-unmanaged -o name').then((result) => result.out))
      .toContain('foreign');
    expect(await out('get pods -A')).toMatch(/^NAMESPACE +NAME +READY +STATUS +RESTARTS +AGE\n/);

    const spec = { scaleTargetRef: { kind: 'ECSMService', name: 'telemetry' }, minReplicas: 3, maxReplicas: 5 };
    const hpa = { apiVersion: 'ecsm.sh/v1', kind: 'ECSMHpa', metadata: { name: 'telemetry' }, spec };
    await run('create -f -', JSON.stringify(hpa));
    const columns = 'NAME +REFERENCE +TARGETS +MINPODS +MAXPODS +REPLICAS +AGE';
    const row = 'telemetry +ECSMService/telemetry +cpu: \\S+/80% +3 +5 +3 ';
    await expect.poll(() => out('get hpa')).toMatch(new RegExp(`^${columns}\\n${row}`));
    expect(await out('get ecsmservice telemetry -o jsonpath={.spec.deploymentStrategy.replicas}')).toBe('3');
    expect(await out('get services,nodes -o name')).toMatch(/^ecsmservice\.ecsm\.sh\/.*\nnode\/node-1\n/s);
    expect(await out('get service telemetry -o name')).toBe('ecsmservice.ecsm.sh/telemetry\n');
    expect(
      (
        await run(
          'create -f -',
          JSON.stringify({ ...hpa, metadata: { name: 'second' }, spec: { ...spec, maxReplicas: 2 } }),
        )
      ).err,
    ).toContain('must be greater than or equal to minReplicas');
  });
});
