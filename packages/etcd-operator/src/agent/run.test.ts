import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { AgentBench } from './agent.kit.ts';
import { type BackupResult, resultBytesMax } from './job.ts';
import { parseJob, parseResult } from './parse.ts';
import { serveProgress } from './progress.ts';
import { formatResult, writeResult } from './run.ts';

const backupResult: BackupResult = {
  ok: true,
  do: 'backup',
  manifestKey: 'm',
  key: 'k',
  sizeBytes: 1,
  storedSizeBytes: 1,
  sha256: 'a',
  storedSha256: 'a',
  revision: '1',
  keys: 1,
  hash: 'h',
  version: '3.5.16',
  createdAt: '2026-11-17T07:40:31Z',
  durationMs: 1,
  isCompared: true,
  pruned: [],
  isPrunedAll: true,
};

describe('the result of a job', () => {
  it('is appended to the termination log, and read back', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ecsm-result-'));
    const path = join(directory, 'log');
    writeFileSync(path, '');
    await writeResult(path, backupResult);
    expect(parseResult(readFileSync(path, 'utf8'))).toEqual(backupResult);
    rmSync(directory, { recursive: true });
  });

  it('always fits into a termination message, and stays JSON', () => {
    const pruned = Array.from({ length: 500 }, (_, index) => `default/main/20261117T074031Z-${index}`);
    const long = { ok: false, code: 'X', message: 'ü"'.repeat(5_000), isRetriable: true } as const;
    for (const result of [{ ...backupResult, pruned }, long]) {
      const text = formatResult(result);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(resultBytesMax);
      expect(parseResult(text)).toMatchObject({ ok: result.ok });
    }
  });

  it('names the newest of the removed backups, if not all fit', () => {
    const pruned = Array.from({ length: 500 }, (_, index) => `default/main/20261117T074031Z-${index}`);
    const shown = JSON.parse(formatResult({ ...backupResult, pruned })) as { pruned: string[] };
    expect(shown.pruned.length).toBeGreaterThan(50);
    expect(shown.pruned).toEqual(pruned.slice(-shown.pruned.length));
  });

  it.each(['', '{', '[]', '{"ok":true}', '{"ok":false}', 'Killed'])('is unknown if the pod left %j', (text) => {
    expect(parseResult(text)).toBeUndefined();
  });
});

describe('a job', () => {
  it.each([
    [undefined, 'AGENT_JOB is not set'],
    ['{', 'not a job of this release'],
    ['{"do":"dance"}', 'not a job of this release'],
    ['{"do":"commit","to":"/data","remove":[]}', 'the job has no valid marker, from'],
    ['{"do":"prune"}', 'the job has no valid destination, keys'],
  ])('%s is refused', (text, problem) => {
    expect(() => parseJob(text)).toThrow(problem);
  });

  it('that is stopped says so, and can be repeated', async () => {
    const bench = new AgentBench();
    const job = { do: 'prune', destination: bench.destination, keys: ['a'] } as const;
    const result = await bench.run(job, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ ok: false, code: 'Interrupted', isRetriable: true });
    bench.close();
  });

  it('that was done before the pod was lost is done once, also if the data was restored again', async () => {
    const bench = new AgentBench();
    const [volume, from] = [join(bench.directory, 'pvc'), join(bench.directory, 'pvc', 'restore', 'data')];
    const job = {
      do: 'commit',
      from,
      to: join(volume, 'data'),
      remove: [join(volume, 'restore')],
      marker: 'm',
    } as const;
    const restore = (content: string) => {
      mkdirSync(from, { recursive: true });
      writeFileSync(join(from, 'member'), content);
    };
    restore('first');
    // It was lost between the note and the move.
    writeFileSync(join(volume, '.etcd-operator-restore'), 'm');
    expect(await bench.run(job)).toMatchObject({ ok: true, isNew: true });
    restore('second');
    expect(await bench.run(job)).toMatchObject({ ok: true, isNew: false });
    expect(readFileSync(join(volume, 'data', 'member'), 'utf8')).toBe('first');
    expect(readdirSync(volume).sort()).toEqual(['.etcd-operator-restore', 'data']);
    restore('of another restore');
    expect(await bench.run({ ...job, marker: 'other' })).toMatchObject({ ok: false, code: 'DataExists' });
    expect(readFileSync(join(volume, 'data', 'member'), 'utf8')).toBe('first');
    bench.close();
  });

  it('removes nothing that is outside of the volume, or the data', async () => {
    const bench = new AgentBench();
    const commit = {
      do: 'commit',
      from: join(bench.directory, 'a'),
      to: join(bench.directory, 'data'),
      marker: 'm',
    } as const;
    for (const remove of [
      '/',
      '/tmp',
      bench.directory,
      join(bench.directory, 'data'),
      join(bench.directory, 'data', 'member'),
    ]) {
      expect(await bench.run({ ...commit, remove: [remove] })).toMatchObject({ ok: false, code: 'InvalidJob' });
    }
    expect(await bench.run({ ...commit, remove: [] })).toMatchObject({ ok: false, code: 'NothingRestored' });
    bench.close();
  });
});

describe('progress', () => {
  it('is served while a job runs', async () => {
    const progress = { step: 'storing', bytes: 5, totalBytes: 9 };
    const server = await serveProgress(progress, 0, silentLog, '127.0.0.1');
    const at = `http://127.0.0.1:${server?.port}`;
    expect(await (await fetch(`${at}/progress`)).json()).toEqual(progress);
    expect((await fetch(`${at}/other`)).status).toBe(404);
    expect(await serveProgress(progress, server?.port ?? 0, silentLog, '127.0.0.1')).toBeUndefined();
    server?.close();
  });
});
