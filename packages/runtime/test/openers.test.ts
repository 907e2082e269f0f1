/**
 * Goal: opening and closing a registry never harms a process that writes it at the same time.
 * Method: one process commits one at a time, while others open and close the registry the whole time, some of them with
 * the system calls of opening delayed, so that a commit comes between any two of them. Every acknowledged revision has
 * to be unique and in the log, with what was written, and no reader may see the revision go back.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRegistry } from '@ecsm/runtime';
import { repetitions } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { Account, readLog, readObjects, replay } from './account.kit.ts';
import { Worker } from './process.kit.ts';
import { skipWithoutStrace, strace } from './strace.kit.ts';
import type { Opened } from './worker/opener.ts';
import type { Said } from './worker/writer.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** As a daemon, so that the process that is started is the program and not strace. */
function delayed(folder: string, delayUs: number): string[] {
  const files = ['registry.db', 'registry.db-wal', 'registry.db-shm'].flatMap((name) => ['-P', join(folder, name)]);
  const calls = 'fcntl,pread64,mmap';
  const inject = `inject=${calls}:delay_exit=${delayUs}`;
  return strace('-D', '-f', '-o', '/dev/null', ...files, '-e', `trace=${calls}`, '-e', inject);
}

async function staysSound(scheme: 'sqlite' | 'file', commits: number, delaysUs: readonly number[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), `ecsm-openers-${scheme}-`));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const url = `${scheme}:${directory}`;
  const folder = scheme === 'file' ? join(directory, '.registry') : directory;
  const openers = delaysUs.map((delayUs, index) => {
    const args = [url, `opener${index}`, index % 2 === 0 ? 'reads' : 'writes'];
    return new Worker<Opened>('opener', args, delayUs === 0 ? [] : delayed(folder, delayUs));
  });
  const { store } = await openRegistry(url, { kinds: [] });
  cleanups.push(() => store.close());
  for (const opener of openers) cleanups.push(() => opener.kill());
  for (const opener of openers) await expect.poll(() => opener.lines.length).toBeGreaterThan(2);

  const writer = new Worker<Said>('writer', [url, 'writer', String(commits), '1']);
  cleanups.push(() => writer.kill());
  let isWriting = true;
  const finished = writer.finished().finally(() => {
    isWriting = false;
  });
  let last = 0;
  while (isWriting) {
    const line = writer.lines.at(-1);
    const acknowledged = line && 'revision' in line ? line.revision : 0;
    const revision = await store.revision();
    expect(revision).toBeGreaterThanOrEqual(Math.max(last, acknowledged));
    last = revision;
    await sleep(1);
  }
  expect([await finished, writer.errors]).toEqual([0, '']);
  for (const opener of openers) {
    expect([opener.isRunning, opener.errors]).toEqual([true, '']);
    await opener.kill();
  }

  const account = new Account();
  for (const { lines } of [writer, ...openers]) account.add(lines);
  const log = await readLog(store, 0, await store.revision());
  expect(account.compare(log)).toEqual([]);
  expect(account.acknowledged).toBeGreaterThanOrEqual(commits);
  expect(await readObjects(store)).toEqual(replay(log));
}

const commits = repetitions({
  test: { sqlite: 350, delayed: 500, file: 50 },
  ci: { sqlite: 700, delayed: 1_000, file: 100 },
  thorough: { sqlite: 2_000, delayed: 3_000, file: 150 },
});

describe('processes that open and close a registry beside a writer', () => {
  it('lose none of its commits on sqlite', { timeout: 900_000 }, () => staysSound('sqlite', commits.sqlite, [0, 0, 0]));
  it('lose none of its commits on files', { timeout: 900_000 }, () => staysSound('file', commits.file, [0, 0]));

  describe.skipIf(skipWithoutStrace())('with delays between the steps of opening', () => {
    it('lose none of its commits on sqlite', { timeout: 900_000 }, () =>
      staysSound('sqlite', commits.delayed, [1_000, 1_000, 1_000, 5_000]),
    );
    it('lose none of its commits on files', { timeout: 900_000 }, () =>
      staysSound('file', commits.file, [1_000, 1_000]),
    );
  });
});

describe.skipIf(skipWithoutStrace())('a disk that refuses one read', () => {
  /** Which read of the database is refused. Opening, reading and one commit have about 20. */
  const refused = [1, 2, 4, 7, 11, 16];

  it('does not make a process take the registry for damaged', { timeout: 900_000 }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ecsm-openers-refused-'));
    cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
    const url = `sqlite:${directory}`;
    const { store } = await openRegistry(url, { kinds: [] });
    await store.commit([{ type: 'put', key: 'example.io/v1/things/a/b', value: Buffer.from('{}') }]);
    await store.close();
    for (const turn of refused) {
      const database = ['-P', join(directory, 'registry.db')];
      const inject = `inject=pread64:error=EIO:when=${turn}`;
      const wrapper = strace('-D', '-f', '-o', '/dev/null', ...database, '-e', 'trace=pread64', '-e', inject);
      const opener = new Worker<Opened>('opener', [url, `opener${turn}`, 'writes', '0', '1'], wrapper);
      cleanups.push(() => opener.kill());
      expect([turn, await opener.finished(), opener.errors]).toEqual([turn, 0, '']);
    }
  });
});
