/** Runs before each test file: records which marked functions it executes (see lane.mjs). */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @param {string} test full path of the test file */
export const pathOfReached = (test) =>
  join(tmpdir(), `reached-${createHash('sha256').update(test).digest('hex')}.json`);

if (process.env.VITEST_WORKER_ID !== undefined) {
  const { afterAll, expect } = await import('vitest');
  const reached = new Set();
  globalThis.reachedFunctions = reached;
  afterAll(() => writeFileSync(pathOfReached(expect.getState().testPath), JSON.stringify([...reached])));
}
