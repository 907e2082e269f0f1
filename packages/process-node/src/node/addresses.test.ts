import type { Random } from '@ecsm/runtime';
import { systemRandom } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { Addresses } from './addresses.ts';

/** Returns the given numbers first. */
function scripted(...numbers: number[]): Random {
  return { next: () => numbers.shift() ?? systemRandom.next(), uuid: () => systemRandom.uuid() };
}

describe('addresses', () => {
  it('of two nodes are in different blocks, even if both choose the same one first', async () => {
    const [left, right] = [systemRandom.next(), systemRandom.next()];
    const first = await Addresses.claim(scripted(left, right));
    const second = await Addresses.claim(scripted(left, right));
    expect(second.node).not.toBe(first.node);
    await first.close();
    await second.close();
  });

  it('are used again after their release, and only then', async () => {
    const addresses = await Addresses.claim(systemRandom);
    const all = Array.from({ length: 253 }, () => addresses.take());
    expect(new Set(all).size).toBe(253);
    expect(() => addresses.take()).toThrow('all addresses are in use');
    addresses.release(all[7] ?? '');
    expect(addresses.take()).toBe(all[7]);
    await addresses.close();
  });
});
