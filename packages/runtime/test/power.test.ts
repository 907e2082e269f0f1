/**
 * Goal: a power cut at any moment loses nothing that was acknowledged, and leaves a registry that works.
 * Method: the system calls of a process that writes a registry are recorded. From them images of the disk are made as a
 * power cut could leave them (disk.kit.ts), each is opened, and what is found is compared with what the process printed.
 * The same check has to find planted defects: an acknowledgement before the flush, and flushes that are left out.
 */
import { SeededRandom } from '@ecsm/runtime/simulation';
import { afterEach, describe, expect, it } from 'vitest';
import { type Planted, Run } from './power.kit.ts';
import { skipWithoutStrace } from './strace.kit.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function record(scheme: 'sqlite' | 'file', parts: readonly string[], planted?: Planted): Run {
  const run = Run.record(scheme, parts, planted);
  cleanups.push(() => run.remove());
  return run;
}

/** Cuts the power at random moments; returns what was found wrong, with the seed of each. */
async function cut(run: Run, images: number): Promise<string[]> {
  const problems: string[] = [];
  for (let seed = 1; seed <= images; seed++) {
    const random = new SeededRandom(seed);
    const moment = random.integer(run.disk.start, run.disk.end);
    const found = await run.check(moment, { random: () => random.next() });
    problems.push(...found.map((problem) => `seed ${seed}, cut at ${moment}: ${problem}`));
  }
  return problems;
}

describe.skipIf(skipWithoutStrace())('after a power cut', () => {
  it('a sqlite registry has everything acknowledged, and works', { timeout: 240_000 }, async () => {
    const run = record('sqlite', ['40,4', '60,4,compact', '20,10,compact', '5,0']);
    expect(run.commits).toBeGreaterThan(300);
    expect(await cut(run, 500)).toEqual([]);
  });

  it('a registry of files has everything acknowledged, and its files agree', { timeout: 240_000 }, async () => {
    const run = record('file', ['15,2', '10,2']);
    expect(await cut(run, 150)).toEqual([]);
  });
});

describe.skipIf(skipWithoutStrace())('the check of power cuts finds', () => {
  const lost = expect.arrayContaining([expect.stringMatching(/lost: |was written before/)]);

  it('an acknowledgement before the flush', { timeout: 240_000 }, async () => {
    const run = record('sqlite', ['30,0']);
    for (const moment of run.acknowledgements) {
      const options = { random: () => 0, fate: 'nothing' } as const;
      expect(await run.check(moment, options)).toEqual([]);
      expect(await run.check(moment, { ...options, unsynced: /registry\.db-wal$/ })).toEqual(lost);
    }
  });

  it.each(['NORMAL', 'OFF'])('SQLite with synchronous=%s', { timeout: 240_000 }, async (by) => {
    const text = 'synchronous = FULL';
    const run = record('sqlite', ['30,2'], { file: 'sqlite/connection.js', text, by: `synchronous = ${by}` });
    expect(await cut(run, 30)).toEqual(lost);
  });

  it('a directory of files that is not flushed before the ledger says that it was', { timeout: 240_000 }, async () => {
    const text = 'for (const directory of directories)\n            syncDirectory(directory);';
    const run = record('file', ['15,2'], { file: 'file/publish.js', text, by: '' });
    expect(await cut(run, 30)).not.toEqual([]);
  });
});
