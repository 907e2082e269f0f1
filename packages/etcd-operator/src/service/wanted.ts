/** What a spec asks for, as far as decisions depend on it. */
import { parseQuantity } from '@ecsm/kubernetes';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { annotations } from '../apis/well-known.ts';
import { quotaOf } from '../resource/config-map.ts';
import type { Wanted } from './model.ts';

export function wantedOf(cluster: EtcdCluster): Wanted {
  const { spec, metadata } = cluster;
  const { retentionPolicy } = spec.storage;
  const { enabled, freeSpaceAbove } = spec.defragmentation;
  const recoverFrom = metadata.annotations?.[annotations.recoverQuorumFrom];
  return {
    size: spec.size,
    version: spec.version.replace(/^v/u, ''),
    isPaused: spec.paused,
    isDeleting: metadata.deletionTimestamp !== undefined,
    whenScaled: retentionPolicy.whenScaled,
    whenDeleted: retentionPolicy.whenDeleted,
    quotaBytes: quotaOf(cluster),
    defragmentation: enabled ? { freeBytesMin: parseQuantity(freeSpaceAbove) ?? 0 } : undefined,
    ...(recoverFrom === undefined ? {} : { recoverFrom }),
  };
}
