/** Goal: two operators without an election notice each other, and no other process is reported. Method: one store, real time. */
import { EmbeddedRegistry, Informers, isApiError, LeaderElection, Lease, MemoryStore } from '@ecsm/runtime';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { operatorKinds } from '../apis/kinds.ts';
import { presenceName } from '../apis/well-known.ts';
import { presence } from './presence.ts';

const leaseName = 'ecsm-operator';
let store: MemoryStore;
let registry: EmbeddedRegistry;
beforeEach(() => {
  store = new MemoryStore();
  registry = new EmbeddedRegistry({ store, kinds: operatorKinds });
});

function start(identity: string, through = registry) {
  const warnings: string[] = [];
  const end = new AbortController();
  const { run } = presence({
    identity,
    leaseName,
    log: {
      write: (level, message, fields) => {
        if (level === 'warn') warnings.push(`${message} (${fields?.['other']})`);
      },
    },
  });
  const running = run({ registry: through, informers: new Informers({ registry: through }), signal: end.signal });
  const stop = async () => {
    end.abort();
    await running;
  };
  onTestFinished(stop);
  return { warnings, stop };
}

async function holder(): Promise<string | undefined> {
  try {
    return (await registry.resource(Lease).get(presenceName)).spec.holderIdentity;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

const warningOf = (other: string) =>
  `another operator uses this registry, and they act against each other: stop one, or start both with --leader-elect (${other})`;

describe('two operators without --leader-elect', () => {
  it('both warn, once, and then write nothing', async () => {
    const one = start('host_1_a');
    await expect.poll(holder).toBe('host_1_a');
    const other = start('host_2_b');
    await expect.poll(() => other.warnings).toEqual([warningOf('host_1_a')]);
    await expect.poll(() => one.warnings).toEqual([warningOf('host_2_b')]);
    await expect.poll(holder).toBe('host_2_b');
    const revision = await registry.revision();
    await registry.resource(Lease).create({
      metadata: { name: 'unrelated' },
      spec: { holderIdentity: 'x', leaseDurationSeconds: 1, leaseTransitions: 0 },
    });
    await expect.poll(() => registry.revision()).toBe(revision + 1);
    expect([one.warnings.length, other.warnings.length]).toEqual([1, 1]);
  });

  it('leave the record of the one that still runs', async () => {
    const one = start('host_1_a');
    await expect.poll(holder).toBe('host_1_a');
    const other = start('host_2_b');
    await expect.poll(() => one.warnings.length + other.warnings.length).toBe(2);
    await expect.poll(holder).toBe('host_2_b');
    await other.stop();
    await expect.poll(holder).toBe('host_1_a');
    await one.stop();
    expect(await holder()).toBeUndefined();
  });

  it('that start at the same time detect each other', async () => {
    const all = ['host_1_a', 'host_2_b', 'host_3_c'].map((identity) => start(identity));
    for (const { warnings } of all) await expect.poll(() => warnings.length).toBeGreaterThan(0);
  });
});

describe('an operator without --leader-elect', () => {
  it('does not warn about one that has ended, in any way', async () => {
    const killed = start('host_1_a', new EmbeddedRegistry({ store, kinds: operatorKinds }));
    await expect.poll(holder).toBe('host_1_a');
    await killed.stop();
    expect(await holder()).toBeUndefined();
    // As one that was killed leaves it.
    await registry.resource(Lease).create({
      metadata: { name: presenceName },
      spec: { holderIdentity: 'host_9_z', leaseDurationSeconds: 1, leaseTransitions: 0 },
    });
    const next = start('host_2_b');
    await expect.poll(holder).toBe('host_2_b');
    await next.stop();
    expect(next.warnings).toEqual([]);
  });

  it('warns about an elected leader, and not about a lease that is not renewed', async () => {
    const election = new LeaderElection({
      registry,
      name: leaseName,
      identity: 'host_1_a',
      leaseMs: 1_000,
      renewDeadlineMs: 500,
      retryMs: 20,
    });
    await registry.resource(Lease).create({
      metadata: { name: leaseName },
      spec: { holderIdentity: 'host_9_z', leaseDurationSeconds: 0.001, leaseTransitions: 0 },
    });
    const { warnings } = start('host_2_b');
    await expect.poll(holder).toBe('host_2_b');
    expect(warnings).toEqual([]);
    const end = new AbortController();
    const running = election.run({
      signal: end.signal,
      lead: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    });
    onTestFinished(async () => {
      end.abort();
      await running;
    });
    await expect.poll(() => warnings).toEqual([warningOf('host_1_a')]);
  });
});
