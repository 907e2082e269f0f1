/** What a backup depends on, read back from objects, and the objects that it creates. */
import type { Pod } from '@ecsm/kubernetes';
import { controllerReference, findCondition, timeMsOf } from '@ecsm/runtime';
import type { AgentJob } from '../agent/job.ts';
import { EtcdBackup, type EtcdBackupStatus } from '../apis/etcd-backup.ts';
import type { EtcdCluster, MemberStatus } from '../apis/etcd-cluster.ts';
import { agentPaths, labels, OPERATOR_NAME, slotOf } from '../apis/well-known.ts';
import type { EtcdEndpoint } from '../client/etcd/contract.ts';
import { endpointOf, tlsOf } from './cluster.ts';
import {
  destinationOf,
  jobPod,
  rehearsalPod,
  type SnapshotRestore,
  scratchCertificates,
  scratchPorts,
  type WorkerOptions,
} from './worker-pods.ts';

/** The cluster, as far as a backup depends on it. */
export interface ClusterView {
  readonly uid: string;
  readonly clusterId: string | undefined;
  readonly isStopped: boolean;
  readonly isServing: boolean;
  /** Members that serve, the best one to ask first. */
  readonly endpoints: readonly EtcdEndpoint[];
  /** Why it does not serve. */
  readonly message: string;
}

/** A run of a schedule. */
export interface ChildFacts {
  readonly name: string;
  readonly uid: string;
  readonly isDeleting: boolean;
  readonly createdAtMs: number;
  readonly status: EtcdBackupStatus | undefined;
}

export function clusterView(cluster: EtcdCluster, pods: readonly Pod[]): ClusterView {
  const { metadata, spec, status } = cluster;
  const available = findCondition(status?.conditions, 'Available');
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const isRestoring = status?.restore !== undefined;
  const endpoints = [...(status?.members ?? [])]
    .filter(({ ready, role }) => ready && role !== 'learner')
    .sort((one, other) => costOf(one) - costOf(other))
    .flatMap(({ name }) => {
      const slot = slotOf(metadata.name, name);
      const address = pods.find((pod) => pod.metadata.name === name)?.status?.podIP;
      return slot === undefined || address === undefined ? [] : [endpointOf(cluster, slot, address)];
    });
  const isServing = available?.status === 'True' && !isDeleting && !isRestoring && endpoints.length > 0;
  return {
    uid: metadata.uid,
    clusterId: status?.clusterID,
    isStopped: spec.size === 0 && status?.phase === 'Stopped',
    isServing,
    endpoints,
    message: isDeleting
      ? `${metadata.name} is being deleted`
      : isRestoring
        ? `${metadata.name} is being restored`
        : `${metadata.name} does not serve: ${available?.message ?? 'its status is not known yet'}`,
  };
}

/** A follower that is in sync first; the leader has enough to do. */
function costOf({ role, lag = 0 }: MemberStatus): number {
  return role === 'leader' ? Number.MAX_SAFE_INTEGER : lag;
}

/** The runs of a schedule, by time of creation, oldest first. `found`: those with its label. */
export function childrenOf({ metadata }: EtcdBackup, found: readonly EtcdBackup[]): readonly ChildFacts[] {
  return found
    .filter((child) => child.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid))
    .map((child) => ({
      name: child.metadata.name,
      uid: child.metadata.uid,
      isDeleting: child.metadata.deletionTimestamp !== undefined,
      createdAtMs: timeMsOf(child.metadata.creationTimestamp) ?? 0,
      status: child.status,
    }))
    .sort((one, other) => one.createdAtMs - other.createdAtMs || (one.name < other.name ? -1 : 1));
}

/** The schedule of a run. */
export function scheduleOf({ metadata }: EtcdBackup) {
  return metadata.ownerReferences?.find(({ kind }) => kind === EtcdBackup.kind);
}

type Attempt = Pick<WorkerOptions, 'attempt' | 'image'>;

/** What the pod of a run depends on. */
interface BackupSubject {
  readonly backup: EtcdBackup;
  readonly view: ClusterView | undefined;
  readonly cluster: EtcdCluster | undefined;
  /** The schedule as it is now: a run has no policy of its own. */
  readonly schedule: EtcdBackup | undefined;
}

/** The pod that makes a backup. */
export function backupPod(name: string, attempt: Attempt, subject: BackupSubject) {
  return jobPod(name, backupJob(subject), workerOptions(subject.backup, attempt), subject.cluster);
}

/** The pod that deletes what was stored. */
export function prunePod(name: string, attempt: Attempt, backup: EtcdBackup) {
  const { manifestPath } = backup.status ?? {};
  const keys = manifestPath === undefined ? [] : [manifestPath.replace(/\.manifest\.json$/u, '')];
  const job = { do: 'prune', destination: destinationOf(backup.spec), keys } as const;
  return jobPod(name, job, workerOptions(backup, attempt));
}

/** The pod that restores a run into a scratch member and compares it. */
export function rehearsalPodOf(
  name: string,
  attempt: Attempt,
  { backup, run, cluster }: Pick<BackupSubject, 'backup' | 'cluster'> & { readonly run: EtcdBackup | undefined },
) {
  // Where the run has stored it: the schedule may have been changed since.
  const { spec } = run ?? backup;
  const options = { ...workerOptions(backup, attempt), place: spec, encryption: spec.encryption };
  return rehearsalPod(name, options, rehearsalJobs(run, cluster));
}

function workerOptions(backup: EtcdBackup, attempt: Attempt): WorkerOptions {
  const { spec } = backup;
  return {
    ...attempt,
    owner: backup,
    label: labels.backup,
    place: spec,
    encryption: spec.encryption,
    worker: spec.worker,
    timeoutMs: spec.timeoutSeconds * 1_000,
  };
}

function backupJob({ backup, view, cluster, schedule }: BackupSubject): AgentJob {
  const { spec, metadata, status } = backup;
  const parent = scheduleOf(backup);
  // Another schedule of the name has another policy.
  const policy = schedule?.metadata.uid === parent?.uid ? schedule?.spec.retentionPolicy : undefined;
  const { maxBackups, maxAge } = policy ?? {};
  const retention = {
    ...(maxBackups === undefined ? {} : { maxBackups }),
    ...(maxAge === undefined ? {} : { maxAgeMs: ageMsOf(maxAge) }),
  };
  return {
    do: 'backup',
    endpoints: view?.endpoints ?? [],
    tls: cluster !== undefined && tlsOf(cluster).client,
    destination: destinationOf(spec),
    keyBase: status?.keyBase ?? '',
    compression: spec.compression ? 'gzip' : 'none',
    isEncrypted: spec.encryption !== undefined,
    scratch: agentPaths.scratch,
    source: {
      namespace: metadata.namespace ?? '',
      cluster: spec.clusterName,
      clusterUid: view?.uid ?? '',
      clusterId: view?.clusterId ?? '',
      backup: metadata.name,
      backupUid: metadata.uid,
      ...(parent ? { schedule: parent.name, scheduleUid: parent.uid } : {}),
    },
    ...(parent && Object.keys(retention).length > 0 ? { retention: { ...retention, scheduleUid: parent.uid } } : {}),
  };
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of `36h`, `30d` or `8w`. */
function ageMsOf(text: string): number {
  return Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? 0);
}

/** A run of a schedule. */
export function childOf(backup: EtcdBackup, name: string) {
  const { metadata, spec } = backup;
  const { schedule: _, timeZone: __, suspend: ___, rehearse: ____, retentionPolicy: _____, ...run } = spec;
  return {
    metadata: {
      name,
      namespace: metadata.namespace ?? '',
      labels: { [labels.schedule]: metadata.name, [labels.managedBy]: OPERATOR_NAME },
      ownerReferences: [controllerReference(backup)],
    },
    spec: run,
  };
}

/** The repository and version of the scratch member: those of the cluster, or of the backup if that is gone. */
function rehearsalJobs(child: EtcdBackup | undefined, cluster: EtcdCluster | undefined) {
  const status = child?.status ?? {};
  const version = cluster?.status?.targetVersion ?? status.etcdVersion ?? '';
  const snapshot = `${agentPaths.scratch}/snapshot.db`;
  const restore: SnapshotRestore = {
    repository: cluster?.spec.repository ?? 'quay.io/coreos/etcd',
    version,
    snapshot,
    dataDirectory: `${agentPaths.scratch}/data`,
    member: 'rehearsal',
    peerURL: `http://127.0.0.1:${scratchPorts.peer}`,
    token: `rehearsal-${child?.metadata.uid ?? ''}`,
    revisionBump: 0,
  };
  const { snapshotSha256, storedSha256, hashKV } = status.checksums ?? {};
  const fetch: AgentJob = {
    do: 'fetch',
    destination: destinationOf(child?.spec ?? { storageType: 'Volume' }),
    key: status.manifestPath ?? status.storagePath ?? '',
    expected: {
      ...(snapshotSha256 === undefined ? {} : { snapshotSha256 }),
      ...(storedSha256 === undefined ? {} : { storedSha256 }),
      ...(status.etcdRevision === undefined ? {} : { revision: status.etcdRevision }),
    },
    etcdVersion: version,
    into: snapshot,
    isEncrypted: child?.spec.encryption !== undefined,
    freeFactor: 2,
    mayLink: true,
    certificates: scratchCertificates,
  };
  const check: AgentJob = {
    do: 'check',
    endpoint: { host: 'localhost', address: '127.0.0.1', port: scratchPorts.client },
    certificates: scratchCertificates,
    expected: {
      revision: status.etcdRevision ?? '0',
      keys: status.keys ?? 0,
      ...(hashKV === undefined ? {} : { hashKV }),
    },
    scratch: agentPaths.scratch,
  };
  return { fetch, restore, check };
}
