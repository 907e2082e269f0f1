import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../ports/clock.ts';
import { Doorbell } from './doorbell.ts';

let path: string;

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'ecsm-doorbell-')), 'doorbell');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true, force: true }));

it('notifies when a revision is announced, and not when it is opened', () => {
  new Doorbell(path, systemClock).close();
  utimesSync(path, 1, 1);
  const bell = new Doorbell(path, systemClock);
  expect(statSync(path).mtimeMs).toBe(1_000);
  bell.notify(7);
  expect(statSync(path).mtimeMs).toBeGreaterThan(1_000);
  bell.close();
});

it('keeps the revision that was announced last, and 0 if the file holds anything else', async () => {
  const bell = new Doorbell(path, systemClock);
  expect(bell.last).toBe(0);
  for (const revision of [12_345, 7, Number.MAX_SAFE_INTEGER]) {
    bell.notify(revision);
    await expect.poll(() => bell.last).toBe(revision);
  }
  writeFileSync(path, 'something else');
  expect(bell.last).toBe(0);
  bell.close();
});

it('announces revisions in quick succession together, and the last one before it is closed', async () => {
  let announce = () => {};
  const after = (_: number, callback: () => void) => {
    announce = callback;
    return () => {};
  };
  const clock = { ...systemClock, after };
  const bell = new Doorbell(path, clock);
  for (const revision of [1, 2, 3]) bell.notify(revision);
  expect(bell.last).toBe(1);
  announce();
  expect(bell.last).toBe(3);
  bell.notify(4);
  expect(bell.last).toBe(3);
  bell.close();
  expect(readFileSync(path, 'latin1')).toBe('4'.padStart(16, '0'));
});
