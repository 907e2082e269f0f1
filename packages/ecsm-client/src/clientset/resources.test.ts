/**
 * What is sent for nodes, images, templates, configuration and micro-services, where it is not plain from the types.
 */
import { describe, expect, it } from 'vitest';
import { collect } from './pages.ts';
import { node, pageFrom, rejection, scripted } from './scripted.kit.ts';

describe('nodes', () => {
  it('rejects a name that is a path segment of another endpoint', async () => {
    const { ecsm, requests } = scripted(() => true);
    expect(await rejection(ecsm.nodes().getByName('check'))).toMatchObject({ code: 'BadRequest' });
    expect(requests).toHaveLength(0);
  });

  it('sends ids of a deletion in the body', async () => {
    const { ecsm, requests } = scripted(() => 'success');
    await ecsm.nodes().delete(['a', 'b']);
    expect(requests).toMatchObject([{ method: 'DELETE', path: '/node', body: { ids: ['a', 'b'] } }]);
  });

  it('sends all parameters of an address check', async () => {
    const { ecsm, requests } = scripted(() => 1);
    expect(await ecsm.nodes().isAddressTaken('10.0.0.1:1112', { exceptId: 'n', tls: true })).toBe(true);
    expect(requests[0]?.target).toBe('/api/v1/node/address/check?address=10.0.0.1%3A1112&id=n&tls=true');
  });
});

describe('containers', () => {
  it('are controlled by name, in a field named id', async () => {
    const { ecsm, requests } = scripted(() => ({ id: 'x' }));
    await ecsm.containers().control('worker-1', 'restart');
    expect(requests).toMatchObject([
      { method: 'PUT', path: '/container', body: { id: 'worker-1', action: 'restart' } },
    ]);
  });

  it('can be read as single pages', async () => {
    const { ecsm, requests } = scripted((seen) => pageFrom([], seen));
    expect(await ecsm.containers().pageOfServices(2, 5, ['a', 'b'])).toMatchObject({ list: [], total: 0 });
    expect(requests[0]?.target).toBe(
      '/api/v1/container/service?serviceIds%5B%5D=a&serviceIds%5B%5D=b&pageNum=2&pageSize=5',
    );
  });
});

describe('images', () => {
  it('are listed from the local registry by default', async () => {
    const { ecsm, requests } = scripted((seen) => pageFrom([], seen));
    await collect(ecsm.images().list({ os: 'sylixos' }));
    await ecsm.images().page(1, 10, { registryId: 'far' });
    expect(requests.map(({ query }) => query.get('registryId'))).toEqual(['local', 'far']);
  });

  it('have their reference encoded', async () => {
    const { ecsm, requests } = scripted(() => ({ config: { hostname: 'x' } }));
    expect(await ecsm.images().config({ name: 'a', tag: '1.0.0', os: 'sylixos' })).toEqual({ hostname: 'x' });
    expect(requests[0]?.target).toBe('/api/v1/image/config?ref=a%401.0.0%23sylixos');
  });
});

describe('templates', () => {
  it('rejects ids that are path segments of other endpoints', async () => {
    const { ecsm, requests } = scripted(() => null);
    const attempt = ecsm.templates().update('images', {});
    expect(await rejection(attempt)).toMatchObject({ code: 'BadRequest' });
    expect(requests).toHaveLength(0);
  });

  it('sends a common action only if it is set', async () => {
    const { ecsm, requests } = scripted(() => [{ id: 't', result: true, message: 'successful' }]);
    const templates = [{ id: 't', imageRef: 'a@1#linux' }];
    expect(await ecsm.templates().updateImages(templates)).toMatchObject([{ result: true }]);
    await ecsm.templates().updateImages(templates, { action: 'load' });
    expect(requests.map(({ body }) => body)).toEqual([{ templates }, { templates, action: 'load' }]);
  });

  it('sends the ids to delete in a field named id', async () => {
    const { ecsm, requests } = scripted(() => null);
    await ecsm.templates().deleteMany({ ids: ['t', 'u'] });
    await ecsm.templates().deleteMany({ path: '/a' });
    expect(requests.map(({ body }) => body)).toEqual([{ id: ['t', 'u'] }, { path: '/a' }]);
  });
});

describe('micro-services', () => {
  it('validates loadBalanceDetail by load balancing mode', async () => {
    const { ecsm, requests } = scripted(() => null);
    const detail = [{ master: true, id: 't' }];
    await ecsm.microServices().setLoadBalance('m', { loadBalance: 'masterSlave', loadBalanceDetail: detail });
    expect(requests[0]?.body).toEqual({ id: 'm', loadBalance: 'masterSlave', loadBalanceDetail: detail });
    const none = { loadBalance: 'masterSlave', loadBalanceDetail: [] } as const;
    expect(await rejection(ecsm.microServices().setLoadBalance('m', none))).toMatchObject({ code: 'BadRequest' });
  });
});

describe('the overview', () => {
  it('requests the current sample or a span', async () => {
    const { ecsm, requests } = scripted(() => []);
    await ecsm.overview().nodeMetrics('n');
    await ecsm.overview().nodeMetrics('n', { startTime: 1, endTime: 2, step: '5m' });
    expect(requests.map(({ target }) => target.split('?')[1])).toEqual([
      'nodeId=n&instant=true',
      'nodeId=n&instant=false&startTime=1&endTime=2&step=5m',
    ]);
  });
});

it('a node is read by name in one call', async () => {
  const { ecsm, requests } = scripted(() => node('n'));
  await ecsm.nodes().getByName('sat 1');
  expect(requests[0]?.target).toBe('/api/v1/node/name/sat%201');
});
