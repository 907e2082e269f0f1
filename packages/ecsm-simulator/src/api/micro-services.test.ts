import { expect, test } from 'vitest';
import { Bench, failed, field, serviceBody, succeeded, vsoa } from './api.kit.ts';

const image = { ...serviceBody().image, vsoa };
const deploy = (bench: Bench, change = {}) => bench.deploy({ image, node: { names: ['sat-1', 'sat-2'] }, ...change });

test('only services with a VSOA section are listed', () => {
  const bench = new Bench();
  bench.deploy({ name: 'plain' });
  const id = deploy(bench);
  const [first] = bench.containers(id);
  bench.platform.setContainerHealth(first?.taskId ?? '', false);
  bench.pass(1);
  expect(bench.call('GET', '/micro-service?pageNum=1&pageSize=10')).toEqual(
    succeeded({
      list: [
        {
          id,
          name: 'telemetry',
          imageName: 'telemetry',
          healthInstance: 1,
          instance: 2,
          loadBalance: 'roundRobin',
        },
      ],
      total: 1,
      pageNum: 1,
      pageSize: 10,
    }),
  );
});

test('the list is filtered by keyword, image and node', () => {
  const bench = new Bench();
  deploy(bench);
  const total = (filter: string) => field(bench.data('GET', `/micro-service?pageNum=1&pageSize=10&${filter}`), 'total');
  expect([total('name=TELE'), total('name=x'), total('keyWord=x')]).toEqual([1, 0, 0]);
  expect([total(`projectId=${bench.telemetry.id}`), total(`projectId=${bench.gateway.id}`)]).toEqual([1, 0]);
  expect([total(`nodeId=${bench.sat2.id}`), total(`nodeId=${bench.ground.id}`)]).toEqual([1, 0]);
  expect(total('label=x')).toBe(0);
});

test('a single micro-service, by id and by name, contains its load balancing', () => {
  const bench = new Bench();
  const id = deploy(bench, { policy: 'dynamic', factor: 2 });
  const [one, two] = bench.containers(id);
  const loadBalanceDetail = [
    { master: true, id: one?.taskId },
    { master: false, id: two?.taskId },
  ];
  expect(bench.call('PUT', '/micro-service', { id, loadBalance: 'masterSlave', loadBalanceDetail })).toEqual(
    succeeded(null),
  );
  for (const key of [id, 'telemetry']) {
    expect(bench.call('GET', `/micro-service/${key}`)).toEqual(
      succeeded({
        id,
        name: 'telemetry',
        imageName: 'telemetry',
        healthInstance: 2,
        instance: 2,
        loadBalance: 'masterSlave',
        boDynamic: true,
        loadBalanceDetail,
      }),
    );
  }
  bench.data('PUT', '/micro-service', { id, loadBalance: 'roundRobin' });
  expect(bench.data('GET', `/micro-service/${id}`)).toMatchObject({ loadBalance: 'roundRobin', loadBalanceDetail: [] });
});

test('a load balance has exactly one master, of the service', () => {
  const bench = new Bench();
  const id = deploy(bench);
  const [one, two] = bench.containers(id).map(({ taskId }) => taskId);
  const put = (loadBalance: string, loadBalanceDetail?: unknown) =>
    bench.call('PUT', '/micro-service', { id, loadBalance, loadBalanceDetail });
  const codes = [
    put('masterSlave'),
    put('masterSlave', [{ id: one, master: false }]),
    put('masterSlave', [
      { id: one, master: true },
      { id: two, master: true },
    ]),
    put('masterSlave', [{ id: 'unknown', master: true }]),
    put('roundRobin', [{ id: one, master: true }]),
    put('random'),
  ].map(({ body }) => field(body, 'status'));
  expect(codes).toEqual([30001, 30001, 30001, 30001, 30001, 30001]);
  expect(field(put('masterSlave', [{ id: one, master: 'true' }]).body, 'status')).toBe(200);
});

test('instances are containers with the address that VSOA listens on', () => {
  const bench = new Bench();
  const id = deploy(bench);
  const [one] = bench.containers(id);
  const container = bench.data('GET', `/container/${one?.taskId}`);
  expect(one?.vsoaPort).toBeGreaterThan(0);
  const expected = { ...(container as object), ip: '10.0.0.1', vsoaPort: one?.vsoaPort };
  for (const key of [id, 'telemetry']) {
    const path = `/micro-service/instance?id=${key}&pageNum=-1&pageSize=10&keyWord=${one?.name.toUpperCase()}`;
    expect(bench.call('GET', path)).toEqual(succeeded({ list: [expected], total: 1, pageNum: -1, pageSize: 10 }));
  }
});

test('a service without a VSOA section is not a micro-service', () => {
  const bench = new Bench();
  const id = bench.deploy();
  expect(bench.call('GET', `/micro-service/${id}`)).toEqual(failed(31004, `服务不存在: ${id}`));
  expect(bench.code('GET', '/micro-service/instance?id=nothing&pageNum=1&pageSize=1')).toBe(31004);
  expect(bench.code('PUT', '/micro-service', { id: 'nothing', loadBalance: 'roundRobin' })).toBe(31004);
});
