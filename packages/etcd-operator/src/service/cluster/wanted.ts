/** What a spec asks for, as far as decisions depend on it. */
import { bytesOf } from '../../apis/bytes.ts';
import type { EtcdCluster } from '../../apis/etcd-cluster.ts';
import { annotations } from '../../apis/well-known.ts';
import { quotaOf } from '../../resource/config-map.ts';
import type { Defragmentation, Wanted } from '../model.ts';

export function wantedOf(cluster: EtcdCluster): Wanted {
  const { spec, metadata } = cluster;
  const { retentionPolicy } = spec.storage;
  const recoverFrom = metadata.annotations?.[annotations.recoverQuorumFrom];
  return {
    size: spec.size,
    version: spec.version.replace(/^v/u, ''),
    isPaused: spec.paused,
    isDeleting: metadata.deletionTimestamp !== undefined,
    whenScaled: retentionPolicy.whenScaled,
    whenDeleted: retentionPolicy.whenDeleted,
    quotaBytes: quotaOf(cluster),
    storageBytes: bytesOf(spec.storage.size),
    allowsUnknownVersion: spec.upgrade.allowUnknownVersion,
    defragmentation: defragmentationOf(cluster),
    ...(recoverFrom === undefined ? {} : { recoverFrom }),
  };
}

function defragmentationOf(cluster: EtcdCluster): Defragmentation | undefined {
  const { enabled, freeSpaceAbove, quotaUsageAbove, minReclaim } = cluster.spec.defragmentation;
  if (!enabled) return undefined;
  return {
    freeBytesMin: bytesOf(freeSpaceAbove),
    usedBytesMin: (quotaOf(cluster) * quotaUsageAbove) / 100,
    reclaimBytesMin: bytesOf(minReclaim),
  };
}
