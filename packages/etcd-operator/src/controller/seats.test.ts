import { describe, expect, it } from 'vitest';
import type { EtcdCluster, EtcdClusterStatus } from '../apis/etcd-cluster.ts';
import { createCluster } from '../resource/cluster.kit.ts';
import { seatOf } from './seats.ts';

const formed: EtcdClusterStatus = { clusterID: 'c1', observedGeneration: 1, phase: 'Running' };

async function seat(status: EtcdClusterStatus | undefined, metadata: Partial<EtcdCluster['metadata']> = {}, size = 3) {
  const cluster = await createCluster({ size });
  return seatOf({ ...cluster, metadata: { ...cluster.metadata, ...metadata }, ...(status ? { status } : {}) });
}

describe('a cluster is driven by', () => {
  it.each<[string, EtcdClusterStatus | undefined]>([
    ['lifecycle', undefined],
    ['lifecycle', { observedGeneration: 1, operation: { type: 'Bootstrap' } }],
    ['lifecycle', { ...formed, observedGeneration: 0 }],
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
    expect(await seat(status)).toBe(expected);
  });

  it('lifecycle while it is deleted, whatever else happens', async () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(await seat({ ...formed, operation: { type: 'ReplaceMember' } }, metadata)).toBe('lifecycle');
  });

  it('health when it is stopped, and scaling until then', async () => {
    expect(await seat({ ...formed, stoppedSize: 3, phase: 'Stopped' }, {}, 0)).toBe('health');
    expect(await seat({ ...formed, stoppedSize: 3, phase: 'Scaling' }, {}, 0)).toBe('scaling');
  });
});
