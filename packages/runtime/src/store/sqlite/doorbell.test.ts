import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Doorbell } from './doorbell.ts';

let path: string;

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'ecsm-doorbell-')), 'doorbell');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true, force: true }));

it('rings when a revision is announced, and not when it is opened', () => {
  new Doorbell(path).close();
  utimesSync(path, 1, 1);
  const bell = new Doorbell(path);
  expect(statSync(path).mtimeMs).toBe(1_000);
  bell.ring(7);
  expect(statSync(path).mtimeMs).toBeGreaterThan(1_000);
  bell.close();
});

it('keeps the revision that was announced last, and 0 if the file holds anything else', () => {
  const bell = new Doorbell(path);
  expect(bell.last).toBe(0);
  for (const revision of [12_345, 7, Number.MAX_SAFE_INTEGER]) {
    bell.ring(revision);
    expect(bell.last).toBe(revision);
  }
  writeFileSync(path, 'something else');
  expect(bell.last).toBe(0);
  bell.close();
});
