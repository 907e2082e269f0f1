import { describe, expect, it } from 'vitest';
import { reasonCharactersMax } from './entry.ts';
import { setUp } from './queue.kit.ts';
import { idleFailuresMax } from './queue.ts';

const code = (expected: string) => expect.objectContaining({ code: expected });

describe('a key', () => {
  it('that is added several times while it waits is taken once', async () => {
    const { queue, takeAll } = setUp();
    for (const reason of ['first', 'second', 'third']) queue.add('a', { reason });
    expect(queue.depth).toBe(1);
    expect(await takeAll()).toEqual(['a']);
  });

  it('keeps the first reason, has its waiting time, and starts at attempt 0', async () => {
    const { clock, queue } = setUp();
    queue.add('a', { reason: 'created' });
    clock.advanceSync(30);
    queue.add('a', { reason: 'changed' });
    clock.advanceSync(12);
    expect(queue.oldestWaitMs).toBe(42);
    expect(await queue.take()).toEqual({ key: 'a', reason: 'created', attempt: 0, waitedMs: 42, priority: 0 });
    expect(queue.oldestWaitMs).toBe(0);
  });

  it('with a very long reason is kept with a short one', async () => {
    const { queue } = setUp();
    const longest = 'x'.repeat(reasonCharactersMax);
    queue.add('a', { reason: longest });
    queue.add('b', { reason: `${longest}y` });
    expect((await queue.take())?.reason).toBe(longest);
    expect((await queue.take())?.reason).toBe(`${longest.slice(1)}…`);
  });

  it('is never in flight twice, and runs exactly once more for any number of adds meanwhile', async () => {
    const { queue, takeKey, takeAll } = setUp();
    queue.add('a');
    await takeKey();
    queue.add('a');
    queue.add('a');
    expect([queue.depth, queue.processing]).toEqual([0, 1]);
    queue.done('a');
    expect([queue.depth, queue.processing]).toEqual([1, 0]);
    expect(await takeAll()).toEqual(['a']);
    expect([queue.depth, queue.processing]).toEqual([0, 0]);
  });

  it('whose delay ends while it is in flight runs once more', async () => {
    const { clock, queue, takeKey, takeAll } = setUp();
    queue.add('a');
    await takeKey();
    queue.add('a', { afterMs: 10 });
    clock.advanceSync(10);
    expect([queue.depth, queue.delayed]).toEqual([0, 0]);
    queue.done('a');
    expect(await takeAll()).toEqual(['a']);
  });

  it('that is not in flight cannot be done', async () => {
    const { queue, takeKey } = setUp();
    expect(() => queue.done('a')).toThrow(code('Internal'));
    queue.add('a');
    expect(() => queue.done('a')).toThrow(code('Internal'));
    await takeKey();
    queue.done('a');
    expect(() => queue.done('a')).toThrow(code('Internal'));
  });

  it('in flight is timed', async () => {
    const { clock, queue, takeKey } = setUp();
    queue.add('a');
    queue.add('b');
    await takeKey();
    clock.advanceSync(20);
    await takeKey();
    clock.advanceSync(5);
    expect(queue.longestRunningMs).toBe(25);
    queue.done('a');
    expect(queue.longestRunningMs).toBe(5);
    queue.done('b');
    expect(queue.longestRunningMs).toBe(0);
  });
});

describe('a retry', () => {
  it('doubles its delay with each failure, until forget is called', async () => {
    const { clock, queue, takeKey } = setUp();
    for (const expected of [5, 10, 20, 40]) {
      const delayMs = queue.retry('a', 'refused');
      expect(delayMs).toBe(expected);
      clock.advanceSync(delayMs - 1);
      expect(queue.depth).toBe(0);
      clock.advanceSync(1);
      expect(await takeKey()).toBe('a');
      queue.done('a');
    }
    expect(queue.attempts('a')).toBe(4);
    queue.forget('a');
    expect(queue.attempts('a')).toBe(0);
    expect(queue.retry('a')).toBe(5);
  });

  it('stays within the given limits', () => {
    const { queue } = setUp({ backoffMsMin: 100, backoffMsMax: 250 });
    expect([1, 2, 3].map(() => queue.retry('a'))).toEqual([100, 200, 250]);
  });

  it('of a key in flight keeps its priority, counts the attempt and has the reason', async () => {
    const { clock, queue } = setUp();
    queue.add('a', { priority: -2, reason: 'listed' });
    await queue.take();
    queue.retry('a', 'refused');
    queue.done('a');
    clock.advanceSync(5);
    expect(await queue.take()).toEqual({ key: 'a', reason: 'refused', attempt: 1, waitedMs: 0, priority: -2 });
  });

  it('does not hold up a key that was added during the run that failed', async () => {
    const { clock, queue, takeAll, takeKey } = setUp();
    queue.add('a');
    await takeKey();
    queue.add('a');
    queue.retry('a');
    queue.done('a');
    expect(await takeAll()).toEqual(['a']);
    clock.advanceSync(1_000);
    expect(queue.depth).toBe(0);
    expect(queue.attempts('a')).toBe(1);
  });

  it('limits the failure counts of keys that are not queued; the oldest starts over', async () => {
    const { clock, queue, takeAll } = setUp();
    for (let number = 0; number <= idleFailuresMax; number++) queue.retry(`key-${number}`);
    clock.advanceSync(5);
    await takeAll();
    const last = `key-${idleFailuresMax}`;
    expect([queue.attempts('key-0'), queue.attempts('key-1'), queue.attempts(last)]).toEqual([0, 1, 1]);
  });

  it('is not cancelled by forget', () => {
    const { clock, queue } = setUp();
    queue.retry('a');
    queue.forget('a');
    clock.advanceSync(5);
    expect(queue.depth).toBe(1);
  });
});

describe('a taker', () => {
  it('waits for a key, after earlier takers', async () => {
    const { clock, queue, takeKey } = setUp();
    const takers = [takeKey(), takeKey(), takeKey()];
    queue.add('a');
    queue.add('b', { afterMs: 10 });
    clock.advanceSync(10);
    queue.add('c');
    expect(await Promise.all(takers)).toEqual(['a', 'b', 'c']);
    expect(queue.processing).toBe(3);
  });

  it('gets a key that was added during its run as soon as it is done', async () => {
    const { queue, takeKey } = setUp();
    queue.add('a');
    await takeKey();
    const next = takeKey();
    queue.add('a');
    queue.done('a');
    expect(await next).toBe('a');
  });

  it('gets nothing when its signal aborts, and the key goes to the next taker', async () => {
    const { queue, takeKey } = setUp();
    const stop = new AbortController();
    const aborted = queue.take(stop.signal);
    const patient = takeKey();
    stop.abort();
    queue.add('a');
    expect(await aborted).toBeUndefined();
    expect(await patient).toBe('a');
  });

  it('with an aborted signal takes nothing', async () => {
    const { queue } = setUp();
    queue.add('a');
    expect(await queue.take(AbortSignal.abort())).toBeUndefined();
    expect([queue.depth, queue.processing]).toEqual([1, 0]);
  });

  it('has its key even if the signal aborts immediately afterwards', async () => {
    const { queue } = setUp();
    const stop = new AbortController();
    const taken = queue.take(stop.signal);
    queue.add('a');
    stop.abort();
    expect(await taken).toMatchObject({ key: 'a' });
  });
});

describe('shutting down', () => {
  it('drops waiting keys, releases pending takes and ignores further adds', async () => {
    const { clock, queue, takeKey } = setUp();
    const waiting = takeKey();
    queue.add('a');
    await waiting;
    queue.done('a');
    const home = takeKey();
    const end = queue.shutDown();
    expect(await home).toBeUndefined();
    await end;
    queue.add('b');
    queue.add('c', { afterMs: 5 });
    expect(queue.retry('d')).toBe(5);
    expect([queue.depth, queue.delayed, queue.attempts('d'), clock.timers]).toEqual([0, 0, 0, 0]);
    expect(await takeKey()).toBeUndefined();
  });

  it('resolves when nothing is in flight', async () => {
    const { clock, queue, takeKey } = setUp();
    for (const key of ['a', 'b', 'waiting']) queue.add(key);
    queue.add('delayed', { afterMs: 5 });
    await takeKey();
    await takeKey();
    queue.add('a');
    queue.add('b', { afterMs: 5 });
    let ended = false;
    const end = queue.shutDown().then(() => {
      ended = true;
    });
    expect([queue.depth, queue.delayed, queue.processing, clock.timers]).toEqual([0, 0, 2, 0]);
    expect(await takeKey()).toBeUndefined();
    queue.done('a');
    await takeKey();
    expect(ended).toBe(false);
    queue.done('b');
    await end;
    clock.advanceSync(5);
    expect([queue.depth, queue.oldestWaitMs]).toEqual([0, 0]);
  });

  it('with drain hands out what is ready and what was added during a run, and drops what is delayed', async () => {
    const { clock, queue, takeKey } = setUp();
    for (const key of ['a', 'b']) queue.add(key);
    queue.add('delayed', { afterMs: 5 });
    expect(await takeKey()).toBe('a');
    queue.add('a');
    const end = queue.shutDown({ drain: true });
    expect([queue.delayed, clock.timers]).toEqual([0, 0]);
    expect(await takeKey()).toBe('b');
    // Nothing is ready, but the second run of the first key is to come.
    const last = takeKey();
    queue.done('a');
    expect(await last).toBe('a');
    expect(await takeKey()).toBeUndefined();
    queue.done('a');
    queue.done('b');
    await end;
  });

  it('with drain releases a take that finds no key, while the last run is in flight', async () => {
    const { queue, takeKey } = setUp();
    queue.add('a');
    const end = queue.shutDown({ drain: true });
    expect(await takeKey()).toBe('a');
    expect(await takeKey()).toBeUndefined();
    expect(queue.processing).toBe(1);
    queue.done('a');
    await end;
  });

  it('a second time without drain ends a drain without takes', async () => {
    const { queue, takeKey } = setUp();
    queue.add('a');
    const draining = queue.shutDown({ drain: true });
    await queue.shutDown();
    await draining;
    expect(await takeKey()).toBeUndefined();
  });
});

describe('an observer', () => {
  it('is called for every run that is due, taken, finished and retried', async () => {
    const seen: unknown[] = [];
    const { clock, queue, takeKey } = setUp({
      observer: {
        added: (key) => seen.push(['added', key]),
        taken: ({ key, attempt }) => seen.push(['taken', key, attempt]),
        finished: (key, tookMs) => seen.push(['finished', key, tookMs]),
        retried: (key, delayMs) => seen.push(['retried', key, delayMs]),
      },
    });
    queue.add('a');
    queue.add('a');
    await takeKey();
    clock.advanceSync(7);
    queue.retry('a');
    queue.done('a');
    expect(seen).toEqual([
      ['added', 'a'],
      ['taken', 'a', 0],
      ['retried', 'a', 5],
      ['finished', 'a', 7],
    ]);
    clock.advanceSync(5);
    await takeKey();
    expect(seen.slice(4)).toEqual([
      ['added', 'a'],
      ['taken', 'a', 1],
    ]);
  });
});
