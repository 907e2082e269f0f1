/** What a restore depends on, read back from objects, and the objects that it creates. */
import type { PersistentVolumeClaim } from '@ecsm/kubernetes';
import { findCondition } from '@ecsm/runtime';
import type { FetchJob } from '../agent/job.ts';
import type { EtcdBackup, EtcdBackupSpec, EtcdBackupStatus } from '../apis/etcd-backup.ts';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import type { EtcdRestore } from '../apis/etcd-restore.ts';
import { VERSION_DEFAULT } from '../apis/version.ts';
import { agentPaths, annotations, labels, labelsOf, names, OPERATOR_NAME, paths } from '../apis/well-known.ts';
import { peerURL, restoredToken, tlsOf } from './cluster.ts';
import { claimSpecOf } from './stateful-set.ts';
import { destinationOf, jobPod, preparePod, type WorkerOptions } from './worker-pods.ts';

/** What is restored. */
export type Source =
  | {
      readonly is: 'found';
      readonly place: Pick<EtcdBackupSpec, 'storageType' | 's3' | 'volume'>;
      readonly encryption: EtcdBackupSpec['encryption'];
      /** Key of the manifest, or of a bare snapshot. */
      readonly key: string;
      readonly recorded: EtcdBackupStatus | undefined;
    }
  | { readonly is: 'missing' | 'unfinished' | 'unusable'; readonly message: string };

export interface RestoredCluster {
  readonly uid: string;
  /** Whether its annotation names this restore. */
  readonly isAsked: boolean;
  /** Name of another restore, which its annotation names. */
  readonly other: string | undefined;
  readonly isDeleting: boolean;
  readonly isPaused: boolean;
  readonly isStopped: boolean;
  readonly hasQuorum: boolean;
  /** Undefined if it is as its spec says. */
  readonly unsettled: string | undefined;
  readonly isDenied: boolean;
  /** Without `v`. */
  readonly version: string;
  /** What it has written about this restore. */
  readonly restore:
    | { readonly phase: string; readonly slot: number; readonly revision?: string; readonly keys?: number }
    | undefined;
  /** Whether it has written about any restore. */
  readonly isRestoring: boolean;
  /** Whether it runs with the data of this restore. */
  readonly isRestored: boolean;
  /** Claims of the members that this restore has stopped, until its data is confirmed. */
  readonly former: readonly string[];
  readonly parked: readonly { readonly claim: string; readonly uid: string }[];
}

export interface ClaimFacts {
  readonly name: string;
  readonly uid: string;
  readonly isOurs: boolean;
  readonly isDeleting: boolean;
}

/** `backup`: the one that the spec names, if it exists. */
export function sourceOf({ spec }: EtcdRestore, backup: EtcdBackup | undefined): Source {
  if (spec.location) {
    const { key, ...place } = spec.location;
    return { is: 'found', place, encryption: spec.encryption, key, recorded: undefined };
  }
  const { backupName = '' } = spec;
  if (backup === undefined) return { is: 'missing', message: `there is no EtcdBackup ${backupName} in this namespace` };
  const { status } = backup;
  if (backup.spec.schedule !== undefined) {
    const last = status?.lastBackup === undefined ? '' : `, such as ${status.lastBackup}`;
    return { is: 'unusable', message: `${backupName} is a schedule: name one of its runs${last}` };
  }
  if (status?.phase === 'Completed' && status.manifestPath !== undefined) {
    const encryption = spec.encryption ?? backup.spec.encryption;
    return { is: 'found', place: backup.spec, encryption, key: status.manifestPath, recorded: status };
  }
  if (status?.phase === 'Failed' || status?.phase === 'Skipped') {
    return { is: 'unusable', message: `${backupName} is ${status.phase}: ${status.message ?? ''}` };
  }
  return { is: 'unfinished', message: `waiting until ${backupName} is complete` };
}

/** `unsettled`: why the cluster is not as its spec says. */
export function restoredCluster(
  restore: EtcdRestore,
  cluster: EtcdCluster,
  unsettled: string | undefined,
): RestoredCluster {
  const { metadata, spec, status } = cluster;
  const { uid, name } = restore.metadata;
  const asked = metadata.annotations?.[annotations.restore];
  const own = status?.restore?.uid === uid ? status.restore : undefined;
  return {
    uid: metadata.uid,
    isAsked: asked === name,
    other: asked === undefined || asked === name ? undefined : asked,
    isDeleting: metadata.deletionTimestamp !== undefined,
    isPaused: spec.paused,
    isStopped: spec.size === 0,
    hasQuorum: findCondition(status?.conditions, 'Available')?.status === 'True',
    unsettled,
    isDenied: findCondition(status?.conditions, 'Degraded')?.reason === 'AuthenticationRequired',
    version: status?.targetVersion ?? spec.version.replace(/^v/u, ''),
    restore: own && {
      phase: own.phase,
      slot: own.slot,
      ...(own.revision === undefined ? {} : { revision: own.revision }),
      ...(own.keys === undefined ? {} : { keys: own.keys }),
    },
    isRestoring: status?.restore !== undefined,
    isRestored: status?.restoredFrom === uid && status.restore === undefined,
    former: own?.volumes?.map(({ slot }) => names.claim(metadata.name, slot)) ?? [],
    parked: (status?.parkedVolumes ?? []).map(({ slot, uid: claim }) => ({
      claim: names.claim(metadata.name, slot),
      uid: claim,
    })),
  };
}

export function claimFacts({ metadata }: PersistentVolumeClaim, cluster: EtcdCluster | undefined): ClaimFacts {
  return {
    name: metadata.name,
    uid: metadata.uid,
    isOurs: metadata.labels?.[labels.clusterUid] === cluster?.metadata.uid,
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

/** Whether clients of the restored cluster have certificates, which is the default. */
export function hasClientTls({ spec }: EtcdRestore, cluster: EtcdCluster | undefined): boolean {
  const restored = cluster?.spec ?? spec.clusterTemplate;
  return restored === undefined || tlsOf({ spec: restored }).client;
}

/** What the pods of a restore are rendered from. */
interface RestoreSubject {
  readonly restore: EtcdRestore;
  readonly source: Source;
  readonly cluster: RestoredCluster | undefined;
}

/** Without `v`. */
export function targetVersion({ restore, cluster }: Pick<RestoreSubject, 'restore' | 'cluster'>): string {
  return cluster?.version ?? restore.spec.clusterTemplate?.version.replace(/^v/u, '') ?? VERSION_DEFAULT;
}

/** The pod that checks the backup. Undefined without a source. */
export function checkPodOf(name: string, worker: Pick<WorkerOptions, 'attempt' | 'image'>, subject: RestoreSubject) {
  const options = workerOptions(worker, subject);
  const job = fetchJob(subject, `${agentPaths.scratch}/snapshot.db`);
  return options && job && jobPod(name, job, options);
}

/** The pod that prepares the volume of the slot in the status. Undefined without a source, a cluster or a slot. */
export function preparePodOf(
  name: string,
  worker: Pick<WorkerOptions, 'attempt' | 'image'>,
  subject: RestoreSubject,
  cluster: EtcdCluster | undefined,
) {
  const { restore } = subject;
  const options = workerOptions(worker, subject);
  // A directory for each attempt: what an earlier one has left is not continued, and removed in the end.
  const all = `${paths.volume}/restore`;
  const directory = `${all}/${worker.attempt}`;
  const snapshot = `${directory}/snapshot.db`;
  const { slot, databaseSha256 } = restore.status ?? {};
  const checked = fetchJob(subject, snapshot);
  // What is linked is hashed by the tool of etcd, which runs after it.
  const fetch = checked && { ...checked, ...(databaseSha256 === undefined ? {} : { databaseSha256 }) };
  if (options === undefined || fetch === undefined || cluster === undefined || slot === undefined) return undefined;
  const dataDirectory = `${directory}/data`;
  return preparePod(name, options, {
    fetch,
    restore: {
      repository: cluster.spec.repository,
      version: targetVersion(subject),
      snapshot,
      dataDirectory,
      member: names.pod(cluster.metadata.name, slot),
      peerURL: peerURL(cluster, slot),
      token: restoredToken(cluster.metadata, restore.metadata.uid),
      revisionBump: restore.spec.revisionBump,
    },
    commit: {
      do: 'commit',
      from: dataDirectory,
      to: paths.data,
      remove: [all],
      marker: restore.metadata.uid,
    },
    claim: names.claim(cluster.metadata.name, slot),
  });
}

function workerOptions(
  worker: Pick<WorkerOptions, 'attempt' | 'image'>,
  { restore, source }: RestoreSubject,
): WorkerOptions | undefined {
  if (source.is !== 'found') return undefined;
  const { spec } = restore;
  return {
    ...worker,
    owner: restore,
    label: labels.restore,
    place: source.place,
    encryption: source.encryption,
    worker: spec.worker,
    timeoutMs: spec.timeoutSeconds * 1_000,
  };
}

function fetchJob({ source, restore, cluster }: RestoreSubject, into: string): FetchJob | undefined {
  if (source.is !== 'found') return undefined;
  const { checksums, etcdRevision } = source.recorded ?? {};
  // What was checked is restored, also if another backup of the name was made since.
  const snapshotSha256 = restore.status?.snapshotSha256 ?? checksums?.snapshotSha256;
  return {
    do: 'fetch',
    destination: destinationOf(source.place),
    key: source.key,
    expected: {
      ...(snapshotSha256 === undefined ? {} : { snapshotSha256 }),
      ...(checksums?.storedSha256 === undefined ? {} : { storedSha256: checksums.storedSha256 }),
      ...(etcdRevision === undefined ? {} : { revision: etcdRevision }),
    },
    etcdVersion: targetVersion({ restore, cluster }),
    into,
    isEncrypted: source.encryption !== undefined,
    freeFactor: 2,
    mayLink: true,
  };
}

/** The new cluster, which waits for its data because of the annotation. */
export function clusterOf({ spec, metadata: { name, namespace = '' } }: EtcdRestore) {
  return {
    metadata: { name: spec.clusterName, namespace, annotations: { [annotations.restore]: name } },
    spec: spec.clusterTemplate ?? {},
  };
}

/** As the StatefulSet would create it. */
export function claimOf(cluster: EtcdCluster, slot: number) {
  const { name, namespace = '', uid } = cluster.metadata;
  const template = claimSpecOf(cluster);
  return {
    metadata: {
      name: names.claim(name, slot),
      namespace,
      labels: { ...template.metadata.labels, ...labelsOf(name), [labels.clusterUid]: uid },
      ...(template.metadata.annotations ? { annotations: template.metadata.annotations } : {}),
    },
    spec: template.spec,
  };
}

/** Not owned by the restore: it outlives it. Undefined without a source. */
export function safetyBackupOf(name: string, { restore, source }: RestoreSubject) {
  if (source.is !== 'found') return undefined;
  const { spec, metadata } = restore;
  const { storageType, s3, volume } = source.place;
  return {
    metadata: {
      name,
      namespace: metadata.namespace ?? '',
      labels: { [labels.managedBy]: OPERATOR_NAME, [labels.restore]: metadata.name },
    },
    spec: {
      clusterName: spec.clusterName,
      storageType,
      ...(s3 ? { s3 } : {}),
      ...(volume ? { volume } : {}),
      ...(source.encryption ? { encryption: source.encryption } : {}),
      backoffLimit: spec.backoffLimit,
      timeoutSeconds: spec.timeoutSeconds,
      worker: spec.worker,
    },
  };
}
