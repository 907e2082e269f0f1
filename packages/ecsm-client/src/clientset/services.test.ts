import { isApiError } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { collect } from './pages.ts';
import { Envelope, Garbage, pageFrom, rejection, scripted, service } from './scripted.kit.ts';
import type { ServiceBody } from './service-body.ts';

const body: ServiceBody = {
  name: 'worker',
  image: {
    ref: 'worker@1.0.0#sylixos',
    action: 'run',
    config: { process: { args: ['/apps/worker'] }, sylixos: { resources: { memory: { memoryLimitMB: 64 } } } },
    vsoa: { port: 0, password: 'hunter2' },
  },
  node: { names: ['sat-1'] },
  policy: 'dynamic',
  factor: 2,
  prepull: true,
};

describe('writing services', () => {
  it('sends the whole body at creation', async () => {
    const { ecsm, requests } = scripted(() => ({ id: 's', containers: ['t1', 't2'] }));
    expect(await ecsm.services().create(body)).toEqual({ id: 's', taskIds: ['t1', 't2'] });
    expect(requests).toMatchObject([{ method: 'POST', path: '/service', body }]);
  });

  it('sends unknown fields', async () => {
    const { ecsm, requests } = scripted(() => ({ id: 's' }));
    await ecsm.services().create({ ...body, priority: 5 });
    expect(requests[0]?.body).toEqual({ ...body, priority: 5 });
  });

  it('omits prepull and includes the id in an update', async () => {
    const { ecsm, requests } = scripted(() => ({ id: 's', containers: [] }));
    await ecsm.services().update({ ...body, id: 's' });
    const { prepull: _, ...rest } = body;
    expect(requests).toMatchObject([{ method: 'PUT', path: '/service' }]);
    expect(requests[0]?.body).toEqual({ ...rest, id: 's' });
  });

  it('throws AlreadyExists if a name is taken', async () => {
    const { ecsm } = scripted(() => new Envelope(31006, '服务名已存在'));
    const error = await rejection(ecsm.services().create(body));
    expect(isApiError(error, 'AlreadyExists') && error.details).toEqual({ kind: 'service', name: 'worker' });
  });

  it.each([
    ['stop', '/service/stop/ids'],
    ['destroy', '/service/destroy/ids'],
  ] as const)('controls by ids: %s', async (action, path) => {
    const { ecsm, requests } = scripted(() => ['a']);
    await ecsm.services().control(['a', 'b'], action);
    expect(requests).toMatchObject([{ method: 'POST', path, body: { ids: ['a', 'b'] } }]);
  });

  it('sends nothing to control an empty list of services', async () => {
    const { ecsm, requests } = scripted(() => []);
    expect(await ecsm.services().control([], 'destroy')).toEqual([]);
    expect(requests).toEqual([]);
  });

  it('sends force only if it is set', async () => {
    const { ecsm, requests } = scripted(() => []);
    await ecsm.services().deployPaths(['/a'], 'load', { force: true });
    await ecsm.services().deployTemplates(['t'], 'run');
    expect(requests.map((seen) => [seen.path, seen.body])).toEqual([
      ['/service/load/templates-path-label', { paths: ['/a'], force: true }],
      ['/service/run/templates-ids', { ids: ['t'] }],
    ]);
  });

  it.each([
    ['rollback', { id: 's', recordId: 'r' }, '/service/rollback'],
    ['redeploy', { id: 's' }, '/service/deployment/restart'],
    ['controlContainers', { serviceId: 's', action: 'pause' }, '/service/container'],
  ] as const)('%s', async (method, sent, path) => {
    const { ecsm, requests } = scripted(() => ({}));
    if (method === 'rollback') await ecsm.services().rollback('s', 'r');
    if (method === 'redeploy') await ecsm.services().redeploy('s');
    if (method === 'controlContainers') await ecsm.services().controlContainers('s', 'pause');
    expect(requests).toMatchObject([{ method: 'PUT', path, body: sent }]);
  });

  it('rejects the id "path": DELETE /service/path would delete a whole folder', async () => {
    const { ecsm, requests } = scripted(() => ({}));
    for (const id of ['path', 'record', '', '..']) {
      expect(await rejection(ecsm.services().delete(id))).toMatchObject({ code: 'BadRequest' });
      expect(await rejection(ecsm.services().get(id))).toMatchObject({ code: 'BadRequest' });
    }
    expect(requests).toHaveLength(0);
  });

  it('encodes special characters of an id', async () => {
    const { ecsm, requests } = scripted(() => service('s'));
    await ecsm.services().get('a/b?c#d');
    expect(requests[0]?.target).toBe('/api/v1/service/a%2Fb%3Fc%23d');
  });
});

describe('reading services', () => {
  it("sends every filter under the platform's name", async () => {
    const { ecsm, requests } = scripted((seen) => pageFrom([], seen));
    await collect(ecsm.services().list({ name: 'a', imageId: 'i', nodeId: 'n', label: '/x' }));
    expect(Object.fromEntries(requests[0]?.query ?? [])).toEqual({
      name: 'a',
      id: 'i',
      nodeId: 'n',
      label: '/x',
      pageNum: '1',
      pageSize: '100',
    });
  });

  it('checks whether a name is taken, except by one service', async () => {
    const { ecsm, requests } = scripted(({ query }) => !query.has('id'));
    expect(await ecsm.services().isNameTaken('a')).toBe(true);
    expect(await ecsm.services().isNameTaken('a', { exceptId: 's' })).toBe(false);
    expect(requests[1]?.query.get('id')).toBe('s');
  });

  it('counts', async () => {
    expect(
      await scripted(() => ({ total: 3, health: 2 }))
        .ecsm.services()
        .summary(),
    ).toEqual({ total: 3, healthy: 2 });
    expect(
      await scripted(() => ({ total: 3 }))
        .ecsm.services()
        .summary(),
    ).toEqual({ total: 3 });
  });

  it('rejects with the reason of the signal', async () => {
    const { ecsm, requests } = scripted(() => service('s'));
    const signal = AbortSignal.abort(new Error('not now'));
    await expect(ecsm.services().get('s', { signal })).rejects.toThrow('not now');
    expect(requests).toHaveLength(0);
  });

  it('rejects an invalid timeout', async () => {
    const { ecsm } = scripted(() => service('s'));
    await expect(ecsm.services().get('s', { timeoutMs: -1 })).rejects.toMatchObject({ code: 'BadRequest' });
    await expect(ecsm.services().get('s', { deadlineMs: Number.NaN })).rejects.toMatchObject({ code: 'BadRequest' });
  });

  it('applies the configured time zone to timestamps without one', () => {
    const { ecsm } = scripted(() => null, { zoneOffsetMinutes: 8 * 60 });
    expect(ecsm.timeOf('1970-01-01 08:00:01')).toBe(1000);
    expect(ecsm.timeOf('1970-01-01T00:00:01Z')).toBe(1000);
    expect(ecsm.timeOf(null)).toBeUndefined();
  });
});

describe('secrets in errors', () => {
  const password = 'hunter2';
  it.each<[string, unknown]>([
    ['a row that lacks something', { list: [{ id: 'n', name: 'a', password }], total: 1 }],
    ['a password in the wrong place', { list: [{ id: 'n', name: 'a', status: { password } }], total: 1 }],
    ['a password for a status', { list: [{ id: 'n', name: 5, status: password, password }], total: 1 }],
    ['a refusal that repeats what was sent', new Envelope(32001, `bad node {"password":"${password}"}`)],
    ['a response that is cut off', new Garbage(`{"status":200,"data":{"list":[{"password":"${password}`)],
    ['a response without an envelope', new Garbage(`[{"password":"${password}"}]`)],
  ])('%s', async (_, response) => {
    const { ecsm } = scripted(() => response);
    const node = { id: 'n', address: '10.0.0.1:1112', name: 'a', password, tls: false };
    const errors = [
      await rejection(collect(ecsm.nodes().list())),
      await rejection(
        ecsm
          .nodes()
          .get('n')
          .then(() => Promise.reject(new Error('it was taken for a node'))),
      ),
      ...(response instanceof Envelope
        ? [await rejection(ecsm.nodes().create(node)), await rejection(ecsm.nodes().update(node))]
        : []),
    ];
    for (const error of errors) {
      expect(isApiError(error)).toBe(true);
      for (let one: unknown = error; one instanceof Error; one = one.cause) {
        expect(`${one.message} ${one.stack} ${JSON.stringify(one)}`).not.toContain(password);
      }
    }
  });
});
