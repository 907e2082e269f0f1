import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { Lease } from './lease.ts';
import { LeaseLock } from './lease-lock.ts';

const clock = new VirtualClock();
let registry: EmbeddedRegistry;
beforeEach(() => {
  registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Lease], clock });
});
afterEach(() => registry.close());

const lockOf = (identity: string) =>
  new LeaseLock({ registry, clock, name: 'main', namespace: 'default', identity, leaseMs: 15_000 });

describe('the lock on a lease', () => {
  it('does not renew a lease that another holder has claimed and not fenced yet', async () => {
    const [first, second] = [lockOf('first'), lockOf('second')];
    await first.claim(undefined);
    const claimed = await second.claim(await second.read());
    expect(await first.renew(registry)).toBe(false);
    expect(await second.read()).toEqual(claimed);
  });

  it('renews its own lease after a label was set on it', async () => {
    const lock = lockOf('first');
    await lock.claim(undefined);
    await registry.resource(Lease).patch('main', { metadata: { labels: { seen: 'yes' } } });
    expect(await lock.renew(registry)).toBe(true);
  });

  it('does not release the lease of another holder', async () => {
    const [first, second] = [lockOf('first'), lockOf('second')];
    await first.claim(undefined);
    await second.claim(await second.read());
    await first.release();
    expect((await second.read())?.spec.holderIdentity).toBe('second');
  });
});
