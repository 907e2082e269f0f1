import { describe, expect, it } from 'vitest';
import { ToyCluster } from '../toy-cluster.kit.ts';

function running(): ToyCluster {
  const cluster = new ToyCluster();
  cluster.run();
  return cluster;
}

describe('volumes', () => {
  it('are enlarged one by one when the size of the spec grew, and are then left alone', () => {
    const cluster = running();
    cluster.wanted = { ...cluster.wanted, storageBytes: 2_000 };
    expect(cluster.run()).toEqual(['enlargeVolume 0', 'enlargeVolume 1', 'enlargeVolume 2']);
    expect(cluster.run()).toEqual([]);
  });

  it('of later members are enlarged too: the template of their claims has the former size', () => {
    const cluster = running();
    cluster.wanted = { ...cluster.wanted, storageBytes: 2_000 };
    cluster.run();
    cluster.wanted = { ...cluster.wanted, size: 5 };
    expect(cluster.run().filter((line) => line.startsWith('enlarge'))).toEqual(['enlargeVolume 3', 'enlargeVolume 4']);
  });

  it('are enlarged without a quorum, which a full disk may have cost', () => {
    const cluster = running();
    cluster.unreachable.add(1).add(2);
    cluster.wanted = { ...cluster.wanted, storageBytes: 2_000 };
    expect(cluster.run()).toEqual(['enlargeVolume 0', 'enlargeVolume 1', 'enlargeVolume 2']);
  });

  it('are enlarged only while they are bound, ours and not being deleted', () => {
    const cluster = running();
    cluster.wanted = { ...cluster.wanted, storageBytes: 2_000 };
    const facts = cluster.facts();
    const changes = [{ phase: 'Pending' }, { isDeleting: true }, { phase: 'Lost' }] as const;
    const slots = facts.slots.map((slot) => ({
      ...slot,
      volume: slot.volume && { ...slot.volume, ...changes[slot.index] },
    }));
    cluster.facts = () => ({ ...facts, slots });
    expect(cluster.step()).toBeUndefined();
    cluster.facts = () => facts;
    expect(cluster.step()).toBe('enlargeVolume 0');
  });

  it('are reported if their driver fails to enlarge them', () => {
    const cluster = running();
    const facts = cluster.facts();
    const slots = facts.slots.map((slot) => ({
      ...slot,
      volume: slot.volume && { ...slot.volume, ...(slot.index === 1 ? { resizeError: 'no space in the pool' } : {}) },
    }));
    cluster.facts = () => ({ ...facts, slots });
    cluster.run();
    expect(cluster.last?.problem).toEqual({
      reason: 'StorageResizeBlocked',
      message: 'volumes that could not be enlarged: data-main-1 (no space in the pool)',
    });
  });

  it('are reported if Kubernetes refuses to enlarge them, and everything else goes on', () => {
    const cluster = running();
    cluster.wanted = { ...cluster.wanted, storageBytes: 2_000, size: 1 };
    cluster.resizeRefused = 'the class does not allow it';
    expect(cluster.run()).toContain('removeMember 2');
    expect(cluster.last?.problem).toEqual({
      reason: 'StorageResizeBlocked',
      message: 'volumes that are too small: data-main-0; the class does not allow it',
    });
  });
});
