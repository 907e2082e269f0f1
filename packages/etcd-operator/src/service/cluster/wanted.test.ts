import { expect, it } from 'vitest';
import type { EtcdClusterInput } from '../../apis/etcd-cluster.ts';
import { createCluster } from '../../resource/cluster.kit.ts';
import { wantedOf } from './wanted.ts';

const wanted = async (spec: EtcdClusterInput['spec'], annotations = {}) =>
  wantedOf(await createCluster(spec, { metadata: { annotations } }));

it('is what the spec says, in numbers', async () => {
  const spec = {
    size: 5,
    version: 'v3.5.21',
    paused: true,
    storage: { size: '8Gi', retentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Delete' } },
    etcd: { quotaBackendBytes: '1000' },
    defragmentation: { freeSpaceAbove: '1Ki', quotaUsageAbove: 60, minReclaim: 512 },
    upgrade: { allowUnknownVersion: true },
  } as const;
  expect(await wanted(spec)).toEqual({
    size: 5,
    version: '3.5.21',
    isPaused: true,
    isDeleting: false,
    whenScaled: 'Retain',
    whenDeleted: 'Delete',
    quotaBytes: 1_000,
    storageBytes: 8 * 1024 ** 3,
    allowsUnknownVersion: true,
    defragmentation: { freeBytesMin: 1024, usedBytesMin: 600, reclaimBytesMin: 512 },
  });
});

it('has no defragmentation if it is not enabled', async () => {
  expect((await wanted({ defragmentation: { enabled: false } })).defragmentation).toBeUndefined();
});

it('has the permission to recover from one member', async () => {
  const annotations = { 'etcd.ecsm.sh/recover-quorum-from': 'main-1' };
  expect((await wanted({}, annotations)).recoverFrom).toBe('main-1');
});
