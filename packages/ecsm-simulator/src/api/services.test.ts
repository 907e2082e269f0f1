import { expect, test } from 'vitest';
import { Bench, failed, field, serviceBody, succeeded } from './api.kit.ts';

const created = '2024-06-03 23:28:20';
const sat1 = ({ sat1: { id } }: Bench) => ({ nodeId: id, nodeName: 'sat-1', address: '10.0.0.1:1112' });

test('creating a service returns its id and the task ids of its containers', () => {
  const bench = new Bench();
  const reply = bench.call('POST', '/service', serviceBody({ node: { names: ['sat-1', 'sat-2', 'sat-1'] } }));
  const [service] = bench.platform.services();
  const containers = bench.containers(service?.id ?? '');
  expect(containers).toHaveLength(2);
  expect(reply).toEqual(succeeded({ id: service?.id, containers: containers.map(({ taskId }) => taskId) }));
});

test('a name that is taken has the documented code', () => {
  const bench = new Bench();
  bench.deploy();
  expect(bench.call('POST', '/service', serviceBody())).toEqual(failed(31006, '服务名称已存在: telemetry'));
});

test('an unknown image is an error even if unknown ids are not', () => {
  const bench = new Bench({ unknownId: 'success' });
  const image = { ...serviceBody().image, ref: 'nothing@1#sylixos' };
  expect(bench.code('POST', '/service', serviceBody({ image }))).toBe(34004);
});

test('a row of the list has every field', () => {
  const bench = new Bench();
  const id = bench.deploy();
  expect(bench.call('GET', '/service?pageNum=1&pageSize=10')).toEqual(
    succeeded({
      list: [
        {
          id,
          name: 'telemetry',
          status: 'complete',
          createdTime: created,
          updatedTime: created,
          factor: 1,
          policy: 'static',
          imageList: [{ name: 'telemetry', tag: '1.0.0', os: 'sylixos' }],
          nodeList: [sat1(bench)],
          containerStatusGroup: ['running'],
          instanceOnline: 1,
          instanceActive: 1,
          errorInstance: [],
          defaultLabels: [],
          pathLabel: '',
        },
      ],
      total: 1,
      pageNum: 1,
      pageSize: 10,
    }),
  );
});

test('the detail has the image and the nodes as they were sent', () => {
  const bench = new Bench();
  const id = bench.deploy();
  expect(bench.call('GET', `/service/${id}`)).toEqual(
    succeeded({
      id,
      name: 'telemetry',
      status: 'complete',
      containerStatusGroup: ['running'],
      healthy: true,
      factor: 1,
      policy: 'static',
      instanceOnline: 1,
      instanceActive: 1,
      createdTime: created,
      updatedTime: created,
      image: { ...serviceBody().image, vsoa: null, pullPolicy: 'IfNotPresent', autoUpgrade: 'Never' },
      node: { names: ['sat-1'] },
      nodeList: [sat1(bench)],
    }),
  );
});

test('the list is filtered by part of the name, image, node and label', () => {
  const bench = new Bench();
  bench.deploy({ name: 'Telemetry-A' });
  bench.deploy({ name: 'telemetry-b', node: { names: ['sat-2'] } });
  const image = { ...serviceBody().image, ref: 'gateway@latest#linux' };
  bench.deploy({ name: 'gate', image, node: { names: ['Ground'] } });
  bench.platform.createService(specOfGate, { pathLabel: '/orbit/one' });
  const listed = (filter: string) => {
    const page = bench.data('GET', `/service?pageNum=1&pageSize=10&${filter}`);
    return [field(page, 'list')].flat().map((row) => field(row ?? null, 'name'));
  };
  expect(listed('name=TELEMETRY')).toEqual(['Telemetry-A', 'telemetry-b']);
  expect(listed(`id=${bench.gateway.id}`)).toEqual(['gate', 'labelled']);
  expect(listed(`nodeId=${bench.sat2.id}`)).toEqual(['telemetry-b']);
  expect(listed('nodeId=nowhere')).toEqual([]);
  expect(listed('label=ORBIT')).toEqual(['labelled']);
  expect(listed(`name=gate&nodeId=${bench.sat1.id}`)).toEqual([]);
  expect(listed('name=')).toHaveLength(4);
});

const specOfGate = {
  name: 'labelled',
  image: { ref: 'gateway@latest#linux', action: 'run', config: {}, pullPolicy: 'Always', autoUpgrade: 'Never' },
  nodeNames: ['Ground'],
  factor: 1,
  policy: 'static',
  prepull: false,
} as const;

test('pages follow one another, and one past the end is empty', () => {
  const bench = new Bench();
  const ids = ['a', 'b', 'c'].map((name) => bench.deploy({ name }));
  const page = (query: string) => bench.data('GET', `/service?${query}`);
  expect(page('pageNum=2&pageSize=2')).toMatchObject({ list: [{ id: ids[2] }], total: 3, pageNum: 2, pageSize: 2 });
  expect(page('pageNum=3&pageSize=2')).toEqual({ list: [], total: 3, pageNum: 3, pageSize: 2 });
  expect(page('pageNum=1&pageSize=-1')).toMatchObject({ list: ids.map((id) => ({ id })), pageSize: -1 });
  expect(bench.call('GET', '/service?pageNum=1')).toEqual(failed(30001, '请求参数错误: pageSize is missing'));
});

test.each([
  ['string', 'stopped', 'false', 2],
  ['boolean', 'all', false, 2],
] as const)(
  'failed instances are listed, with a status that is a %s',
  (errorInstanceStatus, instanceActive, status, active) => {
    const bench = new Bench({ errorInstanceStatus, instanceActive });
    bench.platform.failDeployments({ count: 2, message: 'out of luck' });
    const id = bench.deploy({ node: { names: ['sat-1', 'sat-2'] } });
    const page = bench.data('GET', '/service?pageNum=1&pageSize=10');
    expect(page).toMatchObject({
      list: [
        {
          instanceOnline: 0,
          instanceActive: active,
          errorInstance: bench.containers(id).map(({ taskId, nodeId }, index) => ({
            containerId: taskId,
            nodeId,
            nodeName: `sat-${index + 1}`,
            status,
            message: 'out of luck',
          })),
        },
      ],
    });
  },
);

test.each([
  ['running', 2],
  ['stopped', 1],
  ['all', 3],
] as const)('instanceActive counts the %s', (instanceActive, count) => {
  const bench = new Bench({ instanceActive });
  const id = bench.deploy({ node: { names: ['sat-1', 'sat-2'] }, policy: 'dynamic', factor: 3 });
  bench.platform.controlContainer(bench.containers(id)[0]?.name ?? '', 'stop');
  bench.pass(1);
  expect(bench.data('GET', `/service/${id}`)).toMatchObject({
    containerStatusGroup: ['exited', 'running'],
    instanceOnline: 2,
    instanceActive: count,
    healthy: false,
  });
});

test('an unknown status is omitted from the group', () => {
  const bench = new Bench({ migrationDelayMs: 1e9 });
  const id = bench.deploy({ node: { names: ['sat-1', 'sat-2'] } });
  bench.platform.cutNode(bench.sat1.id);
  expect(bench.data('GET', `/service/${id}`)).toMatchObject({ containerStatusGroup: ['running'], instanceOnline: 1 });
});

test('an update replaces the service, and keeps only whether images are pulled ahead', () => {
  const bench = new Bench();
  const id = bench.deploy({ prepull: true, factor: 2, policy: 'dynamic' });
  bench.pass(5000);
  const reply = bench.call('PUT', '/service', { id, ...serviceBody({ name: 'renamed', policy: undefined }) });
  expect(reply).toEqual(succeeded({ id, containers: bench.containers(id).map(({ taskId }) => taskId) }));
  expect(bench.platform.service(id)).toMatchObject({ name: 'renamed', policy: 'static', factor: 1, prepull: true });
  expect(bench.data('GET', `/service/${id}`)).toMatchObject({
    createdTime: created,
    updatedTime: '2024-06-03 23:28:25',
  });
});

test('an update may give the service another id, by the switch', () => {
  const bench = new Bench({ updateServiceId: 'new' });
  const id = bench.deploy();
  const newId = field(bench.data('PUT', '/service', { id, ...serviceBody() }), 'id');
  expect(newId).not.toBe(id);
  expect(bench.data('GET', `/service/${newId}`)).toMatchObject({ name: 'telemetry' });
  expect(bench.code('GET', `/service/${id}`)).toBe(31004);
});

test('a service that was read can be sent back completely', () => {
  const bench = new Bench();
  const id = bench.deploy();
  const before = bench.data('GET', `/service/${id}`);
  bench.data('PUT', '/service', before);
  expect(bench.data('GET', `/service/${id}`)).toEqual(before);
});

test('deleting returns a transaction, and the service is deleted after the delay', () => {
  const bench = new Bench({ deleteMs: 500 });
  const id = bench.deploy();
  const transactionId = field(bench.data('DELETE', `/service/${id}`), 'transactionId');
  expect(bench.platform.transaction(String(transactionId))?.status).toBe('running');
  expect(bench.data('GET', `/service/${id}`)).toMatchObject({ id });
  bench.pass(500);
  expect(bench.code('GET', `/service/${id}`)).toBe(31004);
});

test('redeploying returns null, and increments deployNum', () => {
  const bench = new Bench();
  const id = bench.deploy();
  expect(bench.call('PUT', '/service/deployment/restart', { id })).toEqual(succeeded(null));
  bench.pass(1);
  expect(bench.onlyContainer(id).deployNum).toBe(2);
});

test('a rollback is a transaction that restores the specification of a record', () => {
  const bench = new Bench();
  const id = bench.deploy();
  bench.data('PUT', '/service', { id, ...serviceBody({ node: { names: ['sat-2'] } }) });
  const [first] = bench.platform.recordsOf(id);
  const reply = bench.data('PUT', '/service/rollback', { id, recordId: first?.id });
  expect(reply).toEqual({
    id: field(reply, 'id'),
    status: expect.stringMatching(/running|success/),
    data: null,
    timestamp: bench.nowMs,
  });
  expect(bench.platform.service(id)?.nodeNames).toEqual(['sat-1']);
  expect(bench.code('PUT', '/service/rollback', { id, recordId: 'nothing' })).toBe(31008);
});

test('a name is taken unless it is that of the service itself', () => {
  const bench = new Bench();
  const id = bench.deploy();
  expect(bench.call('GET', '/service/name/check?name=telemetry')).toEqual(succeeded(true));
  expect(bench.call('GET', `/service/name/check?name=telemetry&id=${id}`)).toEqual(succeeded(false));
  expect(bench.call('GET', '/service/name/check?name=tele')).toEqual(succeeded(false));
  expect(bench.code('GET', '/service/name/check')).toBe(30001);
});

test('the summary counts services and those that are healthy', () => {
  const bench = new Bench();
  bench.deploy();
  const id = bench.deploy({ name: 'sick' });
  bench.platform.controlService(id, 'stop');
  bench.pass(1);
  expect(bench.call('GET', '/service/summary')).toEqual(succeeded({ total: 2, health: 1 }));
});

test('all containers of a service are controlled together', () => {
  const bench = new Bench();
  const id = bench.deploy({ node: { names: ['sat-1', 'sat-2'] } });
  const reply = bench.data('PUT', '/service/container', { serviceId: id, action: 'stop' });
  expect(Object.keys(reply ?? {})).toEqual(['id', 'status', 'data', 'timestamp']);
  bench.pass(1);
  expect(bench.containers(id).map(({ status }) => status)).toEqual(['exited', 'exited']);
  expect(bench.code('PUT', '/service/container', { serviceId: id, action: 'destroy' })).toBe(30001);
});

test.each([
  ['GET', '/service/nothing', undefined],
  ['DELETE', '/service/nothing', undefined],
  ['PUT', '/service', { id: 'nothing', ...serviceBody() }],
  ['PUT', '/service/deployment/restart', { id: 'nothing' }],
  ['PUT', '/service/rollback', { id: 'nothing', recordId: 'nothing' }],
  ['PUT', '/service/container', { serviceId: 'nothing', action: 'stop' }],
])('%s %s of a service that is not there', (method, path, body) => {
  expect(new Bench().call(method, path, body)).toEqual(failed(31004, '服务不存在: nothing'));
  expect(new Bench({ httpStatus: 'matching' }).call(method, path, body).http).toBe(404);
  expect(new Bench({ unknownId: 'success' }).call(method, path, body)).toEqual(succeeded('success'));
});
