import { SeededRandom } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { groupsOf } from './limits.ts';
import { collect } from './pages.ts';
import { container, type Seen, scripted } from './scripted.kit.ts';

const random = new SeededRandom(7);
const manyIds = Array.from({ length: 500 }, () => random.uuid());
const limits = { pageSize: 100, pageSizeMax: 1000, targetBytesMax: 2000 };

describe('splitting ids into requests', () => {
  it.each([
    ['plain', manyIds],
    ['in need of encoding', manyIds.map((id) => `卫星 ${id}&`)],
  ])('so that no target grows over the limit: %s', async (_, ids) => {
    const { ecsm, requests } = scripted(({ query }) => {
      const list = query.getAll('serviceIds[]').map((id) => container(`task-${id}`));
      return { list, total: list.length };
    });
    const rows = await collect(ecsm.containers().ofServices(ids, { key: 'a keyword' }));
    expect(rows.map((row) => row.taskId)).toEqual(ids.map((id) => `task-${id}`));
    expect(Math.max(...requests.map(({ target }) => target.length))).toBeLessThanOrEqual(2000);
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.every(({ query }) => query.get('key') === 'a keyword')).toBe(true);
  });

  it('splits the ids of nodes, in lists and in status', async () => {
    const response = ({ path, query }: Seen) => {
      if (path === '/container/node') return { list: query.getAll('nodeIds[]').map((id) => container(id)), total: 1 };
      return { nodes: query.getAll('ids[]').map((id) => ({ id, status: 'online' })) };
    };
    const { ecsm, requests } = scripted(response, { targetBytesMax: 1000 });
    expect(await ecsm.nodes().status(manyIds)).toHaveLength(500);
    const rows = await collect(ecsm.containers().ofNodes(manyIds));
    expect(rows.map((row) => row.taskId)).toEqual(manyIds);
    expect(Math.max(...requests.map(({ target }) => target.length))).toBeLessThanOrEqual(1000);
  });

  it('sends each id once, returns each row once, and sends nothing without ids', async () => {
    const { ecsm, requests } = scripted(({ path }) =>
      path === '/node/status'
        ? {
            nodes: [
              { id: 'a', status: 'online' },
              { id: 'a', status: 'offline' },
            ],
          }
        : { list: [container('same')], total: 1 },
    );
    expect(await collect(ecsm.containers().ofServices([...manyIds, ...manyIds]))).toHaveLength(1);
    expect(requests.flatMap(({ query }) => query.getAll('serviceIds[]'))).toEqual(manyIds);
    expect(await ecsm.nodes().status(['a'])).toEqual([{ id: 'a', status: 'offline' }]);
    const before = requests.length;
    expect(await collect(ecsm.containers().ofServices([]))).toEqual([]);
    expect(await ecsm.nodes().status([])).toEqual([]);
    expect(await ecsm.nodes().delete([])).toEqual([]);
    expect(await ecsm.services().control([], 'destroy')).toEqual([]);
    expect(requests).toHaveLength(before);
  });

  it('puts an id that is too long for any request into its own group', () => {
    const long = 'x'.repeat(5000);
    expect(groupsOf('ids', ['a', long, 'b', 'c'], limits)).toEqual([['a'], [long], ['b', 'c']]);
  });
});

describe('invalid options', () => {
  it.each([
    [{ pageSize: 0 }, 'pageSize has to be a whole number above 0, not 0'],
    [{ pageSize: Number.NaN }, 'pageSize has to be a whole number above 0, not NaN'],
    [{ pageSize: 2000 }, 'pageSize has to be at most pageSizeMax (1000), not 2000'],
    [{ pageSizeMax: 1.5 }, 'pageSizeMax has to be a whole number above 0, not 1.5'],
    [{ targetBytesMax: -1 }, 'targetBytesMax has to be a whole number above 0, not -1'],
    [{ zoneOffsetMinutes: Number.NaN }, 'zoneOffsetMinutes has to be less than a day, not NaN'],
    [{ zoneOffsetMinutes: 1440 }, 'zoneOffsetMinutes has to be less than a day, not 1440'],
  ])('%j', (options, message) => {
    expect(() => scripted(() => null, options)).toThrow(message);
  });

  it('are rejected in a call too', async () => {
    const { ecsm, requests } = scripted(() => ({ list: [], total: 0 }));
    expect(() => ecsm.services().list({}, { pageSize: 1001 })).toThrow('at most pageSizeMax (1000)');
    await expect(ecsm.services().page(0, 10)).rejects.toThrow('pageNum has to be a whole number above 0, not 0');
    await expect(ecsm.nodes().page(1, -1)).rejects.toThrow('pageSize has to be a whole number above 0, not -1');
    expect(requests).toHaveLength(0);
  });
});
