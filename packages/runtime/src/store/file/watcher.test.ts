/** Which directories are watched, and when their changes are reported. Method: real directories, virtual time. */
import { mkdirSync, rmSync } from 'node:fs';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileStoreFixture } from './file-store.kit.ts';
import { Watcher } from './watcher.ts';

let fixture: FileStoreFixture;
let clock: VirtualClock;
let watcher: Watcher;
const reports: string[][] = [];
beforeEach(() => {
  fixture = new FileStoreFixture();
  clock = new VirtualClock();
  reports.length = 0;
  watcher = new Watcher(clock, (paths) => void reports.push(paths === 'everything' ? ['everything'] : [...paths]));
});
afterEach(async () => {
  watcher.close();
  await fixture.cleanup();
});

const directories = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const path = fixture.path(`d${index}`);
    mkdirSync(path);
    return path;
  });

describe('directories', () => {
  it('are watched from one update to the next, up to 4,096 of them', () => {
    const all = directories(4_097);
    const [first = '', second = ''] = all;
    watcher.update(all);
    expect([watcher.isWatched(first), watcher.isWatched(all.at(-1) ?? '')]).toEqual([true, false]);
    watcher.update([second]);
    expect([watcher.isWatched(first), watcher.isWatched(second)]).toEqual([false, true]);
    watcher.close();
    expect(watcher.isWatched(second)).toBe(false);
  });

  it('that do not exist are not watched', () => {
    watcher.update([fixture.path('missing')]);
    expect(watcher.isWatched(fixture.path('missing'))).toBe(false);
  });
});

describe('changes', () => {
  it('are reported when there were none for a moment, without those of hidden files', async () => {
    const [directory = ''] = directories(1);
    watcher.update([directory]);
    fixture.save('d0/.hidden', 'x');
    fixture.save('d0/a.json', 'x');
    fixture.save('d0/b.json', 'x');
    await expect.poll(() => clock.timers, { interval: 5 }).toBe(2);
    expect(reports).toEqual([]);
    // Events of several saves may arrive late on a busy machine.
    const reported = async () => {
      await clock.advance(50);
      return [...new Set(reports.flat())].sort();
    };
    await expect.poll(reported, { interval: 20 }).toEqual([fixture.path('d0/a.json'), fixture.path('d0/b.json')]);
    await clock.advance(500);
    expect(clock.timers).toBe(0);
  });

  it('are not reported after the end', async () => {
    const [directory = ''] = directories(1);
    watcher.update([directory]);
    fixture.save('d0/a.json', 'x');
    await expect.poll(() => clock.timers, { interval: 5 }).toBe(2);
    watcher.close();
    await clock.advance(1_000);
    expect([reports, clock.timers]).toEqual([[], 0]);
  });

  it('of a directory that is removed end its watch', async () => {
    const [directory = ''] = directories(1);
    watcher.update([directory]);
    rmSync(directory, { recursive: true });
    await expect.poll(() => watcher.isWatched(directory), { interval: 5 }).toBe(false);
    await clock.advance(500);
    expect(reports.flat()).toContain(directory);
  });
});
