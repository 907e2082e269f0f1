import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
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
    clock.step(5_000);
    const before = (await lock.read())?.spec.renewTime ?? '';
    expect(await lock.renew(registry)).toBe(true);
    expect((await lock.read())?.spec.renewTime?.localeCompare(before)).toBe(1);
  });

  it('renews its own lease without a read, which would double the calls of a leader', async () => {
    const lock = lockOf('first');
    await lock.claim(undefined);
    const get = registry.store.get.bind(registry.store);
    let reads = 0;
    registry.store.get = (...args) => {
      reads++;
      return get(...args);
    };
    const counted = async () => {
      reads = 0;
      expect(await lock.renew(registry)).toBe(true);
      return reads;
    };
    const ofRenewal = await counted();
    await registry.resource(Lease).patch('main', { metadata: { labels: { seen: 'yes' } } });
    expect(await counted()).toBeGreaterThan(ofRenewal);
    expect(await counted()).toBe(ofRenewal);
  });

  it('does not release the lease of another holder', async () => {
    const [first, second] = [lockOf('first'), lockOf('second')];
    await first.claim(undefined);
    await second.claim(await second.read());
    await first.release();
    expect((await second.read())?.spec.holderIdentity).toBe('second');
  });

  it('is not claimed by a candidate that another one outran, whether the lease existed or not', async () => {
    const [first, second] = [lockOf('first'), lockOf('second')];
    expect((await first.claim(undefined))?.spec.holderIdentity).toBe('first');
    expect(await second.claim(undefined)).toBeUndefined();
    const found = await second.read();
    await first.release();
    expect(await second.claim(found)).toBeUndefined();
    expect((await second.read())?.spec.holderIdentity).toBe('');
  });

  it('is not held if a write fails for another reason', async () => {
    const lock = lockOf('first');
    await lock.claim(undefined);
    const failing = new EmbeddedRegistry({
      store: new Proxy(registry.store, {
        get: (store, name) =>
          name === 'commit'
            ? async () => {
                throw new ApiError('Unavailable', { what: 'store', reason: 'down' });
              }
            : Reflect.get(store, name).bind(store),
      }),
      kinds: [Lease],
      clock,
    });
    await expect(lock.renew(failing)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(await lock.renew(registry)).toBe(true);
  });

  it('is still on the lease if its release fails, which is an error', async () => {
    const lock = lockOf('first');
    await lock.claim(undefined);
    const commit = registry.store.commit.bind(registry.store);
    registry.store.commit = async () => {
      throw new ApiError('Unavailable', { what: 'store', reason: 'down' });
    };
    await expect(lock.release()).rejects.toMatchObject({ code: 'Unavailable' });
    registry.store.commit = commit;
    expect((await lock.read())?.spec.holderIdentity).toBe('first');
    await lock.release();
    expect((await lock.read())?.spec.holderIdentity).toBe('');
  });

  it('is lost if the fence is raised between the two attempts of a renewal', async () => {
    const lock = lockOf('first');
    await lock.claim(undefined);
    const fenced = registry.fencedBy(await registry.raiseFence('main'));
    await registry.resource(Lease).patch('main', { metadata: { labels: { seen: 'yes' } } });
    const get = registry.store.get.bind(registry.store);
    registry.store.get = async (...args) => {
      registry.store.get = get;
      const found = await get(...args);
      await registry.raiseFence('main');
      return found;
    };
    expect(await lock.renew(fenced)).toBe(false);
  });
});
