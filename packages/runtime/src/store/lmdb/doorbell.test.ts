import { mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Doorbell } from './doorbell.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ecsm-doorbell-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('rings for who writes, and not for who only opens the door', () => {
  const path = join(directory, 'doorbell');
  new Doorbell(path).close();
  utimesSync(path, 1, 1);
  const bell = new Doorbell(path);
  expect(statSync(path).mtimeMs).toBe(1_000);
  bell.ring();
  expect(statSync(path).mtimeMs).toBeGreaterThan(1_000);
  bell.close();
});
