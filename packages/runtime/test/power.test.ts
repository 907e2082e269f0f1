/**
 * Goal: a power failure at any moment loses nothing that was acknowledged, and leaves a registry that works.
 * Method: the system calls of a process that writes a registry are recorded. From them images of the disk are made as a
 * power failure could leave them (disk.kit.ts), each is opened, and what is found is compared with what the process printed.
 * The same check has to find planted defects: an acknowledgement before the flush, and flushes that are left out.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRegistry } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { repetitions } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { Disk } from './disk.kit.ts';
import { folder, type Planted, Run, withImage } from './power.kit.ts';
import { workerScript } from './process.kit.ts';
import { skipWithoutStrace } from './strace.kit.ts';
import { record as recordCalls } from './trace.kit.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function record(scheme: 'sqlite' | 'file', parts: readonly string[], planted?: Planted): Run {
  const run = Run.record(scheme, parts, planted);
  cleanups.push(() => run.remove());
  return run;
}

const images = repetitions({
  test: { sqlite: 100, file: 25 },
  ci: { sqlite: 200, file: 50 },
  thorough: { sqlite: 500, file: 100 },
});

/** Cuts the power at random moments, until something is wrong; returns that, with the seed. */
async function cut(run: Run, count: number): Promise<string[]> {
  for (let seed = 1; seed <= count; seed++) {
    const random = new SeededRandom(seed);
    const moment = random.pick(run.disk.moments);
    const found = await run.check(moment, { random: () => random.next() });
    if (found.length > 0) return found.map((problem) => `seed ${seed}, cut at ${moment}: ${problem}`);
  }
  return [];
}

describe.skipIf(skipWithoutStrace())('after a power failure', () => {
  it('a sqlite registry has everything acknowledged, and works', { timeout: 900_000 }, async () => {
    // The second part writes more than the 1,000 pages after which SQLite moves its log into the database.
    const run = record('sqlite', ['10,3', '120,4,compact', '10,3', '3,0']);
    expect(run.commits).toBeGreaterThan(300);
    expect(await cut(run, images.sqlite)).toEqual([]);
  });

  it('at any moment of its creation, a registry is empty or not there', { timeout: 900_000 }, async () => {
    expect(await cutCreation(record('sqlite', ['1,0']))).toEqual([]);
  });

  it('a registry of files has everything acknowledged, and its files agree', { timeout: 900_000 }, async () => {
    const run = record('file', ['15,2', '10,2']);
    expect(await cut(run, images.file)).toEqual([]);
  });
});

/** As `cut`, at every moment up to the first acknowledgement. */
async function cutCreation(run: Run): Promise<string[]> {
  for (const moment of run.disk.moments.filter((at) => at <= (run.acknowledgements[0] ?? 0))) {
    for (const fate of ['nothing', 'some', 'torn'] as const) {
      const random = new SeededRandom(moment);
      const found = await run.check(moment, { random: () => random.next(), fate });
      if (found.length > 0) return found.map((problem) => `cut at ${moment}, ${fate} is left: ${problem}`);
    }
  }
  return [];
}

/**
 * The commit of a process that is killed before its flush is in memory of the system only, and the next process finds it
 * there. It must not return it to a reader before it is flushed.
 */
describe.skipIf(skipWithoutStrace())('a commit whose process was killed before its flush', () => {
  const commits = 3;
  const urlIn = (root: string) => `sqlite:${join(root, folder)}`;
  const writes = (root: string) => [process.execPath, workerScript('powered'), urlIn(root), `${commits},0`];
  const reads = (root: string) => [process.execPath, workerScript('opener'), urlIn(root), 'next', 'reads', '0', '1'];
  let scratch = '';
  const newDisk = () => {
    const root = mkdtempSync(join(scratch, 'root-'));
    return { root, disk: new Disk(root) };
  };

  it('survives a power failure once another process has read it', { timeout: 900_000 }, async () => {
    // The trace has real paths.
    scratch = mkdtempSync(join(realpathSync(tmpdir()), 'ecsm-power-killed-'));
    cleanups.push(() => rmSync(scratch, { recursive: true, force: true }));
    const rehearsal = newDisk();
    const calls = recordCalls(scratch, writes(rehearsal.root));
    rehearsal.disk.play(calls);
    for (let revision = 1; revision <= commits; revision++) {
      const line = JSON.stringify({ loop: 'powered/0', revision });
      const acknowledged = rehearsal.disk.printed.find((printed) => printed.line === line)?.at ?? 0;
      const killAtFsync = calls.filter(({ name, end }) => name === 'fsync' && end < acknowledged).length;

      const { root, disk } = newDisk();
      disk.play(recordCalls(scratch, writes(root), { killAtFsync }));
      disk.play(recordCalls(scratch, reads(root)));
      const read = disk.printed.at(-1);
      expect(read?.line).toBe(JSON.stringify({ read: revision }));
      const image = disk.cut((read?.at ?? 0) + 1, { random: () => 0, fate: 'nothing' });
      await withImage(scratch, image, async (place) => {
        const { store } = await openRegistry(urlIn(place), { kinds: [] });
        expect(await store.revision()).toBe(revision);
        await store.close();
      });
    }
  });
});

describe.skipIf(skipWithoutStrace())('the check of power failures finds', () => {
  const lost = expect.arrayContaining([expect.stringMatching(/lost: |was written before/)]);

  it('an acknowledgement before the flush', { timeout: 900_000 }, async () => {
    const run = record('sqlite', ['30,0']);
    for (const moment of run.acknowledgements) {
      const options = { random: () => 0, fate: 'nothing' } as const;
      expect(await run.check(moment, options)).toEqual([]);
      expect(await run.check(moment, { ...options, unsynced: /registry\.db-wal$/ })).toEqual(lost);
    }
  });

  it.each(['NORMAL', 'OFF'])('SQLite with synchronous=%s', { timeout: 900_000 }, async (by) => {
    const text = 'synchronous = FULL';
    const run = record('sqlite', ['30,2'], { file: 'sqlite/connection.js', text, by: `synchronous = ${by}` });
    expect(await cut(run, 30)).toEqual(lost);
  });

  it('a new database that is not flushed before it gets its name', { timeout: 900_000 }, async () => {
    const run = record('sqlite', ['1,0'], { file: 'sqlite/create.js', text: 'flush(draft);', by: '' });
    expect(await cutCreation(run)).not.toEqual([]);
  });

  it('a directory of files that is not flushed before the ledger says that it was', { timeout: 900_000 }, async () => {
    const text = 'for (const directory of directories)\n            syncDirectory(directory);';
    const run = record('file', ['15,2'], { file: 'file/publish.js', text, by: '' });
    expect(await cut(run, 30)).not.toEqual([]);
  });
});
