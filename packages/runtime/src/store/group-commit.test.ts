/** Concurrent writers share one flush. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import type { CommitOutcome } from './contract.ts';
import { type Flush, GroupCommit, type Writes } from './group-commit.ts';

/**
 * A disk whose flush starts in the next turn, ends when `done` is called, and records flushes and outcomes.
 */
class Disk {
  readonly events: string[] = [];
  readonly commits = new GroupCommit('the disk', (take) => this.#flush(take));
  #revision = 0;
  #flushing: { readonly end: () => void; readonly fail: (error: unknown) => void } | undefined;

  async #flush(take: Parameters<Flush>[0]): ReturnType<Flush> {
    const group = take();
    await nextTurn();
    this.events.push(`flush ${group.map(([write]) => write?.key).join(' ')}`);
    return new Promise((resolve, reject) => {
      const end = () => resolve(group.map(() => ({ committed: true, revision: ++this.#revision })));
      this.#flushing = { end, fail: reject };
    });
  }

  async write(key: string): Promise<CommitOutcome> {
    const outcome = await this.commits.commit(put(key));
    this.events.push(key);
    return outcome;
  }

  /** Ends the current flush, and waits for everything that follows from it. */
  async done(): Promise<void> {
    this.#flushing?.end();
    await settle();
  }

  async broken(): Promise<void> {
    this.#flushing?.fail(new ApiError('StorageFull', { what: 'the disk', reason: 'it is full' }));
    await settle();
  }
}

const put = (key: string): Writes => [{ type: 'put', key, value: new Uint8Array(1) }];

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}

describe('commits', () => {
  it('of one turn share a flush, and those that arrive during it share the next', async () => {
    const disk = new Disk();
    const first = Promise.all(['a', 'b'].map((key) => disk.write(key)));
    await settle();
    const second = Promise.all(['c', 'd'].map((key) => disk.write(key)));
    await settle();
    expect(disk.events).toEqual(['flush a b']);
    await disk.done();
    await disk.done();
    expect((await Promise.all([first, second])).flat()).toEqual(
      [1, 2, 3, 4].map((revision) => ({ committed: true, revision })),
    );
  });

  it('are settled before the next flush starts, so that their next commits can join it', async () => {
    const disk = new Disk();
    const writer = async (name: string) => {
      for (let n = 1; n <= 2; n++) await disk.write(`${name}${n}`);
    };
    void Promise.all(['a', 'b'].map(writer));
    await settle();
    void disk.write('c');
    await disk.done();
    expect(disk.events).toEqual(['flush a1 b1', 'a1', 'b1', 'flush c a2 b2']);
    await disk.done();
    expect(disk.events.slice(4)).toEqual(['c', 'a2', 'b2']);
  });

  it('without end do not block the event loop', async () => {
    const store = new GroupCommit('the disk', async (take) => take().map(() => ({ committed: true, revision: 1 })));
    let isOver = false;
    setTimeout(() => {
      isOver = true;
    }, 1);
    while (!isOver) await store.commit(put('a'));
    expect(isOver).toBe(true);
  });

  it('of a flush that fails all fail, and later ones do not', async () => {
    const disk = new Disk();
    const failing = ['a', 'b'].map((key) => disk.write(key).catch((error) => error.code));
    await settle();
    const waiting = disk.write('c');
    await disk.broken();
    expect(await Promise.all(failing)).toEqual(['StorageFull', 'StorageFull']);
    await disk.done();
    expect(await waiting).toEqual({ committed: true, revision: 1 });
  });

  it('of a flush that fails before it takes them fail with its error', async () => {
    let isBroken = true;
    const commits = new GroupCommit('the disk', async (take) => {
      if (isBroken) throw new ApiError('Unavailable', { what: 'the disk', reason: 'its lock is held' });
      return take().map(() => ({ committed: true, revision: 1 }));
    });
    const outcomes = await Promise.all(['a', 'b'].map((key) => commits.commit(put(key)).catch(({ code }) => code)));
    expect(outcomes).toEqual(['Unavailable', 'Unavailable']);
    isBroken = false;
    expect(await commits.commit(put('c'))).toEqual({ committed: true, revision: 1 });
  });

  it('are all settled when it is idle', async () => {
    const disk = new Disk();
    for (const key of ['a', 'b', 'c']) void disk.write(key);
    const idle = disk.commits.idle().then(() => disk.events.push('idle'));
    await settle();
    await disk.done();
    await idle;
    expect(disk.events).toEqual(['flush a b c', 'a', 'b', 'c', 'idle']);
  });

  it('share a flush up to 16 MiB and 256 commits, and one alone may be larger', async () => {
    const groups: number[] = [];
    const flush: Flush = async (take) => {
      const group = take();
      groups.push(group.length);
      return group.map(() => ({ committed: true, revision: 1 }));
    };
    const commits = new GroupCommit('the disk', flush);
    const large = (sizeBytes: number): Writes => [{ type: 'put', key: 'a', value: new Uint8Array(sizeBytes) }];
    const mebibyte = 1024 * 1024;
    await Promise.all(Array.from({ length: 17 }, () => commits.commit(large(mebibyte))));
    expect(groups.splice(0)).toEqual([16, 1]);
    await Promise.all([commits.commit(large(1)), ...Array.from({ length: 16 }, () => commits.commit(large(mebibyte)))]);
    expect(groups.splice(0)).toEqual([16, 1]);
    await Promise.all(Array.from({ length: 257 }, () => commits.commit(large(1))));
    expect(groups.splice(0)).toEqual([256, 1]);
  });

  it('beyond 20,000 that wait are refused, and those that wait are flushed in portions', async () => {
    const disk = new Disk();
    void disk.write('first');
    await settle();
    const waiting = Array.from({ length: 20_000 }, (_, n) => disk.commits.commit(put(`k${n}`)));
    expect(() => disk.commits.commit(put('more'))).toThrow('20000 commits already wait');
    await disk.done();
    const portion = disk.events.at(2)?.split(' ').length ?? 0;
    expect(portion).toBeGreaterThan(100);
    expect(portion).toBeLessThan(1_000);
    let open = waiting.length;
    for (const one of waiting) void one.then(() => open--);
    while (open > 0) await disk.done();
    expect((await Promise.all(waiting)).at(-1)).toEqual({ committed: true, revision: 20_001 });
  });
});
