import { existsSync } from 'node:fs';
import { Node } from '@ecsm/kubernetes';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, image, listen, pod, startNode, type TestNode } from './node.kit.ts';

afterEach(cleanUp);

async function running(test: TestNode, ...options: Parameters<typeof pod>) {
  await test.pods.create(pod(...options));
  return expect.poll(() => test.ready('web')).toBeDefined();
}

const isRunning = (pid: unknown) => existsSync(`/proc/${pid}`);

describe('a process node', () => {
  it('registers a node that is ready', async () => {
    const { registry, node } = await startNode({ name: 'worker' });
    const { status } = await registry.resource(Node).get('worker');
    expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
    expect(status?.addresses).toContainEqual({ type: 'InternalIP', address: node.address });
  });

  it('runs a pod on an address of its own', async () => {
    const test = await startNode();
    await running(test);
    const { status, spec } = await test.pods.get('web');
    expect(spec.nodeName).toBe('process-node');
    expect(status).toMatchObject({
      phase: 'Running',
      podIP: expect.stringMatching(/^127\./u),
      hostIP: test.node.address,
      containerStatuses: [{ name: 'main', ready: true, started: true, restartCount: 0, state: { running: {} }, image }],
    });
    expect(await test.ask('web', '/')).toEqual([]);
    expect(test.node.pods()).toMatchObject([{ name: 'web', address: status?.podIP, containers: [{ name: 'main' }] }]);
  });

  it('ends the processes of a deleted pod before the pod is gone', async () => {
    const test = await startNode();
    await running(test);
    const pid = await test.ask('web', '/pid');
    expect(isRunning(pid)).toBe(true);
    await test.pods.delete('web');
    await expect.poll(async () => (await test.pods.list()).items).toEqual([]);
    expect(isRunning(pid)).toBe(false);
    expect(test.node.pods()).toEqual([]);
  });

  it('kills a process that ignores SIGTERM after the grace period', async () => {
    const test = await startNode();
    await running(test, { args: ['deaf'] }, { terminationGracePeriodSeconds: 1 });
    const pid = await test.ask('web', '/pid');
    await test.pods.delete('web');
    await expect.poll(async () => (await test.pods.list()).items).toEqual([]);
    expect(isRunning(pid)).toBe(false);
  });

  it('restarts a killed container in the same pod', async () => {
    const test = await startNode();
    await running(test);
    const { metadata, status } = await test.pods.get('web');
    test.node.kill('web');
    await expect.poll(async () => (await test.container('web'))?.restartCount).toBe(1);
    await expect.poll(() => test.ready('web')).toBeDefined();
    const after = await test.pods.get('web');
    expect(after.metadata.uid).toBe(metadata.uid);
    expect(after.status?.podIP).toBe(status?.podIP);
    expect(after.status?.containerStatuses?.[0]?.lastState).toMatchObject({
      terminated: { exitCode: 137, reason: 'Error' },
    });
  });

  it('backs off while a container keeps failing', async () => {
    const test = await startNode();
    await test.pods.create(pod({ args: ['exit', '3'] }));
    await expect.poll(async () => (await test.container('web'))?.state?.waiting?.reason).toBe('CrashLoopBackOff');
    await expect.poll(async () => (await test.container('web'))?.restartCount).toBeGreaterThan(2);
    expect(await test.container('web')).toMatchObject({
      ready: false,
      lastState: { terminated: { exitCode: 3, reason: 'Error' } },
    });
    expect((await test.status('web'))?.phase).toBe('Running');
  });

  it.each([
    [0, 'Succeeded'],
    [4, 'Failed'],
  ])('reports a pod that exits with %i and is not restarted as %s', async (code, phase) => {
    const test = await startNode();
    await test.pods.create(pod({ args: ['exit', String(code)] }, { restartPolicy: 'Never' }));
    await expect.poll(async () => (await test.status('web'))?.phase).toBe(phase);
    expect((await test.container('web'))?.state?.terminated?.exitCode).toBe(code);
    await test.pods.delete('web');
    await expect.poll(async () => (await test.pods.list()).items).toEqual([]);
  });

  it('runs init containers one after another, before the containers', async () => {
    const test = await startNode();
    const volumeMounts = [{ name: 'shared', mountPath: '/shared' }];
    const initContainer = (name: string, text: string) => ({
      name,
      image,
      command: ['/bin/server', 'append', '/shared/log', text],
      volumeMounts,
    });
    await running(
      test,
      { args: ['serve', '/shared/log'], volumeMounts },
      {
        volumes: [{ name: 'shared', emptyDir: {} }],
        initContainers: [initContainer('a', '1'), initContainer('b', '2')],
      },
    );
    expect(await test.ask('web', '/')).toEqual(['12']);
  });

  it('holds a pod whose init container fails', async () => {
    const test = await startNode();
    const failing = { name: 'init', image, command: ['server', 'exit', '1'] };
    await test.pods.create(pod({}, { initContainers: [failing] }));
    await expect
      .poll(async () => (await test.status('web'))?.initContainerStatuses?.[0]?.restartCount)
      .toBeGreaterThan(1);
    expect(await test.status('web')).toMatchObject({
      phase: 'Pending',
      containerStatuses: [{ state: { waiting: { reason: 'PodInitializing' } } }],
    });
  });

  it('reports images and programs that it does not have', async () => {
    const test = await startNode();
    await test.pods.create(pod({ image: 'example.io/other:2' }));
    await expect.poll(async () => (await test.container('web'))?.state?.waiting?.reason).toBe('ErrImagePull');
    await test.pods.create({ ...pod({ command: ['sh'] }), metadata: { name: 'shell' } });
    await expect.poll(async () => (await test.container('shell'))?.state?.waiting?.reason).toBe('RunContainerError');
    expect((await test.status('web'))?.phase).toBe('Pending');
  });

  it('takes no pods while it is unschedulable', async () => {
    const test = await startNode();
    await test.registry.resource(Node).patch('process-node', { spec: { unschedulable: true } });
    const nodes = test.registry.resource(Node);
    await test.pods.create(pod({ env: [listen] }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await test.pods.get('web')).spec.nodeName).toBeUndefined();
    await nodes.patch('process-node', { spec: { unschedulable: null } });
    await expect.poll(() => test.ready('web')).toBeDefined();
  });

  it('leaves no process and no file when it is stopped', async () => {
    const test = await startNode();
    await running(test);
    const pid = await test.ask('web', '/pid');
    await test.stop();
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(test.node.directory)).toBe(false);
    expect((await test.pods.get('web')).metadata.deletionTimestamp).toBeUndefined();
  });
});
