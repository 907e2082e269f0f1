import { expect, test } from 'vitest';
import { Bench, failed, field, serviceBody, succeeded } from './api.kit.ts';

const mebibyte = 2 ** 20;

test('a container has every field', () => {
  const bench = new Bench();
  const id = bench.deploy();
  bench.pass(1_999);
  const container = bench.onlyContainer(id);
  const usage = bench.platform.usageOf(container);
  expect(usage.memoryBytes).toBeGreaterThan(0);
  expect(bench.call('GET', `/container/${container.taskId}`)).toEqual(
    succeeded({
      id: container.name,
      taskId: container.taskId,
      name: container.name,
      status: 'running',
      // Whole seconds: clients of the platform decode an integer.
      uptime: 1,
      startedTime: '2024-06-03T23:28:20.001Z',
      createdTime: '2024-06-03T23:28:20.001Z',
      taskCreatedTime: '2024-06-03T23:28:20.000Z',
      deployStatus: 'success',
      failedMessage: null,
      restartCnt: 0,
      deployNum: 1,
      cpuUsage: { total: usage.cpuPercent, cores: usage.cpuCores },
      memoryLimit: container.memoryLimitBytes,
      memoryUsage: usage.memoryBytes,
      memoryMaxUsage: usage.memoryMaxBytes,
      sizeUsage: usage.diskBytes,
      sizeLimit: container.diskLimitBytes,
      serviceId: id,
      serviceName: 'telemetry',
      nodeId: bench.sat1.id,
      nodeName: 'sat-1',
      nodeArch: 'arm64',
      address: '10.0.0.1:1112',
      imageId: bench.telemetry.id,
      imageName: 'telemetry',
      imageVersion: '1.0.0',
      imageOS: 'sylixos',
      imageArch: 'arm64',
    }),
  );
});

test('on Linux the runtime id is not the name', () => {
  const bench = new Bench();
  const image = { ...serviceBody().image, ref: 'gateway@latest#linux' };
  const { taskId, name } = bench.onlyContainer(bench.deploy({ image, node: { names: ['Ground'] } }));
  const data = bench.data('GET', `/container/${taskId}`);
  expect(field(data, 'id')).toMatch(/^[0-9a-f]{64}$/);
  expect(field(data, 'name')).toBe(name);
});

test('before the first start, start time and image are null', () => {
  const bench = new Bench({ pullBytesPerSecond: mebibyte, startMs: 1000 });
  const { taskId } = bench.onlyContainer(bench.deploy());
  expect(bench.data('GET', `/container/${taskId}`)).toMatchObject({
    status: 'created',
    deployStatus: 'deploying',
    startedTime: null,
    uptime: 0,
    imageName: 'telemetry',
    imageVersion: '1.0.0',
    imageOS: 'sylixos',
  });
});

test('a failed deployment has a message', () => {
  const bench = new Bench();
  bench.platform.failDeployments({ count: 1, message: 'out of luck' });
  const { taskId } = bench.onlyContainer(bench.deploy());
  expect(bench.data('GET', `/container/${taskId}`)).toMatchObject({
    deployStatus: 'failure',
    failedMessage: 'out of luck',
  });
});

test.each([
  ['null', null],
  ['last', 'running'],
] as const)('the status on a lost node is %s', (offlineContainerStatus, status) => {
  const bench = new Bench({ offlineContainerStatus, migrationDelayMs: 1e9 });
  const { taskId } = bench.onlyContainer(bench.deploy());
  bench.platform.cutNode(bench.sat1.id);
  expect(field(bench.data('GET', `/container/${taskId}`), 'status')).toBe(status);
});

test('containers are listed by service and by node, with a keyword', () => {
  const bench = new Bench();
  const one = bench.deploy({ name: 'one', node: { names: ['sat-1', 'sat-2'] } });
  const two = bench.deploy({ name: 'two' });
  const listed = (path: string) => {
    const page = bench.data('GET', `${path}&pageNum=1&pageSize=10`);
    const list = [field(page, 'list')].flat();
    expect(field(page, 'total')).toBe(list.length);
    return list.map((row) => [field(row ?? null, 'serviceName'), field(row ?? null, 'nodeName')].join(' '));
  };
  expect(listed(`/container/service?serviceIds[]=${one}`)).toEqual(['one sat-1', 'one sat-2']);
  expect(listed(`/container/service?serviceIds%5B%5D=${two}&serviceIds[]=${one}&serviceIds[]=${two}`)).toEqual([
    'two sat-1',
    'one sat-1',
    'one sat-2',
  ]);
  expect(listed(`/container/service?serviceIds[]=${one}&key=SAT-2`)).toEqual(['one sat-2']);
  expect(listed('/container/service?serviceIds[]=nothing')).toEqual([]);
  expect(listed('/container/service?')).toEqual([]);
  expect(listed(`/container/node?nodeIds[]=${bench.sat1.id}`)).toEqual(['one sat-1', 'two sat-1']);
  expect(listed(`/container/node?nodeIds[]=${bench.sat1.id}&key=two`)).toEqual(['two sat-1']);
  const name = bench.onlyContainer(two).name.toUpperCase();
  expect(listed(`/container/node?nodeIds[]=${bench.sat1.id}&key=${name}`)).toEqual(['two sat-1']);
});

test('a row of a list is the container itself', () => {
  const bench = new Bench();
  const id = bench.deploy();
  const alone = bench.data('GET', `/container/${bench.onlyContainer(id).taskId}`);
  const page = { list: [alone], total: 1, pageNum: 1, pageSize: 1 };
  expect(bench.call('GET', `/container/service?serviceIds[]=${id}&pageNum=1&pageSize=1`)).toEqual(succeeded(page));
  expect(bench.call('GET', `/container/node?nodeIds[]=${bench.sat1.id}&pageNum=1&pageSize=1`)).toEqual(succeeded(page));
});

test('a container is controlled by its name, and its history records it', () => {
  const bench = new Bench();
  const { taskId, name } = bench.onlyContainer(bench.deploy());
  const reply = bench.data('PUT', '/container', { id: name, action: 'stop' });
  expect(reply).toEqual({
    id: field(reply, 'id'),
    status: expect.stringMatching(/running|success/),
    data: null,
    timestamp: bench.nowMs,
  });
  bench.pass(2000);
  bench.data('PUT', '/container', { id: name, action: 'start' });
  bench.pass(1);
  expect(bench.platform.container(taskId)?.status).toBe('running');
  expect(bench.call('GET', `/container/action/history?id=${taskId}&pageNum=1&pageSize=10`)).toEqual(
    succeeded({
      list: [
        { id: taskId, cmd: 'start', user: 'admin', time: '2024-06-03T23:28:22.001Z' },
        { id: taskId, cmd: 'stop', user: 'admin', time: '2024-06-03T23:28:20.001Z' },
      ],
      total: 2,
      pageNum: 1,
      pageSize: 10,
    }),
  );
});

test('a container in another state is not changed', () => {
  const bench = new Bench();
  const { name } = bench.onlyContainer(bench.deploy());
  expect(bench.code('PUT', '/container', { id: name, action: 'unpause' })).toBe(32005);
  expect(bench.code('PUT', '/container', { id: name, action: 'destroy' })).toBe(30001);
});

test.each([
  ['GET', '/container/nothing', undefined],
  ['PUT', '/container', { id: 'nothing', action: 'stop' }],
])('%s %s of a container that is not there', (method, path, body) => {
  expect(new Bench().call(method, path, body)).toEqual(failed(32004, '容器不存在: nothing'));
  expect(new Bench({ unknownId: 'success' }).call(method, path, body)).toEqual(succeeded('success'));
});
