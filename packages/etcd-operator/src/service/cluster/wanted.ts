/** What a spec asks for, as far as decisions depend on it. */
import { bytesOf } from '../../apis/bytes.ts';
import type { EtcdCluster } from '../../apis/etcd-cluster.ts';
import type { EtcdRestore } from '../../apis/etcd-restore.ts';
import { annotations } from '../../apis/well-known.ts';
import { quotaOf } from '../../resource/config-map.ts';
import type { Defragmentation, Wanted } from '../model.ts';

/** `restore` is the object that the annotation names. */
export function wantedOf(cluster: EtcdCluster, restore?: EtcdRestore): Wanted {
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
    ...restoreOf(cluster, restore),
  };
}

function restoreOf({ metadata }: EtcdCluster, restore: EtcdRestore | undefined): Pick<Wanted, 'restore'> {
  const name = metadata.annotations?.[annotations.restore];
  if (name === undefined) return {};
  // One that fills another cluster has nothing to say here.
  if (restore === undefined || restore.spec.clusterName !== metadata.name) return { restore: { name } };
  const { step, volumeUID, etcdRevision } = restore.status ?? {};
  return {
    restore: {
      name,
      uid: restore.metadata.uid,
      ...(step === undefined ? {} : { step }),
      ...(volumeUID === undefined ? {} : { volumeUid: volumeUID }),
      ...(etcdRevision === undefined
        ? {}
        : { revision: String(BigInt(etcdRevision) + BigInt(restore.spec.revisionBump)) }),
    },
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
