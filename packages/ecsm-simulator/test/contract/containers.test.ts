/** Section 4 of the reference: containers, on SylixOS and on Linux, while they deploy, run and fail. */
import { collect } from '@ecsm/client';
import { expect, it } from 'vitest';
import { containerFields, containerTime, emptyPage, firstPage, page, transaction } from './common-forms.kit.ts';
import { exactly, object } from './form.kit.ts';
import { deploymentMs, onEveryPlatform } from './site.kit.ts';
import { gatewayBody, workerBody } from './worker.kit.ts';

onEveryPlatform('containers', (site) => {
  it('GET /container/:id: shows a container that runs on SylixOS, where its id is its name', async () => {
    const on = site();
    const { id: serviceId, taskIds } = await on.deployed();
    const [taskId = ''] = taskIds;
    const container = await on.ecsm.containers().get(taskId);
    const data = on.saw('GET /container/:id', {
      path: { id: taskId },
      data: object({
        ...containerFields(on.behaviour),
        id: exactly(container.name),
        startedTime: containerTime(on.behaviour),
        imageId: 'uuid',
        imageArch: 'text',
      }),
    });
    expect(data).toEqual(container);
    expect(container).toMatchObject({
      taskId,
      serviceId,
      serviceName: 'worker',
      status: 'running',
      deployStatus: 'success',
      failedMessage: null,
      restartCnt: 0,
      deployNum: 1,
      memoryLimit: 64 * 2 ** 20,
      nodeArch: 'arm64',
      imageName: 'worker',
      imageVersion: '1.0.0',
      imageOS: 'sylixos',
    });
    const startedMs = on.ecsm.timeOf(container.startedTime) ?? 0;
    expect(Math.abs(on.clock.now() - startedMs - 1000 * Number(container.uptime))).toBeLessThan(1000);
  });

  it('GET /container/:id: shows a container of Linux, which has an id of its own', async () => {
    const on = site();
    const { taskIds } = await on.deployed(gatewayBody);
    const [taskId = ''] = taskIds;
    const container = await on.ecsm.containers().get(taskId);
    const fields = { ...containerFields(on.behaviour), id: 'dockerId' } as const;
    expect(on.saw('GET /container/:id', { path: { id: taskId }, data: object(fields) })).toEqual(container);
    expect(container).toMatchObject({ status: 'running', nodeName: 'node-4', imageOS: 'linux', nodeArch: 'x86-64' });
  });

  it('GET /container/:id: shows the state of the deployment', async () => {
    const on = site();
    on.platform.failDeployments({ service: 'worker', message: '磁盘已满', count: 2 });
    const { taskIds } = await on.ecsm.services().create(workerBody);
    const [taskId = ''] = taskIds;
    on.forget();
    const expected = { path: { id: taskId }, data: object(containerFields(on.behaviour)) };
    expect(await on.ecsm.containers().get(taskId)).toMatchObject({ deployStatus: 'deploying', status: 'created' });
    expect(on.saw('GET /container/:id', expected)).toMatchObject({ startedTime: null, failedMessage: null });
    await on.pass(deploymentMs);
    const container = await on.ecsm.containers().get(taskId);
    on.saw('GET /container/:id', expected);
    expect(container).toMatchObject({ deployStatus: 'failure', failedMessage: '磁盘已满' });
  });

  it('GET /container/:id: an unknown one is an error, never an empty container', async () => {
    const on = site();
    const { taskIds } = await on.deployed();
    const [id = ''] = taskIds;
    await expect(on.ecsm.containers().get('nobody')).rejects.toMatchObject({ code: on.unknownCode });
    on.sawUnknown('GET /container/:id', { path: { id: 'nobody' }, http: 404, code: 32004 });
    await on.ecsm.containers().get(id);
    on.saw('GET /container/:id', { path: { id }, data: object(containerFields(on.behaviour)) });
  });

  it('GET /container/service: lists the containers of several services, also by a keyword', async () => {
    const on = site();
    const one = await on.deployed();
    const other = await on.deployed({ name: 'other' });
    const rows = await collect(on.ecsm.containers().ofServices([one.id, other.id], { key: 'othe' }));
    const data = on.saw('GET /container/service', {
      query: { ...firstPage, serviceIds: [one.id, other.id], key: 'othe' },
      data: page(object(containerFields(on.behaviour))),
    });
    expect(data).toMatchObject({ list: rows, total: 2 });
    expect(rows.map(({ taskId }) => taskId).sort()).toEqual([...other.taskIds].sort());
    expect(await collect(on.ecsm.containers().ofServices(['nobody']))).toEqual([]);
    on.saw('GET /container/service', { query: { ...firstPage, serviceIds: ['nobody'] }, data: emptyPage });
  });

  it('GET /container/node: lists the containers of several nodes', async () => {
    const on = site();
    await on.deployed();
    await on.deployed(gatewayBody);
    const nodeIds = [on.nodeId('node-1'), on.nodeId('node-4')];
    const rows = await collect(on.ecsm.containers().ofNodes(nodeIds));
    const data = on.saw('GET /container/node', {
      query: { ...firstPage, nodeIds },
      data: page(object(containerFields(on.behaviour))),
    });
    expect(data).toMatchObject({ list: rows, total: rows.length });
    expect(rows.map(({ nodeName, serviceName }) => `${serviceName} on ${nodeName}`)).toEqual([
      'worker on node-1',
      'gateway on node-4',
    ]);
  });

  it('GET /container/node: shows an unknown or the last known state on an offline node', async () => {
    const on = site();
    await on.deployed(gatewayBody);
    on.platform.cutNode(on.nodeId('node-4'));
    const [row] = await collect(on.ecsm.containers().ofNodes([on.nodeId('node-4')]));
    on.saw('GET /container/node', {
      query: { ...firstPage, nodeIds: [on.nodeId('node-4')] },
      data: page(object(containerFields(on.behaviour))),
    });
    expect(row?.status).toBe(on.behaviour.offlineContainerStatus === 'null' ? null : 'running');
  });

  it.each([
    ['stop', 'exited'],
    ['pause', 'paused'],
    ['restart', 'running'],
  ] as const)('PUT /container: can %s a container by its name', async (action, status) => {
    const on = site();
    const { taskIds } = await on.deployed();
    const [taskId = ''] = taskIds;
    const { name } = await on.ecsm.containers().get(taskId);
    on.forget();
    const transactionRow = await on.ecsm.containers().control(name, action);
    expect(on.saw('PUT /container', { body: { id: name, action }, data: transaction })).toMatchObject(transactionRow);
    expect(transactionRow.id).toBeDefined();
    await on.pass(deploymentMs);
    expect(await on.ecsm.containers().get(taskId)).toMatchObject({ status, restartCnt: 0 });
  });

  it('GET /container/action/history: lists the actions on a container, with user and time', async () => {
    const on = site();
    const { taskIds } = await on.deployed();
    const [taskId = ''] = taskIds;
    const { name } = await on.ecsm.containers().get(taskId);
    await on.ecsm.containers().control(name, 'stop');
    on.forget();
    const rows = await collect(on.ecsm.containers().history(taskId));
    const row = object({ id: exactly(taskId), cmd: 'text', user: 'text', time: containerTime(on.behaviour) });
    const data = on.saw('GET /container/action/history', { query: { ...firstPage, id: taskId }, data: page(row) });
    expect(data).toMatchObject({ list: rows });
    expect(rows[0]).toMatchObject({ id: taskId, cmd: 'stop' });
    expect(on.ecsm.timeOf(String(rows[0]?.time))).toBe(on.clock.now());
  });
});
