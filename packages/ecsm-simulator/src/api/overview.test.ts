import { expect, test } from 'vitest';
import { Bench, failed, field, serviceBody, startMs, succeeded } from './api.kit.ts';
import { samplesMax } from './overview.ts';

test('a sample has every field, and percentages are texts', () => {
  const bench = new Bench();
  const { name } = bench.onlyContainer(bench.deploy());
  bench.pass(999);
  const { sat1 } = bench;
  const usage = bench.platform.usageOfNode(sat1);
  const diskUsedBytes = sat1.diskTotalBytes - usage.diskFreeBytes;
  const used = (part: number, whole: number) => ({ percent: ((100 * part) / whole).toFixed(2), size: part });
  const [net] = usage.network;
  expect(bench.call('GET', `/overview/node?nodeId=${sat1.id}&instant=true`)).toEqual(
    succeeded([
      {
        timestamp: bench.nowMs,
        type: 'sylixos',
        cpu: { percent: usage.cpuPercent.toFixed(2) },
        // In MB: 4 GiB of the system, the image and the container.
        rom: { ...used(diskUsedBytes, sat1.diskTotalBytes), size: 4096 + 3 + 1 },
        ram: used(sat1.memoryTotalBytes - usage.memoryFreeBytes, sat1.memoryTotalBytes),
        processCount: usage.processCount,
        process: [{ name, cpu: { percent: '0.50' }, ram: used(16 * 2 ** 20, sat1.memoryTotalBytes) }],
        upNet: [{ networkName: net?.name, value: net?.upBytes }],
        downNet: [{ networkName: net?.name, value: net?.downBytes }],
        upTime: 1,
        running: 1,
        stop: 0,
      },
    ]),
  );
});

test('a series repeats the sample at every step, including both ends', () => {
  const bench = new Bench();
  bench.pass(600_000);
  const path = `/overview/node?nodeId=${bench.sat1.id}&instant=false`;
  const times = (query: string) =>
    [bench.data('GET', `${path}&${query}`)].flat().map((row) => field(row ?? null, 'timestamp'));
  const wanted = [0, 60_000, 120_000].map((ms) => startMs + ms);
  expect(times(`startTime=${startMs}&endTime=${startMs + 120_000}&step=60`)).toEqual(wanted);
  expect(times(`startTime=${startMs / 1000}&endTime=${startMs / 1000 + 150}&step=60`)).toEqual(wanted);
  expect(times('startTime=2024-06-03+23:28:20&endTime=2024-06-03T23:30:20Z')).toEqual(wanted);
  expect(times('')).toHaveLength(61);
  expect(times('').at(-1)).toBe(bench.nowMs);
});

test('a series has a limit, and an invalid span is rejected', () => {
  const bench = new Bench();
  const path = `/overview/node?nodeId=${bench.sat1.id}`;
  const atMost = `${path}&startTime=0&endTime=${samplesMax - 1}&step=1`;
  expect([bench.data('GET', atMost)].flat()).toHaveLength(samplesMax);
  expect(bench.call('GET', `${path}&startTime=0&endTime=${samplesMax}&step=1`)).toEqual(
    failed(30001, `请求参数错误: step should be longer: the limit is ${samplesMax} samples`),
  );
  for (const query of ['step=0', 'step=-5', 'startTime=soon', 'startTime=20&endTime=10', `endTime=${'9'.repeat(16)}`]) {
    expect(bench.code('GET', `${path}&${query}`), query).toBe(30001);
  }
  expect(bench.code('GET', '/overview/node')).toBe(30001);
  expect(bench.code('GET', '/overview/node?nodeId=nothing')).toBe(33004);
});

test('a lost node has no data', () => {
  const bench = new Bench({ migrationDelayMs: 1e9 });
  bench.deploy();
  bench.platform.cutNode(bench.sat1.id);
  const nothing = { percent: '0.00', size: 0 };
  expect(bench.data('GET', `/overview/node?nodeId=${bench.sat1.id}&instant=true`)).toEqual([
    {
      timestamp: bench.nowMs,
      type: 'sylixos',
      cpu: { percent: '0.00' },
      rom: nothing,
      ram: nothing,
      processCount: 0,
      process: [],
      upNet: [],
      downNet: [],
      upTime: 0,
      running: 0,
      stop: 1,
    },
  ]);
});

test('the view of a node has its own names for states', () => {
  const bench = new Bench();
  const id = bench.deploy();
  const other = bench.deploy({ name: 'other' });
  bench.platform.controlService(other, 'pause');
  const container = (serviceId: string, status: string, health: boolean) => ({
    id: bench.onlyContainer(serviceId).taskId,
    name: bench.onlyContainer(serviceId).name,
    node_id: bench.sat1.id,
    pro_id: serviceId,
    type: 'container',
    status,
    config: JSON.stringify(serviceBody().image.config),
    children: [
      {
        id: serviceId,
        name: bench.platform.service(serviceId)?.name,
        type: 'service',
        status: 'complete',
        health,
      },
    ],
  });
  expect(bench.call('GET', `/overview/platform/node-view/${bench.sat1.id}`)).toEqual(
    succeeded({
      id: bench.sat1.id,
      ip: '10.0.0.1',
      port: 1112,
      name: 'sat-1',
      type: 'sylixos',
      arch: 'arm64',
      tls: 0,
      status: 'online',
      children: [container(id, 'running', true), container(other, 'stop', false)],
    }),
  );
  expect(bench.code('GET', '/overview/platform/node-view/nothing')).toBe(33004);
});

test('the view of a service lists its nodes', () => {
  const bench = new Bench({ startMs: 1000 });
  const id = bench.deploy({ node: { names: ['sat-2'] } });
  const { taskId, name } = bench.onlyContainer(id);
  expect(bench.call('GET', `/overview/platform/service-view/${id}`)).toEqual(
    succeeded({
      id,
      name: 'telemetry',
      type: 'service',
      status: 'deploying',
      health: false,
      self: true,
      children: [
        {
          id: bench.sat2.id,
          ip: '10.0.0.2',
          port: 1112,
          name: 'sat-2',
          type: 'sylixos',
          arch: 'arm64',
          tls: 1,
          status: 'online',
          children: [
            {
              id: taskId,
              name,
              node_id: bench.sat2.id,
              pro_id: id,
              type: 'container',
              status: 'stop',
              config: JSON.stringify(serviceBody().image.config),
              children: [],
            },
          ],
        },
      ],
    }),
  );
});
