import { describe, expect, it } from 'vitest';
import type { EtcdCluster, EtcdClusterStatus } from '../apis/etcd-cluster.ts';
import { createCluster } from '../resource/cluster.kit.ts';
import { settings } from '../service/pass-settings.kit.ts';
import {
  ClusterLifecycleController,
  HealthController,
  RecoveryController,
  responsibleFor,
  ScalingController,
} from './cluster-triggers.ts';

const formed: EtcdClusterStatus = { clusterID: 'c1', observedGeneration: 1, phase: 'Running' };

async function responsible(
  status: EtcdClusterStatus | undefined,
  metadata: Partial<EtcdCluster['metadata']> = {},
  size = 3,
) {
  const cluster = await createCluster({ size });
  return responsibleFor({ ...cluster, metadata: { ...cluster.metadata, ...metadata }, ...(status ? { status } : {}) });
}

describe('the controller that is responsible for a cluster is', () => {
  it.each<[string, EtcdClusterStatus | undefined]>([
    ['cluster-lifecycle', undefined],
    ['cluster-lifecycle', { observedGeneration: 1, operation: { type: 'Bootstrap' } }],
    ['cluster-lifecycle', { ...formed, observedGeneration: 0 }],
    ['health', formed],
    ['scaling', { ...formed, operation: { type: 'AddMember' } }],
    ['scaling', { ...formed, operation: { type: 'Restart' } }],
    ['scaling', { ...formed, operation: { type: 'Upgrade' } }],
    ['recovery', { ...formed, operation: { type: 'ReplaceMember' } }],
    ['recovery', { ...formed, quorumLostAt: '2026-01-01T00:00:00Z' }],
    ['recovery', { ...formed, space: {} }],
    ['recovery', { ...formed, recovery: { survivor: 0, phase: 'Stopping' } }],
    ['scaling', { ...formed, stoppedSize: 3 }],
  ])('%s: %j', async (expected, status) => {
    expect(await responsible(status)).toBe(expected);
  });

  it('cluster-lifecycle while it is deleted, whatever else happens', async () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(await responsible({ ...formed, operation: { type: 'ReplaceMember' } }, metadata)).toBe('cluster-lifecycle');
  });

  it('health when it is stopped, and scaling until then', async () => {
    expect(await responsible({ ...formed, stoppedSize: 3, phase: 'Stopped' }, {}, 0)).toBe('health');
    expect(await responsible({ ...formed, stoppedSize: 3, phase: 'Scaling' }, {}, 0)).toBe('scaling');
  });
});

describe('the interval between passes', () => {
  /** The settings of the tests: 1 s while busy, 30 s at rest. */
  const triggers = [ClusterLifecycleController, ScalingController, RecoveryController, HealthController];
  const progressing = (status: 'True' | 'False') => [
    {
      type: 'Progressing',
      status,
      reason: 'Scaling',
      message: '',
      lastTransitionTime: '1970-01-01T00:00:00Z',
    } as const,
  ];
  const busy: EtcdClusterStatus = { ...formed, conditions: [...progressing('True')] };
  const operation = {
    type: 'AddMember',
    startedAt: '1970-01-01T00:00:00Z',
    message: 'promote: it is in sync',
  } as const;

  async function intervals(status: EtcdClusterStatus | undefined, nowMs = 0, size = 3) {
    const cluster = await createCluster({ size });
    const object = { ...cluster, ...(status ? { status } : {}) };
    return Object.fromEntries(
      triggers.flatMap((create) => {
        const { name, every } = create(settings, () => {});
        const ms = every?.(object, nowMs);
        return ms === undefined ? [] : [[name, ms]];
      }),
    );
  }

  it('grows with the time that an operation takes, up to that at rest', async () => {
    expect(await intervals({ ...busy, operation }, 100)).toEqual({ scaling: 1_000 });
    expect(await intervals({ ...busy, operation }, 40_000)).toEqual({ scaling: 2_000 });
    expect(await intervals({ ...busy, operation }, 3_600_000)).toEqual({ scaling: 30_000 });
    const recovery = { survivor: 0, phase: 'Stopping', startedAt: '1970-01-01T00:00:00Z' } as const;
    expect(await intervals({ ...busy, recovery }, 40_000)).toEqual({ recovery: 2_000 });
  });

  it('is the shortest if the operation was started by a clock that is ahead', async () => {
    const later = { ...operation, startedAt: '1970-01-01T00:00:05Z' };
    expect(await intervals({ ...busy, operation: later }, 0)).toEqual({ scaling: 1_000 });
  });

  it('is longer if it is not known how long something takes, and if nothing is in progress', async () => {
    expect(await intervals({ ...busy, stoppedSize: 3 })).toEqual({ scaling: 4_000 });
    expect(await intervals(busy)).toEqual({ health: 20_000 });
    expect(await intervals({ conditions: [...progressing('True')] })).toEqual({ 'cluster-lifecycle': 20_000 });
  });

  it('is the longest at rest, and for what is blocked until a person acts', async () => {
    expect(await intervals(formed)).toEqual({ health: 30_000 });
    expect(await intervals({ ...formed, conditions: [...progressing('False')] })).toEqual({ health: 30_000 });
    const { message: _, ...blocked } = operation;
    expect(await intervals({ ...busy, operation: blocked }, 100)).toEqual({ scaling: 30_000 });
  });
});

describe('a change of an object of a cluster', () => {
  it('is mapped to the cluster by its name, which is told that it has changed', () => {
    const told: string[] = [];
    const { watches = [] } = ClusterLifecycleController(settings, ({ name }) => told.push(name));
    const mapped = (kind: string, name: string) =>
      watches.find((watch) => watch.kind.kind === kind)?.mapName?.({ namespace: 'a', name });
    expect(mapped('Secret', 'main-ca')).toEqual([{ namespace: 'a', name: 'main' }]);
    expect(mapped('Service', 'main-client')).toEqual([{ namespace: 'a', name: 'main' }]);
    expect(mapped('Secret', '-ca')).toEqual([]);
    expect(mapped('Secret', 'other')).toEqual([]);
    expect(told).toEqual(['main', 'main']);
  });
});
