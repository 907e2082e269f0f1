/**
 * Goal: a list gives every row once and ends, whatever the platform does to pages. Method: platforms that cut, ignore,
 * repeat, shift or miscount pages, one by one, and then a thousand random ones that cut and renumber as they like.
 */
import { SeededRandom } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { collect, pagesMax } from './pages.ts';
import { type Answer, onePage, pageFrom, rejection, type Seen, scripted, service } from './scripted.kit.ts';

const services = (count: number) => Array.from({ length: count }, (_, n) => service(String(n)));
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map((row) => row.id);
const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n));

async function listed(response: Answer, pageSize = 10) {
  const { ecsm, requests } = scripted(response);
  const rows = await collect(ecsm.services().list({}, { pageSize }));
  return { ids: idsOf(rows), calls: requests.length };
}

describe('a platform with correct pages', () => {
  it.each([
    [0, 1],
    [1, 1],
    [9, 1],
    [10, 1],
    [11, 2],
    [95, 10],
  ])('with %d rows is read in %d requests', async (count, calls) => {
    const rows = services(count);
    expect(await listed((seen) => pageFrom(rows, seen))).toEqual({ ids: numbers(count), calls });
  });

  it('is read on demand, with a default page size of 100', async () => {
    const rows = services(1000);
    const { ecsm, requests } = scripted((seen) => pageFrom(rows, seen));
    for await (const row of ecsm.services().list()) if (row.id === '150') break;
    expect(requests.map(({ query }) => [query.get('pageNum'), query.get('pageSize')])).toEqual([
      ['1', '100'],
      ['2', '100'],
    ]);
  });

  it('returns one page with the total', async () => {
    const { ecsm } = scripted((seen) => pageFrom(services(25), seen));
    const page = await ecsm.services().page(3, 10);
    expect([idsOf(page.list), page.total]).toEqual([['20', '21', '22', '23', '24'], 25]);
  });
});

describe('no row is skipped', () => {
  it('when the page size is reduced, and pages are numbered by the reduced size', async () => {
    const rows = services(95);
    expect((await listed((seen) => pageFrom(rows, seen, 7), 50)).ids).toEqual(numbers(95));
  });

  it('when the page size is reduced, and pages are numbered by the requested size', async () => {
    const cut = ({ query }: Seen) => {
      const pageSize = Number(query.get('pageSize'));
      const start = (Number(query.get('pageNum')) - 1) * pageSize;
      return { list: services(95).slice(start, start + Math.min(pageSize, 7)), total: 95 };
    };
    expect((await listed(cut, 50)).ids).toEqual(numbers(95));
  });

  it('when the platform uses a larger page size than requested', async () => {
    const own = ({ query }: Seen) => {
      const start = (Number(query.get('pageNum')) - 1) * 20;
      return { list: services(95).slice(start, start + 20), total: 95 };
    };
    expect((await listed(own, 3)).ids).toEqual(numbers(95));
  });

  it('when all rows are on one page', async () => {
    expect(await listed(() => ({ list: services(95), total: 95 }))).toEqual({ ids: numbers(95), calls: 1 });
  });

  it('when a row is deleted between requests, and another moves to a page already read', async () => {
    const rows = services(30);
    let calls = 0;
    const { ids } = await listed((seen) => {
      const page = pageFrom(rows, seen);
      if (++calls === 1) rows.splice(0, 1);
      return page;
    });
    expect(ids.toSorted()).toEqual(numbers(30).toSorted());
  });

  it('when fewer rows than the total are received', async () => {
    const rows = services(30);
    let calls = 0;
    const { ids } = await listed((seen) => {
      const page = pageFrom(rows, seen);
      // The second page is read where one row was not visible.
      return ++calls === 2 ? { ...page, list: [...page.list.slice(1), rows[20]] } : page;
    });
    expect(ids.toSorted()).toEqual(numbers(30).toSorted());
  });

  it('when a row is added at the front, and one is received twice', async () => {
    const rows = services(30);
    let calls = 0;
    const { ids } = await listed((seen) => {
      const page = pageFrom(rows, seen);
      if (++calls === 1) rows.unshift(service('new'));
      return page;
    });
    expect(ids.toSorted()).toEqual([...numbers(30), 'new'].toSorted());
  });

  it('in a thousand random platforms', async () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const random = new SeededRandom(seed);
      const upTo = (max: number) => 1 + Math.floor(random.next() * max);
      const rows = services(upTo(60));
      const max = upTo(20);
      const isCountedByCut = random.next() < 0.5;
      const response = ({ query }: Seen) => {
        const asked = Number(query.get('pageSize'));
        const size = Math.min(asked, max);
        const start = (Number(query.get('pageNum')) - 1) * (isCountedByCut ? size : asked);
        return { list: rows.slice(start, start + size), total: rows.length };
      };
      const { ids } = await listed(response, upTo(30));
      if (ids.join() !== numbers(rows.length).join()) throw new Error(`seed ${seed}: ${ids.join()}`);
    }
  });
});

describe('termination', () => {
  it('throws BadAnswer if the same page is repeated', async () => {
    const { ecsm, requests } = scripted(() => ({ list: services(10), total: 95 }));
    expect(await rejection(collect(ecsm.services().list({}, { pageSize: 10 })))).toMatchObject({
      code: 'BadAnswer',
      message: 'unexpected response from GET /service: page 2 repeats the previous page',
    });
    expect(requests).toHaveLength(2);
  });

  it('throws BadAnswer if the first page is empty but the total is not', async () => {
    for (const list of [[], null]) {
      const { ecsm } = scripted(() => ({ list, total: 5 }));
      expect(await rejection(collect(ecsm.services().list()))).toMatchObject({ code: 'BadAnswer' });
    }
  });

  it('ends at an empty page, even if the total is higher', async () => {
    const { ids, calls } = await listed((seen) => ({ ...pageFrom(services(15), seen), total: 1000 }));
    expect(ids).toEqual(numbers(15));
    expect(calls).toBeLessThanOrEqual(8);
  });

  it('throws BadAnswer if there is always one more page', async () => {
    let made = 0;
    const { ecsm } = scripted(() => ({ list: [service(String(made++))], total: Number.MAX_SAFE_INTEGER }));
    expect(await rejection(collect(ecsm.services().list({}, { pageSize: 1 })))).toMatchObject({
      code: 'BadAnswer',
      message: `unexpected response from GET /service: there are more than ${pagesMax} pages`,
    });
  });

  it("rejects with the reason of the caller's signal", async () => {
    const controller = new AbortController();
    const { ecsm, requests } = scripted((seen) => pageFrom(services(95), seen));
    const read = async () => {
      for await (const row of ecsm.services().list({}, { pageSize: 10, signal: controller.signal })) {
        if (row.id === '15') controller.abort(new Error('enough'));
      }
    };
    await expect(read()).rejects.toThrow('enough');
    expect(requests).toHaveLength(2);
  });
});

describe('rows without a key', () => {
  it('are all returned', async () => {
    const same = { id: 'task', cmd: 'stop', user: 'a', time: '2024-06-03 23:28:20' };
    const { ecsm } = scripted((seen) => pageFrom(Array(7).fill(same), seen));
    expect(await collect(ecsm.containers().history('task', { pageSize: 7 }))).toHaveLength(7);
  });
});

describe('a paged or bare list', () => {
  const keys = Array.from({ length: 25 }, (_, n) => ({ id: n, key: `/k/${n}`, type: 'String', value: n }));
  it.each<[string, Answer]>([
    ['pages', (seen) => pageFrom(keys, seen)],
    ['pages without a frame', (seen) => pageFrom(keys, seen).list],
    ['everything at once, for ever', () => keys],
  ])('%s', async (_, response) => {
    const { ecsm } = scripted(response);
    const rows = await collect(ecsm.configuration().list({}, { pageSize: 10 }));
    expect(rows.map((row) => row.key)).toEqual(keys.map((row) => row.key));
  });

  it('may be null or empty', async () => {
    for (const response of [null, [], onePage(), { list: null, total: 0 }]) {
      expect(
        await collect(
          scripted(() => response)
            .ecsm.configuration()
            .list(),
        ),
      ).toEqual([]);
    }
  });
});

describe('search by exact name', () => {
  const alike = ['web-1', 'my-web', 'WEB', 'web ', 'web'].map((name, n) => service(String(n), { name }));

  it('searches all pages of the fuzzy search', async () => {
    const { ecsm, requests } = scripted((seen) => pageFrom(alike, seen));
    expect(await ecsm.services().byName('web', { pageSize: 2 })).toMatchObject({ id: '4' });
    expect(requests.map(({ query }) => query.get('name'))).toEqual(['web', 'web', 'web']);
  });

  it('returns undefined if there is no exact match', async () => {
    const { ecsm } = scripted((seen) => pageFrom(alike.slice(0, 4), seen));
    expect(await ecsm.services().byName('web')).toBeUndefined();
    expect(await ecsm.microServices().byName('web')).toBeUndefined();
    expect(await ecsm.nodes().byName('web')).toBeUndefined();
  });

  it('works for nodes too', async () => {
    const { ecsm } = scripted((seen) => pageFrom(alike, seen));
    expect(await ecsm.nodes().byName('web')).toMatchObject({ id: '4' });
  });
});
