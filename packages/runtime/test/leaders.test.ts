/** Goal: of several real processes one leads; when it dies or is stopped another takes over, and the first is fenced. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isApiError, openRegistry, type Store } from '@ecsm/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { skipWithoutEtcd, startEtcd } from '../src/store/etcd/etcd.kit.ts';
import { Worker } from './process.kit.ts';
import type { Said } from './worker/candidate.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Short, so that the test is; long enough for a busy machine to renew in time. */
const leaseMs = 3_000;

async function candidate(url: string, identity: string): Promise<Worker<Said>> {
  const worker = new Worker<Said>('candidate', [url, identity, String(leaseMs)]);
  cleanups.push(() => worker.kill());
  await worker.ready();
  return worker;
}

const count = (worker: Worker<Said>, says: Said['says']) => worker.lines.filter((line) => line.says === says).length;
const eventually = (look: () => unknown) => expect.poll(look, { interval: 20 });

/** Who wrote, in the order of the store's log. */
async function writers(store: Store): Promise<string[]> {
  const found: string[] = [];
  const through = await store.revision();
  for await (const { revision, changes } of store.watch('', { after: 0 })) {
    for (const change of changes) {
      if (change.type !== 'put' || !change.key.includes('/tallies/')) continue;
      found.push(JSON.parse(new TextDecoder().decode(change.value)).spec.by);
    }
    if (revision >= through) break;
  }
  return found;
}

/**
 * Stops a process that writes, but not in the middle of a write: there it would hold the write lock, and no other could
 * take over until it is woken or dies. See the test of that below.
 */
async function putToSleep(worker: Worker<Said>, url: string): Promise<void> {
  const registry = await openRegistry(url, { kinds: [], tuning: { lockTimeoutMs: 300 } });
  for (;;) {
    process.kill(worker.pid, 'SIGSTOP');
    try {
      await registry.store.commit([{ type: 'put', key: 'probe', value: new Uint8Array([49]) }]);
      break;
    } catch (error) {
      if (!isApiError(error, 'Unavailable')) throw error;
    }
    process.kill(worker.pid, 'SIGCONT');
    await sleep(Math.random() * 20);
  }
  await registry.close();
}

async function takesOver(url: string): Promise<void> {
  const one = await candidate(url, 'one');
  await eventually(() => count(one, 'wrote')).toBeGreaterThan(3);
  const two = await candidate(url, 'two');
  // The first one is stopped without releasing its lease; it still acts as the leader when it continues.
  await putToSleep(one, url);
  await eventually(() => count(two, 'wrote')).toBeGreaterThan(3);
  expect(count(two, 'leads')).toBe(1);
  process.kill(one.pid, 'SIGCONT');
  await eventually(() => count(one, 'stops')).toBe(1);
  // It did try, after the other had taken over, and every one of those writes was refused.
  expect(one.lines.filter((line) => line.says === 'refused').map((line) => line.code)).toContain('Fenced');
  const third = await candidate(url, 'three');
  await two.kill('SIGKILL');
  await eventually(() => count(one, 'leads') + count(third, 'leads')).toBe(2);
  const next = count(third, 'leads') === 1 ? third : one;
  const before = count(next, 'wrote');
  await eventually(() => count(next, 'wrote')).toBeGreaterThan(before + 3);
  await next.kill('SIGTERM');

  const { store, close } = await opened(url);
  // Each leader's writes are contiguous in the log: no former leader wrote before leading again.
  const order = (await writers(store)).filter((by, index, all) => by !== all[index - 1]);
  expect(order.slice(0, 2)).toEqual(['one', 'two']);
  expect(['one', 'three']).toContain(order[2]);
  expect(order.filter((by) => by === 'two')).toHaveLength(1);
  await close();
}

async function opened(url: string): Promise<{ store: Store; close: () => Promise<void> }> {
  const registry = await openRegistry(url, { kinds: [] });
  return { store: registry.store, close: () => registry.close() };
}

describe('when a leader is stopped, and when it dies', () => {
  it('another takes over within the lease on sqlite', { timeout: 120_000 }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ecsm-leaders-'));
    cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
    await takesOver(`sqlite:${directory}`);
  });

  it.skipIf(skipWithoutEtcd())('another takes over within the lease on etcd', { timeout: 120_000 }, async () => {
    const server = await startEtcd();
    cleanups.push(() => server.stop());
    await takesOver(`etcd://${server.endpoint}/leaders`);
  });
});

describe('while a process is stuck in the middle of a write', () => {
  it('no candidate can write, and after its death a candidate leads and writes again', {
    timeout: 240_000,
  }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ecsm-leaders-'));
    cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
    const url = `sqlite:${directory}`;
    const candidates = [await candidate(url, 'one'), await candidate(url, 'two')];
    const wrote = () => candidates.reduce((sum, worker) => sum + count(worker, 'wrote'), 0);
    await eventually(wrote).toBeGreaterThan(3);
    const holder = new Worker('holder', [directory]);
    cleanups.push(() => holder.kill());
    await holder.ready();
    const { store, close } = await opened(url);
    cleanups.push(close);
    const before = await store.revision();
    const refused = () => candidates.flatMap(({ lines }) => lines.filter(({ says }) => says === 'refused'));
    await eventually(() => refused().map(({ code }) => code)).toContain('Unavailable');
    expect(await store.revision()).toBe(before);
    const sofar = wrote();
    await holder.kill('SIGKILL');
    await eventually(wrote).toBeGreaterThan(sofar + 3);
    expect(candidates.map(({ errors }) => errors)).toEqual(['', '']);
  });
});
