import { expect, test } from 'vitest';
import { Bench, failed, field, serviceBody, succeeded } from './api.kit.ts';

/** Templates of two services: `/orbit/alpha` and `/orbit/low/beta`; none is deployed. */
function withTemplates(change = {}): Bench {
  const bench = new Bench(change);
  for (const [folder, name] of [
    ['/orbit', 'alpha'],
    ['/orbit/low', 'beta'],
  ] as const) {
    bench.platform.addTemplate({
      kind: 'service',
      name,
      folder,
      service: {
        name,
        image: {
          ref: 'telemetry@1.0.0#sylixos',
          action: 'run',
          config: {},
          pullPolicy: 'Always',
          autoUpgrade: 'Never',
        },
        nodeNames: ['sat-1'],
        factor: 1,
        policy: 'static',
        prepull: false,
      },
    });
  }
  return bench;
}

const templateId = (bench: Bench, name: string) => bench.platform.templates().find((one) => one.name === name)?.id;
const statuses = (bench: Bench) =>
  bench.platform.services().map(({ id, name }) => `${name} ${bench.containers(id).map(({ status }) => status)}`);

test.each([
  ['array', (ids: readonly string[]) => ids],
  ['object', (ids: readonly string[]) => ({ ids })],
] as const)('several services are stopped at once, and the answer is an %s', (batchAnswer, answer) => {
  const bench = new Bench({ batchAnswer });
  const ids = ['a', 'b', 'c'].map((name) => bench.deploy({ name }));
  const two = ids.slice(0, 2);
  expect(bench.call('POST', '/service/stop/ids', { ids: [...two, ...two] })).toEqual(succeeded(answer(two)));
  bench.pass(1);
  expect(statuses(bench)).toEqual(['a exited', 'b exited', 'c running']);
});

test('destroyed services are deleted, and destroying them twice is not an error', () => {
  const bench = new Bench({ deleteMs: 100 });
  const ids = [bench.deploy()];
  expect(bench.data('POST', '/service/destroy/ids', { ids })).toEqual(ids);
  expect(bench.data('POST', '/service/destroy/ids', { ids })).toEqual(ids);
  expect(bench.code('POST', '/service/stop/ids', { ids })).toBe(31010);
  bench.pass(100);
  expect(bench.platform.services()).toEqual([]);
});

test('one unknown id prevents all actions', () => {
  const bench = new Bench();
  const id = bench.deploy();
  expect(bench.call('POST', '/service/stop/ids', { ids: [id, 'nothing'] })).toEqual(
    failed(31004, '服务不存在: nothing'),
  );
  bench.pass(1);
  expect(statuses(bench)).toEqual(['telemetry running']);
});

test('an unknown action is rejected', () => {
  const bench = new Bench();
  expect(bench.call('POST', '/service/fly/ids', { ids: [] })).toEqual(
    failed(30001, '请求参数错误: action should be one of start, stop, restart, pause, unpause, destroy'),
  );
  expect(bench.code('POST', '/service/destroy/templates-ids', { ids: [] })).toBe(30001);
});

test('services are deployed from templates, by path, with the results by a switch', () => {
  const bench = withTemplates({ templateDeployment: 'results' });
  const reply = bench.data('POST', '/service/run/templates-path-label', { paths: ['orbit/low/'] });
  const beta = bench.platform.serviceNamed('beta');
  expect(reply).toEqual([
    {
      provisionTmplId: templateId(bench, 'beta'),
      result: 'created',
      provisionId: beta?.id,
      tasks: bench.containers(beta?.id ?? '').map(({ taskId }) => ({ id: taskId })),
      error: null,
    },
  ]);
  bench.data('POST', '/service/load/templates-path-label', { paths: ['/orbit'], force: true });
  bench.pass(1);
  expect(statuses(bench)).toEqual(['beta created', 'alpha created']);
  expect(beta?.pathLabel).toBe('/orbit/low');
});

test('services that are deployed by path are returned with their containers; what failed is omitted', () => {
  const bench = withTemplates();
  const deploy = () => bench.data('POST', '/service/run/templates-path-label', { paths: ['orbit/low/'] });
  const reply = deploy();
  const { id = '' } = bench.platform.serviceNamed('beta') ?? {};
  expect(reply).toEqual([{ id, containers: bench.containers(id).map(({ taskId }) => taskId) }]);
  expect(deploy()).toEqual([]);
});

test('services are deployed from templates, by id, and the id may be misspelt', () => {
  const bench = withTemplates({ templateIdField: 'provisionTmpld' });
  const id = templateId(bench, 'alpha');
  const body = { ids: [id, 'nothing'] };
  expect(bench.data('POST', '/service/run/templates-ids', body)).toMatchObject([
    { provisionTmpld: id, result: 'created' },
  ]);
  expect(bench.data('POST', '/service/run/templates-ids', { ...body, force: true })).toMatchObject([
    { provisionTmpld: id, result: 'updated', provisionId: bench.platform.serviceNamed('alpha')?.id },
  ]);
  expect(bench.data('POST', '/service/run/templates-ids', { ids: ['nothing'] })).toEqual([]);
});

test('a template whose image was deleted reports it', () => {
  const bench = withTemplates();
  bench.platform.deleteImage('local', bench.telemetry.id);
  const ids = [templateId(bench, 'alpha')];
  expect(bench.data('POST', '/service/run/templates-ids', { ids })).toEqual([
    { provisionTmplId: ids[0], result: 'failed', provisionId: null, tasks: [], error: '镜像ID不存在' },
  ]);
});

test('services are controlled by the path of their template; others have none', () => {
  const bench = withTemplates();
  bench.deploy();
  bench.data('POST', '/service/run/templates-path-label', { paths: ['/'] });
  bench.pass(1);
  const beta = bench.platform.serviceNamed('beta')?.id;
  expect(bench.call('POST', '/service/stop/path-label', { path: '/orbit/low' })).toEqual(succeeded([beta]));
  bench.pass(1);
  expect(statuses(bench)).toEqual(['telemetry running', 'alpha running', 'beta exited']);
  expect(bench.data('POST', '/service/stop/path-label', { path: '/orb' })).toEqual([]);
  const alpha = bench.platform.serviceNamed('alpha')?.id;
  expect(bench.data('POST', '/service/stop/path-label', { path: '/' })).toEqual([alpha, beta]);
});

test('services are deleted by the path of their template, each with its own result', () => {
  const bench = withTemplates({ deleteMs: 100 });
  bench.deploy();
  bench.data('POST', '/service/run/templates-path-label', { paths: ['/'] });
  const alpha = bench.platform.serviceNamed('alpha')?.id;
  const beta = bench.platform.serviceNamed('beta')?.id;
  bench.platform.deleteService(alpha ?? '');
  const reply = bench.data('DELETE', '/service/path', { path: '/orbit' });
  const [, second] = [reply].flat();
  expect(reply).toEqual([
    { provisionId: alpha, result: 'failed', transactionId: null, error: '服务正在删除: alpha' },
    { provisionId: beta, result: 'ok', transactionId: field(second ?? null, 'transactionId'), error: null },
  ]);
  bench.pass(100);
  expect(bench.platform.services().map(({ name }) => name)).toEqual(['telemetry']);
});

test('bodies are checked', () => {
  const bench = new Bench();
  expect(bench.code('POST', '/service/stop/ids', { ids: 'all' })).toBe(30001);
  expect(bench.code('POST', '/service/stop/path-label', {})).toBe(30001);
  expect(bench.code('POST', '/service/run/templates-path-label', { paths: [5] })).toBe(30001);
  expect(bench.code('DELETE', '/service/path', serviceBody())).toBe(30001);
});
