import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import type { Change, Commit } from '../store/contract.ts';
import { RecentCommits } from './recent-commits.ts';

const put = (sizeBytes: number, previous?: number): Change => ({
  type: 'put',
  key: 'k',
  value: new Uint8Array(sizeBytes),
  created: 1,
  ...(previous === undefined ? {} : { previous: new Uint8Array(previous) }),
});
const commit = (revision: number, ...changes: Change[]): Commit => ({ revision, changes });

function recent(limits = {}, from = 10) {
  const clock = new VirtualClock();
  const all = { commitsMax: 3, bytesMax: 1_000, progressMs: 20, ...limits };
  return { clock, commits: new RecentCommits(from, ({ revision }) => ({ revision }), clock, all) };
}

describe('the newest commits', () => {
  it('cover the revisions from the first one on, up to the last one', () => {
    const { commits } = recent();
    expect([9, 10, 11].map((revision) => commits.covers(revision))).toEqual([false, true, false]);
    commits.push(commit(12, put(1)));
    expect([9, 10, 11, 12, 13].map((revision) => commits.covers(revision))).toEqual([false, true, true, true, false]);
  });

  it('are read one after the other, and skipped where nothing changed', () => {
    const { commits } = recent();
    for (const revision of [11, 13, 15]) commits.push(commit(revision, put(1)));
    commits.push(commit(17));
    expect([10, 11, 12, 13, 14].map((after) => commits.next(after))).toEqual(
      [11, 13, 13, 15, 15].map((revision) => ({ revision })),
    );
    expect([15, 16, 17].map((after) => commits.next(after))).toEqual([17, 17, undefined]);
  });

  it('are not repeated', () => {
    const { commits } = recent();
    commits.push(commit(10, put(1)));
    expect(commits.next(9)).toBe(10);
    commits.push(commit(11, put(1)));
    commits.push(commit(11, put(1)));
    expect([commits.next(10), commits.next(11)]).toEqual([{ revision: 11 }, undefined]);
  });

  it('are bounded by number', () => {
    const { commits } = recent();
    for (const revision of [11, 12, 13]) commits.push(commit(revision, put(1)));
    expect(commits.covers(10)).toBe(true);
    commits.push(commit(14, put(1)));
    expect([commits.covers(10), commits.covers(11), commits.next(11)]).toEqual([false, true, { revision: 12 }]);
  });

  it('are bounded by the bytes of new and former values, and the newest one is always kept', () => {
    const { commits } = recent({ commitsMax: 100 });
    commits.push(commit(11, put(300, 200)));
    commits.push(commit(12, put(500)));
    expect(commits.covers(10)).toBe(true);
    commits.push(commit(13, put(1)));
    expect([commits.covers(10), commits.covers(11)]).toEqual([false, true]);
    commits.push(commit(14, put(5_000)));
    expect([commits.covers(12), commits.covers(13), commits.next(13)]).toEqual([false, true, { revision: 14 }]);
    // The bytes of what was discarded do not count any more.
    commits.push(commit(15, put(500)));
    commits.push(commit(16, put(500)));
    expect([commits.covers(13), commits.covers(14), commits.covers(15)]).toEqual([false, true, true]);
  });

  it('are discarded with the log, as far as they are known', () => {
    const { commits } = recent();
    for (const revision of [11, 12, 13]) commits.push(commit(revision, put(1)));
    commits.compact(12);
    expect([commits.covers(11), commits.covers(12), commits.next(12)]).toEqual([false, true, { revision: 13 }]);
    // The last one of them is not kept in memory either.
    expect(commits.next(11)).toEqual({ revision: 13 });
    commits.compact(11);
    expect([commits.covers(11), commits.covers(12)]).toEqual([false, true]);
    commits.compact(99);
    expect([commits.covers(12), commits.covers(13), commits.covers(14)]).toEqual([false, true, false]);
    commits.push(commit(14, put(1)));
    expect(commits.next(13)).toEqual({ revision: 14 });
  });
});

describe('a reader of the newest commits', () => {
  const isSettled = async (wait: Promise<unknown>) =>
    Promise.race([wait.then(() => true), new Promise((resolve) => setImmediate(resolve, false))]);

  it('is woken at once by a change, and late by the progress of other kinds', async () => {
    const { clock, commits } = recent();
    const waiter = commits.waiter();
    const first = waiter.wait(10);
    commits.push(commit(11));
    expect(await isSettled(first)).toBe(false);
    await clock.advance(19);
    expect(await isSettled(first)).toBe(false);
    await clock.advance(1);
    expect(await isSettled(first)).toBe(true);
    const second = waiter.wait(11);
    commits.push(commit(12));
    commits.push(commit(13, put(1)));
    expect(await isSettled(second)).toBe(true);
    expect(clock.timers).toBe(0);
  });

  it('ends with the log, and learns why', async () => {
    const { clock, commits } = recent();
    const waiter = commits.waiter();
    const waiting = waiter.wait(10);
    commits.push(commit(11));
    const failure = new Error('disk');
    commits.end(failure);
    await expect(waiting).rejects.toThrow();
    expect([commits.covers(10), commits.covers(11), commits.failure, clock.timers]).toEqual([false, false, failure, 0]);
    expect(commits.next(0)).not.toEqual({ revision: 11 });
  });
});
