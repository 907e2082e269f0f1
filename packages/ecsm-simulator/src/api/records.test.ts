import { expect, test } from 'vitest';
import { Bench, failed, serviceBody, succeeded, vsoa } from './api.kit.ts';

const created = '2024-06-03 23:28:20';

test('records are listed newest first', () => {
  const bench = new Bench();
  const id = bench.deploy();
  bench.pass(5000);
  const image = { ...serviceBody().image, config: {} };
  bench.data('PUT', '/service', { id, ...serviceBody({ image, node: { names: ['sat-2'] } }) });
  const [first, second] = bench.platform.recordsOf(id);
  expect(bench.call('GET', `/service/record?id=${id}&pageNum=1&pageSize=10`)).toEqual(
    succeeded({
      list: [
        {
          id: second?.id,
          name: 'telemetry',
          cmd: '',
          createdTime: '2024-06-03 23:28:25',
          image: 'telemetry@1.0.0#sylixos',
          node: { names: ['sat-2'] },
        },
        {
          id: first?.id,
          name: 'telemetry',
          cmd: '/apps/telemetry -v',
          createdTime: created,
          image: 'telemetry@1.0.0#sylixos',
          node: { names: ['sat-1'] },
        },
      ],
      total: 2,
      pageNum: 1,
      pageSize: 10,
    }),
  );
});

test.each([
  ['node', 'array', { node: { names: ['sat-1'] } }, ['/apps/telemetry', '-v']],
  ['nodeList', 'string', undefined, '/apps/telemetry -v'],
] as const)('a record names its %s, and its command as %s', (recordNodes, recordCommand, nodes, cmd) => {
  const bench = new Bench({ recordNodes, recordCommand });
  const image = { ...serviceBody().image, vsoa };
  const [record] = bench.platform.recordsOf(bench.deploy({ image }));
  expect(bench.call('GET', `/service/record/${record?.id}`)).toEqual(
    succeeded({
      action: 'run',
      cmd,
      config: image.config,
      name: 'telemetry',
      vsoa,
      ...(nodes ?? { nodeList: [{ nodeId: bench.sat1.id, nodeName: 'sat-1', address: '10.0.0.1:1112' }] }),
      image: {
        id: bench.telemetry.id,
        ref: 'telemetry@1.0.0#sylixos',
        path: 'http://127.0.0.1:5000/telemetry@1.0.0',
        pullPolicy: 'IfNotPresent',
        autoUpgrade: 'Never',
      },
      createdTime: created,
      policy: 'static',
      factor: 1,
    }),
  );
});

test('a Linux image has its command elsewhere', () => {
  const bench = new Bench();
  const image = { ref: 'gateway@latest#linux', action: 'run', config: { cmd: ['/bin/gate', '-x'] } };
  const [record] = bench.platform.recordsOf(bench.deploy({ image, node: { names: ['Ground'] } }));
  expect(bench.data('GET', `/service/record/${record?.id}`)).toMatchObject({ cmd: ['/bin/gate', '-x'], vsoa: null });
});

test('a deleted record is not found', () => {
  const bench = new Bench();
  const [record] = bench.platform.recordsOf(bench.deploy());
  expect(bench.call('DELETE', `/service/record?id=${record?.id}`)).toEqual(succeeded('success'));
  expect(bench.call('GET', `/service/record/${record?.id}`)).toEqual(failed(31008, `部署记录不存在: ${record?.id}`));
  expect(bench.code('DELETE', `/service/record?id=${record?.id}`)).toBe(31008);
  expect(bench.code('DELETE', '/service/record')).toBe(30001);
});
