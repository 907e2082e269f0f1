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

async function listed(answer: Answer, pageSize = 10) {
  const { ecsm, requests } = scripted(answer);
  const rows = await collect(ecsm.services().list({}, { pageSize }));
  return { ids: idsOf(rows), calls: requests.length };
}

describe('an honest platform', () => {
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

  it('is asked only as far as somebody reads, and by default for a hundred rows', async () => {
    const rows = services(1000);
    const { ecsm, requests } = scripted((seen) => pageFrom(rows, seen));
    for await (const row of ecsm.services().list()) if (row.id === '150') break;
    expect(requests.map(({ query }) => [query.get('pageNum'), query.get('pageSize')])).toEqual([
      ['1', '100'],
      ['2', '100'],
    ]);
  });

  it('gives one page with the total', async () => {
    const { ecsm } = scripted((seen) => pageFrom(services(25), seen));
    const page = await ecsm.services().page(3, 10);
    expect([idsOf(page.list), page.total]).toEqual([['20', '21', '22', '23', '24'], 25]);
  });
});

describe('no row is stepped over', () => {
  it('when the page size is cut, and pages are counted by the size that was cut to', async () => {
    const rows = services(95);
    expect((await listed((seen) => pageFrom(rows, seen, 7), 50)).ids).toEqual(numbers(95));
  });

  it('when the page size is cut, but pages are counted by the size that was asked for', async () => {
    const cut = ({ query }: Seen) => {
      const pageSize = Number(query.get('pageSize'));
      const start = (Number(query.get('pageNum')) - 1) * pageSize;
      return { list: services(95).slice(start, start + Math.min(pageSize, 7)), total: 95 };
    };
    expect((await listed(cut, 50)).ids).toEqual(numbers(95));
  });

  it('when the platform has a page size of its own, larger than the one asked for', async () => {
    const own = ({ query }: Seen) => {
      const start = (Number(query.get('pageNum')) - 1) * 20;
      return { list: services(95).slice(start, start + 20), total: 95 };
    };
    expect((await listed(own, 3)).ids).toEqual(numbers(95));
  });

  it('when all rows come at once', async () => {
    expect(await listed(() => ({ list: services(95), total: 95 }))).toEqual({ ids: numbers(95), calls: 1 });
  });

  it('when a row is deleted meanwhile, and another moves to a page already read', async () => {
    const rows = services(30);
    let calls = 0;
    const { ids } = await listed((seen) => {
      const page = pageFrom(rows, seen);
      if (++calls === 1) rows.splice(0, 1);
      return page;
    });
    expect(ids.toSorted()).toEqual(numbers(30).toSorted());
  });

  it('when fewer rows came than there are, and no reason is known', async () => {
    const rows = services(30);
    let calls = 0;
    const { ids } = await listed((seen) => {
      const page = pageFrom(rows, seen);
      // The second page is read where one row was not visible.
      return ++calls === 2 ? { ...page, list: [...page.list.slice(1), rows[20]] } : page;
    });
    expect(ids.toSorted()).toEqual(numbers(30).toSorted());
  });

  it('when a row is added at the front, and one comes twice', async () => {
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
      const answer = ({ query }: Seen) => {
        const asked = Number(query.get('pageSize'));
        const size = Math.min(asked, max);
        const start = (Number(query.get('pageNum')) - 1) * (isCountedByCut ? size : asked);
        return { list: rows.slice(start, start + size), total: rows.length };
      };
      const { ids } = await listed(answer, upTo(30));
      if (ids.join() !== numbers(rows.length).join()) throw new Error(`seed ${seed}: ${ids.join()}`);
    }
  });
});

describe('it ends', () => {
  it('with BadAnswer where the same page comes again and again', async () => {
    const { ecsm, requests } = scripted(() => ({ list: services(10), total: 95 }));
    expect(await rejection(collect(ecsm.services().list({}, { pageSize: 10 })))).toMatchObject({
      code: 'BadAnswer',
      message: 'unexpected response from GET /service: page 2 is the one before again',
    });
    expect(requests).toHaveLength(2);
  });

  it('with BadAnswer where there are rows, but none is shown: it is not an empty platform', async () => {
    for (const list of [[], null]) {
      const { ecsm } = scripted(() => ({ list, total: 5 }));
      expect(await rejection(collect(ecsm.services().list()))).toMatchObject({ code: 'BadAnswer' });
    }
  });

  it('at an empty page, even if the total says that there should be more', async () => {
    const { ids, calls } = await listed((seen) => ({ ...pageFrom(services(15), seen), total: 1000 }));
    expect(ids).toEqual(numbers(15));
    expect(calls).toBeLessThanOrEqual(8);
  });

  it('with BadAnswer where there is always one more page', async () => {
    let made = 0;
    const { ecsm } = scripted(() => ({ list: [service(String(made++))], total: Number.MAX_SAFE_INTEGER }));
    expect(await rejection(collect(ecsm.services().list({}, { pageSize: 1 })))).toMatchObject({
      code: 'BadAnswer',
      message: `unexpected response from GET /service: there are more than ${pagesMax} pages`,
    });
  });

  it('when the caller gives up, with the reason', async () => {
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

describe('rows that nothing tells apart', () => {
  it('are all given', async () => {
    const same = { id: 'task', cmd: 'stop', user: 'a', time: '2024-06-03 23:28:20' };
    const { ecsm } = scripted((seen) => pageFrom(Array(7).fill(same), seen));
    expect(await collect(ecsm.containers().history('task', { pageSize: 7 }))).toHaveLength(7);
  });
});

describe('a list in pages or bare', () => {
  const keys = Array.from({ length: 25 }, (_, n) => ({ id: n, key: `/k/${n}`, type: 'String', value: n }));
  it.each<[string, Answer]>([
    ['pages', (seen) => pageFrom(keys, seen)],
    ['pages without a frame', (seen) => pageFrom(keys, seen).list],
    ['everything at once, for ever', () => keys],
  ])('%s', async (_, answer) => {
    const { ecsm } = scripted(answer);
    const rows = await collect(ecsm.configuration().list({}, { pageSize: 10 }));
    expect(rows.map((row) => row.key)).toEqual(keys.map((row) => row.key));
  });

  it('may be null or empty', async () => {
    for (const answer of [null, [], onePage(), { list: null, total: 0 }]) {
      expect(
        await collect(
          scripted(() => answer)
            .ecsm.configuration()
            .list(),
        ),
      ).toEqual([]);
    }
  });
});

describe('a fuzzy name is made exact', () => {
  const alike = ['web-1', 'my-web', 'WEB', 'web ', 'web'].map((name, n) => service(String(n), { name }));

  it('through all pages of what looks like it', async () => {
    const { ecsm, requests } = scripted((seen) => pageFrom(alike, seen));
    expect(await ecsm.services().byName('web', { pageSize: 2 })).toMatchObject({ id: '4' });
    expect(requests.map(({ query }) => query.get('name'))).toEqual(['web', 'web', 'web']);
  });

  it('and to nothing, where nothing is called so', async () => {
    const { ecsm } = scripted((seen) => pageFrom(alike.slice(0, 4), seen));
    expect(await ecsm.services().byName('web')).toBeUndefined();
    expect(await ecsm.microServices().byName('web')).toBeUndefined();
    expect(await ecsm.nodes().byName('web')).toBeUndefined();
  });

  it('of nodes too', async () => {
    const { ecsm } = scripted((seen) => pageFrom(alike, seen));
    expect(await ecsm.nodes().byName('web')).toMatchObject({ id: '4' });
  });
});
