/** Goal: a process whose store cannot be written to is not ready, and says why. Method: a store that fails on demand. */
import { settled, VirtualClock, Widget } from '@ecsm/runtime/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { bare } from '../registry/registries.kit.ts';
import type { CommitOutcome, Write } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { Manager } from './manager.ts';
import { PROBE_MS_MIN, WriteHealth } from './write-health.ts';

const full = new ApiError('StorageFull', { what: 'the registry', reason: 'ENOSPC' });

class FailingStore extends MemoryStore {
  failure: Error | undefined;
  commits = 0;

  override async commit(writes: readonly Write[]): Promise<CommitOutcome> {
    this.commits++;
    if (this.failure) throw this.failure;
    return super.commit(writes);
  }
}

function bench() {
  const clock = new VirtualClock();
  const store = new FailingStore();
  const health = new WriteHealth(new EmbeddedRegistry({ store, kinds: [Widget], clock }));
  const { registry } = health;
  const write = (name: string) =>
    registry
      .resource(Widget)
      .create({ metadata: { name }, spec: { size: 1 } })
      .catch((error: unknown) => error);
  return { clock, store, health, registry, write };
}

describe('/readyz', () => {
  it('fails with the reason while the store is full, and recovers by itself', async () => {
    const { clock, store, health, registry, write } = bench();
    const life = new AbortController();
    const checks = { registry: () => health.check() };
    const manager = new Manager({ registry, clock, readyChecks: checks, health: { port: 0 } });
    const running = manager.run({ signal: life.signal });
    onTestFinished(() => {
      life.abort();
      return running;
    });
    while (manager.url === undefined) await settled();
    const ask = async () => {
      const response = await fetch(`${manager.url}/readyz`);
      return { status: response.status, text: await response.text() };
    };
    await write('a');
    expect(await ask()).toEqual({ status: 200, text: 'ok' });
    store.failure = full;
    expect(await write('b')).toBe(full);
    const answer = await ask();
    expect(answer.status).toBe(500);
    expect(answer.text).toContain(
      '[-]registry failed: the store has not been writable since 2026-01-02T03:04:05.000Z: no space left for the registry: ENOSPC\n',
    );
    store.failure = undefined;
    await clock.advance(PROBE_MS_MIN);
    expect(await ask()).toEqual({ status: 200, text: 'ok' });
  });
});

describe('the check of writes', () => {
  it.each([
    full,
    new ApiError('ReadOnly', { what: 'the registry', reason: 'EROFS' }),
    new ApiError('Unavailable', { what: 'the registry', reason: 'no quorum' }),
    new ApiError('Timeout', { what: 'the registry', timeoutMs: 1 }),
    new ApiError('Corrupt', { what: 'the registry', reason: 'bad page' }),
  ])('fails after a commit that ended with $code, until one succeeds', async (failure) => {
    const { store, health, write } = bench();
    store.failure = failure;
    await write('a');
    expect(await health.check()).toContain(failure.message);
    store.failure = undefined;
    await write('a');
    expect(await health.check()).toBeUndefined();
  });

  it('passes after a failure of the writer', async () => {
    const { store, health, write } = bench();
    store.failure = new ApiError('TooLarge', { what: 'a', sizeBytes: 2, limitBytes: 1 });
    await write('a');
    expect(await health.check()).toBeUndefined();
  });

  it('is not satisfied by a commit that only compares', async () => {
    const { store, health, registry, write } = bench();
    const { fencing } = registry.capabilities;
    const fenced = fencing?.fencedBy(await fencing.raiseFence('leader'));
    await write('a');
    store.failure = full;
    await write('b');
    store.failure = undefined;
    await fenced?.checkFence();
    expect(await write('a')).toMatchObject({ code: 'AlreadyExists' });
    expect(await health.check()).toContain('no space left');
  });

  it('writes nothing while commits succeed, and probes at most once per interval while they fail', async () => {
    const { clock, store, health, write } = bench();
    await write('a');
    const { commits } = store;
    await clock.advance(10 * PROBE_MS_MIN);
    await health.check();
    expect(store.commits).toBe(commits);
    store.failure = full;
    await write('b');
    await Promise.all(Array.from({ length: 10 }, () => health.check()));
    expect(store.commits).toBe(commits + 1);
    await clock.advance(PROBE_MS_MIN);
    await Promise.all(Array.from({ length: 10 }, () => health.check()));
    await health.check();
    expect(store.commits).toBe(commits + 2);
    expect(await health.check()).toContain('since 2026-01-02T03:04:55.000Z');
  });

  it('waits for the next write if the registry has no fencing for a probe', async () => {
    const { clock, store, registry } = bench();
    const health = new WriteHealth(bare(registry));
    const write = (name: string) => health.registry.resource(Widget).create({ metadata: { name }, spec: { size: 1 } });
    store.failure = full;
    await expect(write('a')).rejects.toBe(full);
    store.failure = undefined;
    await clock.advance(PROBE_MS_MIN);
    expect(await health.check()).toContain('no space left');
    await write('a');
    expect(await health.check()).toBeUndefined();
  });
});
