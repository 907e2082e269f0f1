import { describe, expect, it } from 'vitest';
import { isApiError } from '../api/errors.ts';
import { sleep } from '../ports/clock.ts';
import { decoded, put, scenarioOf } from './counter.kit.ts';
import type { EffectFault, Fault } from './faults.ts';
import type { ProcessDependencies } from './incarnation.ts';
import { runScenario } from './scenario.ts';

const at = <F extends object>(effect: number, fault: F) => ({ ...fault, process: 'sample', effect }) as F & EffectFault;

/** Runs one process to its end, on a store with ten revisions, and answers what it answered. */
async function answerOf<T>(
  main: (dependencies: ProcessDependencies) => Promise<T>,
  faults: readonly Fault[] = [],
): Promise<T> {
  let answer: { value: T } | undefined;
  const scenario = scenarioOf(
    async (dependencies) => {
      answer = { value: await main(dependencies) };
    },
    {
      async build({ store }) {
        for (let number = 1; number <= 10; number++)
          await store.commit([put('a/b', number), put(`a/${number}`, number)]);
      },
    },
  );
  const { failure } = await runScenario(scenario, 1, faults);
  if (failure || !answer) throw new Error(failure?.message ?? 'it never came to an answer');
  return answer.value;
}

describe('a simulated store', () => {
  it('passes the contract without faults', async () => {
    const answer = await answerOf(async ({ store }) => {
      const refused = await store.commit([put('a/b', 0, 3)]);
      await store.commit([{ type: 'delete', key: 'a/1' }]);
      await store.compact(9);
      const { entries, next } = await store.list('a/', { limit: 2 });
      const { keys } = await store.versions('a/', { at: 10 });
      const old = await store.get('a/b', 3).catch((error) => error.code);
      const keysOfPage = entries.map(({ key }) => key);
      return { refused, keysOfPage, next, keys: keys.length, old, newest: await store.revision() };
    });
    expect(answer).toEqual({
      refused: { committed: false, key: 'a/b', expected: 3, actual: 10 },
      keysOfPage: ['a/10', 'a/2'],
      next: 'a/2',
      keys: 11,
      old: 'Expired',
      newest: 11,
    });
  });

  it('sends the bytes at the time of the call, even if the buffer is reused', async () => {
    const value = await answerOf(async ({ store }) => {
      const write = put('a/b', 77);
      const sent = store.commit([write]);
      if (write.type === 'put') write.value.fill(0);
      await sent;
      return decoded((await store.get('a/b'))?.value ?? new Uint8Array());
    });
    expect(value).toBe(77);
  });

  it('returns old data under a stale read, unless a revision is given', async () => {
    const read = async ({ store }: ProcessDependencies) => {
      const page = await store.list('a/');
      const { keys } = await store.versions('a/');
      const [newest, entry, exact] = [await store.revision(), await store.get('a/b'), await store.get('a/b', 9)];
      return [page.revision, page.entries.length, keys.length, newest, entry?.revision, exact?.revision];
    };
    expect(await answerOf(read)).toEqual([10, 11, 11, 10, 10, 9]);
    const faults = [1, 2, 3, 4, 5].map((effect) => at(effect, { type: 'staleRead', revisions: 4 } as const));
    expect(await answerOf(read, faults)).toEqual([6, 7, 7, 6, 6, 9]);
  });

  it('reads no further back than its history', async () => {
    const read = async ({ store }: ProcessDependencies) => {
      await store.compact(8);
      return (await store.get('a/b'))?.revision;
    };
    expect(await answerOf(read, [at(2, { type: 'staleRead', revisions: 5 } as const)])).toBe(10);
  });

  it('is closed for the process that closed it', async () => {
    const codes = await answerOf(async ({ store }) => {
      await store.close();
      const calls = [store.get('a/b'), store.commit([put('a/b', 1)]), store.compact(1), store.revision()];
      return Promise.all(calls.map((call) => call.catch((error) => error.code)));
    });
    expect(codes).toEqual(['Closed', 'Closed', 'Closed', 'Closed']);
  });

  it('mirrors what is stored, for oracles', async () => {
    const scenario = scenarioOf(
      async ({ store }) => {
        await store.commit([put('a/b', { size: 1 }), put('a/c', 2)]);
        await store.commit([{ type: 'delete', key: 'a/c' }]);
        await store.commit([put('a/b', { size: 2 })]);
      },
      {
        build(simulation) {
          simulation.eventually('the mirror is right', ({ store }) => {
            const entry = store.contents.get('a/b');
            const seen = [[...store.jsonBelow('a/')], store.json('a/c'), entry?.revision, entry?.created, store.newest];
            return JSON.stringify(seen);
          });
        },
      },
    );
    const { failure } = await runScenario(scenario, 1, []);
    expect(JSON.parse(failure?.message ?? '')).toEqual([[['a/b', { size: 2 }]], null, 3, 1, 3]);
  });
});

describe('a simulated watch', () => {
  /** Revisions seen from the fifth on, until the twelfth or an error; two are committed while it is watching. */
  const watching = async ({ store, clock }: ProcessDependencies): Promise<(number | string)[]> => {
    const seen: (number | string)[] = [];
    const late = (async () => {
      for (const number of [11, 12]) {
        await sleep(clock, 1000);
        await store.commit([put('a/b', number)]);
      }
    })();
    try {
      for await (const { revision } of store.watch('a/', { after: 5 })) {
        seen.push(revision);
        if (revision === 12) break;
      }
    } catch (error) {
      seen.push(isApiError(error) ? error.code : String(error));
    }
    await late;
    return seen;
  };

  /** Effect 1 opens the watch; those from 2 on deliver. */
  const third = 4;

  it('delivers every commit once and in order without faults', async () => {
    expect(await answerOf(watching)).toEqual([6, 7, 8, 9, 10, 11, 12]);
  });

  it('delays, repeats, drops and breaks under these faults', async () => {
    const under = (fault: Parameters<typeof at>[1]) => answerOf(watching, [at(third, fault) as Fault]);
    expect(await under({ type: 'delay', delayMs: 700 })).toEqual([6, 7, 8, 9, 10, 11, 12]);
    expect(await under({ type: 'repeatEvent' })).toEqual([6, 7, 8, 8, 9, 10, 11, 12]);
    expect(await under({ type: 'dropEvent' })).toEqual([6, 7, 9, 10, 11, 12]);
    expect(await under({ type: 'breakWatch' })).toEqual([6, 7, 'Unavailable']);
  });

  it('cannot be opened when its request is lost', async () => {
    const lost = at(1, { type: 'lostRequest', error: 'Timeout' } as const);
    expect(await answerOf(watching, [lost])).toEqual(['Timeout']);
  });

  it('throws Expired when the history was compacted past it', async () => {
    const compact = { type: 'compact', timeMs: 0, keepRevisions: 1 } as const;
    expect(await answerOf(watching, [compact])).toEqual(['Expired']);
  });

  it('is delayed by a partition, and continues or breaks after it', async () => {
    const outcomes = new Set<string>();
    const scenario = scenarioOf(
      async ({ store, clock }) => {
        const startMs = clock.now();
        const events = store.watch('a/', { after: 0 })[Symbol.asyncIterator]();
        const outcome = await events.next().then(
          () => 'goes on',
          (error) => error.code,
        );
        outcomes.add(`${outcome} ${clock.now() - startMs >= 2500 ? 'behind it' : 'too early'}`);
      },
      { build: ({ clock, store }) => void clock.after(1000, () => void store.commit([put('a/b', 1)])) },
    );
    const partition = { type: 'partition', timeMs: 500, process: 'sample', link: 'store', lengthMs: 2000 } as const;
    for (let seed = 1; seed <= 20; seed++) await runScenario(scenario, seed, [partition]);
    expect(outcomes).toEqual(new Set(['goes on behind it', 'Unavailable behind it']));
  });

  it('ends without an error when its signal aborts: before it is open, while it waits, and while an event is in flight', async () => {
    for (const abortMs of [1, 500, 1002, 1003]) {
      const seen = await answerOf(async ({ store, clock }) => {
        const controller = new AbortController();
        clock.after(abortMs, () => controller.abort());
        clock.after(999, () => void store.commit([put('a/b', 11)]));
        let count = 0;
        for await (const _ of store.watch('a/', { after: 10, signal: controller.signal })) count++;
        return count;
      });
      expect(seen).toBeLessThanOrEqual(1);
    }
  });

  it('hands out one event at a time', async () => {
    const twice = async ({ store }: ProcessDependencies) => {
      const iterator = store.watch('a/', { after: 5 })[Symbol.asyncIterator]();
      void iterator.next();
      return iterator.next();
    };
    await expect(answerOf(twice)).rejects.toThrow('concurrent calls of next()');
  });
});
