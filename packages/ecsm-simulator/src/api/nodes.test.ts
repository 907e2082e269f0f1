import { expect, test } from 'vitest';
import { Bench, failed, field, succeeded } from './api.kit.ts';

const created = '2024-06-03 23:28:20';

test('a node is registered and then listed, including its password', () => {
  const bench = new Bench();
  const body = { address: '10.0.0.3:1112', name: 'sat-3', password: 'p', tls: true, extra: 1 };
  expect(bench.call('POST', '/node', body)).toEqual(succeeded(null));
  bench.pass(1500);
  expect(bench.call('GET', '/node?pageNum=1&pageSize=10&name=SAT-3')).toEqual(
    succeeded({
      list: [
        {
          id: bench.platform.nodeNamed('sat-3')?.id,
          address: '10.0.0.3:1112',
          name: 'sat-3',
          password: 'p',
          status: 'online',
          type: 'sylixos',
          tls: true,
          containerTotal: 0,
          containerRunning: 0,
          containerEcsmTotal: 0,
          containerEcsmRunning: 0,
          upTime: 1.5,
          createdTime: created,
          arch: 'arm64',
        },
      ],
      total: 1,
      pageNum: 1,
      pageSize: 10,
    }),
  );
});

test('basic information omits live data', () => {
  const bench = new Bench();
  const page = bench.data('GET', '/node?pageNum=1&pageSize=1&basicInfo=true');
  const [row] = [field(page, 'list')].flat();
  expect(row).toEqual({
    id: bench.sat1.id,
    address: '10.0.0.1:1112',
    name: 'sat-1',
    password: 'secret',
    status: 'online',
    type: 'sylixos',
    tls: false,
    createdTime: created,
    arch: 'arm64',
  });
});

test('every node is listed with a page size of -1', () => {
  const page = new Bench().data('GET', '/node?pageNum=1&pageSize=-1');
  expect([field(page, 'list')].flat().map((row) => field(row ?? null, 'name'))).toEqual(['sat-1', 'sat-2', 'Ground']);
});

test('a node by its id, and by its name as the database has it', () => {
  const bench = new Bench();
  const { id } = bench.sat2;
  const common = { id, name: 'sat-2', password: 'secret', type: 'sylixos', createdTime: created, arch: 'arm64' };
  expect(bench.call('GET', `/node/${id}`)).toEqual(
    succeeded({ ...common, address: '10.0.0.2:1112', tls: true, ecsdVersion: bench.sat2.ecsdVersion }),
  );
  expect(bench.call('GET', '/node/name/sat-2')).toEqual(succeeded({ ...common, ip: '10.0.0.2', port: 1112, tls: 1 }));
  expect(field(bench.data('GET', '/node/name/sat-1'), 'tls')).toBe(0);
});

test('a node is changed as a whole', () => {
  const bench = new Bench();
  const { id } = bench.sat1;
  const body = { id, address: '10.0.0.7:2000', name: 'moon', password: 'q', tls: 1 };
  expect(bench.call('PUT', '/node', body)).toEqual(succeeded(null));
  expect(bench.data('GET', `/node/${id}`)).toMatchObject({
    address: '10.0.0.7:2000',
    name: 'moon',
    password: 'q',
    tls: true,
  });
  expect(bench.code('PUT', '/node', { ...body, tls: undefined })).toBe(30001);
  expect(bench.code('PUT', '/node', { ...body, name: 'sat-2' })).toBe(33006);
});

test.each(['10.0.0.3', '10.0.0.3:', ':1112', '10.0.0.3:0', '10.0.0.3:65536', 'a b:1', '', 5, 'http://x:1'])(
  'an address of %j is refused',
  (address) => {
    const bench = new Bench();
    expect(bench.code('POST', '/node', { address, name: 'x', password: '' })).toBe(30001);
  },
);

test('nodes are deleted, unless a service uses one of them: then none is deleted', () => {
  const bench = new Bench();
  const serviceId = bench.deploy();
  const { id } = bench.sat1;
  expect(bench.call('DELETE', '/node', { ids: [bench.sat2.id, id, id] })).toEqual(
    succeeded([{ id, name: 'sat-1', serves: [{ id: serviceId, name: 'telemetry' }] }]),
  );
  expect(bench.platform.nodes()).toHaveLength(3);
  expect(bench.call('DELETE', '/node', { ids: [bench.sat2.id] })).toEqual(succeeded('success'));
  expect(bench.platform.nodes().map(({ name }) => name)).toEqual(['sat-1', 'Ground']);
});

test('names and addresses are checked, without the node itself', () => {
  const bench = new Bench();
  const { id } = bench.sat1;
  expect(bench.call('GET', '/node/name/check?name=sat-1')).toEqual(succeeded(true));
  expect(bench.call('GET', `/node/name/check?name=sat-1&id=${id}`)).toEqual(succeeded(false));
  expect(bench.call('GET', '/node/name/check?name=sat')).toEqual(succeeded(false));
  expect(bench.call('GET', '/node/address/check?address=10.0.0.1:1112&tls=false')).toEqual(succeeded(true));
  expect(bench.call('GET', `/node/address/check?address=10.0.0.1:1112&id=${id}`)).toEqual(succeeded(false));
  expect(bench.call('GET', '/node/address/check?address=10.0.0.1:1113')).toEqual(succeeded(false));
});

test('the status of a node has every field', () => {
  const bench = new Bench();
  bench.deploy();
  bench.pass(999);
  const { id } = bench.sat1;
  const usage = bench.platform.usageOfNode(bench.sat1);
  const [net] = usage.network;
  expect(bench.call('GET', `/node/status?ids[]=${id}&ids[]=nothing`)).toEqual(
    succeeded({
      nodes: [
        {
          id,
          status: 'online',
          memoryTotal: bench.sat1.memoryTotalBytes,
          memoryFree: usage.memoryFreeBytes,
          diskTotal: bench.sat1.diskTotalBytes / 2 ** 20,
          diskFree: usage.diskFreeBytes / 2 ** 20,
          cpuUsage: { total: usage.cpuPercent, cores: usage.cpuCores, measureTime: 1000 },
          uptime: 1,
          processCount: usage.processCount,
          containerTotal: 1,
          containerRunning: 1,
          containerEcsmTotal: 1,
          containerEcsmRunning: 1,
          net: [{ networkName: net?.name, upNet: net?.upBytes, downNet: net?.downBytes }],
          time: {
            current: bench.nowMs,
            uptime: 1,
            timezone: '+0000',
            timezoneName: 'UTC',
            date: '2024-06-03 23:28:21',
          },
        },
      ],
    }),
  );
});

test.each([
  ['number', 0],
  ['object', { total: 0, cores: [], measureTime: 0 }],
] as const)('the processor of a lost node is a %s', (offlineCpuUsage, cpuUsage) => {
  const bench = new Bench({ offlineCpuUsage, migrationDelayMs: 1e9 });
  bench.deploy();
  const { id } = bench.sat1;
  bench.platform.cutNode(id);
  bench.pass(10);
  expect(bench.call('GET', `/node/status?ids%5B%5D=${id}`)).toEqual(
    succeeded({
      nodes: [
        {
          id,
          status: 'offline',
          memoryTotal: 0,
          memoryFree: 0,
          diskTotal: 0,
          diskFree: 0,
          cpuUsage,
          uptime: 0,
          processCount: 0,
          containerTotal: 1,
          containerRunning: 0,
          containerEcsmTotal: 1,
          containerEcsmRunning: 0,
          net: [],
          time: { current: 0, uptime: 0, timezone: '', timezoneName: '', date: '' },
        },
      ],
    }),
  );
  const page = bench.data('GET', '/node?pageNum=1&pageSize=1');
  expect(page).toMatchObject({ list: [{ status: 'offline', upTime: 0, containerTotal: 1, containerRunning: 0 }] });
});

test('nodes whose type has changed are listed until the types are refreshed', () => {
  const bench = new Bench();
  bench.platform.setNodeTrueType(bench.sat1.id, 'linux');
  expect(bench.call('GET', '/node/type/check')).toEqual(
    succeeded([{ id: bench.sat1.id, ip: '10.0.0.1', port: 1112, name: 'sat-1', type: 'sylixos', newType: 'linux' }]),
  );
  expect(bench.call('PUT', '/node/type')).toEqual(succeeded(null));
  expect(bench.call('GET', '/node/type/check')).toEqual(succeeded([]));
});

test.each([
  ['GET', '/node/nothing', undefined],
  ['GET', '/node/name/nothing', undefined],
  ['PUT', '/node', { id: 'nothing', address: 'a:1', name: 'n', password: 'p', tls: false }],
  ['DELETE', '/node', { ids: ['nothing'] }],
])('%s %s of a node that is not there', (method, path, body) => {
  expect(new Bench().call(method, path, body)).toEqual(failed(33004, '节点不存在: nothing'));
  expect(new Bench({ unknownId: 'success' }).call(method, path, body)).toEqual(succeeded('success'));
});

test('the disk of a node is in bytes by a switch', () => {
  const bench = new Bench({ diskUnit: 'bytes' });
  expect(bench.data('GET', `/node/status?ids[]=${bench.sat1.id}`)).toMatchObject({
    nodes: [
      {
        diskTotal: bench.sat1.diskTotalBytes,
        diskFree: bench.platform.usageOfNode(bench.sat1).diskFreeBytes,
      },
    ],
  });
});
