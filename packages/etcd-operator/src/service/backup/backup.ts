/** Backups: observes one, decides, and carries out the action that was decided. */
import { Pod } from '@ecsm/kubernetes';
import { type Clock, isApiError, type Registry, timeMsOf } from '@ecsm/runtime';
import type { AgentJob } from '../../agent/job.ts';
import { EtcdBackup } from '../../apis/etcd-backup.ts';
import { EtcdCluster } from '../../apis/etcd-cluster.ts';
import { AGENT_PORT, agentPaths, labels, OPERATOR_NAME } from '../../apis/well-known.ts';
import { KubernetesClient } from '../../client/kubernetes/client.ts';
import type { ReadProgress } from '../../client/worker/progress.ts';
import { tlsOf } from '../../resource/cluster.ts';
import { workerFacts } from '../../resource/worker-facts.ts';
import {
  destinationOf,
  jobPod,
  rehearsalPod,
  type SnapshotRestore,
  scratchCertificates,
  scratchPorts,
  type WorkerOptions,
} from '../../resource/worker-pods.ts';
import { clusterView } from './cluster-view.ts';
import { decideDeletion } from './deletion.ts';
import type { BackupAction, BackupDecision, BackupInput, BackupSettings, ChildFacts } from './model.ts';
import { refusalOf } from './refusal.ts';
import { BACKUP_FINALIZER, decideRun, isEnded } from './run.ts';
import { decideSchedule } from './schedule.ts';

export interface BackupServiceOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly settings: BackupSettings;
  readonly progress: ReadProgress;
  /** Of the operator: what worker pods run. */
  readonly image: string;
}

export interface ObservedBackup {
  readonly input: BackupInput;
  readonly cluster: EtcdCluster | undefined;
}

/** The one decision of a pass over a backup. */
export function nextBackupStep(input: BackupInput): BackupDecision {
  if (input.backup.metadata.deletionTimestamp !== undefined) return decideDeletion(input);
  return input.backup.spec.schedule === undefined ? decideRun(input) : decideSchedule(input);
}

export class BackupService {
  readonly #options: BackupServiceOptions;
  readonly #client: KubernetesClient;

  constructor(options: BackupServiceOptions) {
    this.#options = options;
    this.#client = new KubernetesClient(options.registry);
  }

  /** Only reads. */
  async observe(backup: EtcdBackup): Promise<ObservedBackup> {
    const { clock, settings, progress } = this.#options;
    const { status, spec, metadata } = backup;
    const isSchedule = spec.schedule !== undefined;
    const isDone = isEnded(status) && metadata.deletionTimestamp === undefined;
    const namespace = metadata.namespace ?? '';
    const needsCluster = !isDone && !isSchedule;
    const [cluster, pods, worker, rehearsal, children] = await Promise.all([
      needsCluster || status?.rehearsal?.worker
        ? this.#client.find(EtcdCluster, namespace, spec.clusterName)
        : undefined,
      needsCluster ? this.#client.list(Pod, namespace, `${labels.cluster}=${spec.clusterName}`) : [],
      this.#pod(backup, isDone ? undefined : status?.worker?.name),
      this.#pod(backup, status?.rehearsal?.worker?.name),
      isSchedule ? this.#children(backup) : [],
    ]);
    const address = worker?.phase === 'Running' ? worker.address : undefined;
    const input: BackupInput = {
      backup,
      nowMs: clock.now(),
      cluster: cluster && clusterView(cluster, pods),
      worker,
      progress: address === undefined ? undefined : await progress(address, AGENT_PORT),
      rehearsal,
      children,
      settings,
    };
    return { input, cluster };
  }

  /** Returns why Kubernetes refused it; undefined if it was done. */
  async perform({ input, cluster }: ObservedBackup, decision: BackupDecision): Promise<string | undefined> {
    const { action, status } = decision;
    // The status that was written with the decision: it names the pod and the object that it works for.
    const backup = { ...input.backup, status };
    try {
      if (action) await this.#perform(action, backup, { input, cluster });
      return undefined;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return refusal;
    }
  }

  async #perform(action: BackupAction, backup: EtcdBackup, observed: ObservedBackup): Promise<void> {
    const { namespace = '' } = backup.metadata;
    switch (action.do) {
      case 'createWorker': {
        const pod = await this.#render(action, backup, observed);
        await this.#client.create(Pod, pod);
        return;
      }
      case 'deleteWorker':
        return this.#deleteMissing(() => this.#client.delete(Pod, namespace, action.name, action.uid));
      case 'createChild':
        await this.#client.create(EtcdBackup, childOf(backup, action.name));
        return;
      case 'deleteChild':
        return this.#deleteChild(namespace, action.name, action.uid);
      case 'addFinalizer':
        return this.#patchFinalizers(backup, [...(backup.metadata.finalizers ?? []), BACKUP_FINALIZER]);
      case 'removeFinalizer':
        return this.#patchFinalizers(
          backup,
          backup.metadata.finalizers?.filter((finalizer) => finalizer !== BACKUP_FINALIZER) ?? [],
        );
      default:
    }
  }

  async #pod(backup: EtcdBackup, name: string | undefined) {
    const pod = name === undefined ? undefined : await this.#client.find(Pod, backup.metadata.namespace ?? '', name);
    return pod && workerFacts(pod, backup.metadata.uid);
  }

  async #children({ metadata }: EtcdBackup): Promise<readonly ChildFacts[]> {
    const found = await this.#client.list(EtcdBackup, metadata.namespace ?? '', `${labels.schedule}=${metadata.name}`);
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

  /** The stored object is gone already, or is to be kept: the finalizer has nothing to do. */
  async #deleteChild(namespace: string, name: string, uid: string): Promise<void> {
    const child = await this.#client.find(EtcdBackup, namespace, name);
    if (child === undefined || child.metadata.uid !== uid) return;
    await this.#patchFinalizers(
      child,
      child.metadata.finalizers?.filter((finalizer) => finalizer !== BACKUP_FINALIZER) ?? [],
    );
    await this.#deleteMissing(() => this.#client.delete(EtcdBackup, namespace, name, uid));
  }

  async #patchFinalizers({ metadata }: EtcdBackup, finalizers: readonly string[]): Promise<void> {
    const { name, namespace = '', uid, resourceVersion } = metadata;
    if (finalizers.length === (metadata.finalizers?.length ?? 0)) return;
    const patch = { metadata: { finalizers: finalizers.length === 0 ? null : [...finalizers] } };
    await this.#deleteMissing(() =>
      this.#client.patch(EtcdBackup, namespace, name, patch, {
        uid,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      }),
    );
  }

  async #deleteMissing(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }

  async #render(
    { name, purpose, attempt }: BackupAction & { readonly do: 'createWorker' },
    backup: EtcdBackup,
    observed: ObservedBackup,
  ) {
    const options = workerOptionsOf(backup, this.#options.image, attempt);
    const { status = {}, spec } = backup;
    if (purpose === 'prune') {
      const keys = status.manifestPath === undefined ? [] : [status.manifestPath.replace(/\.manifest\.json$/u, '')];
      return jobPod(name, { do: 'prune', destination: destinationOf(spec), keys }, options);
    }
    const namespace = backup.metadata.namespace ?? '';
    if (purpose === 'backup') {
      // The policy of the schedule as it is now: a run has none of its own.
      const parent = scheduleOf(backup);
      const schedule = parent && (await this.#client.find(EtcdBackup, namespace, parent.name));
      const policy = schedule?.metadata.uid === parent?.uid ? schedule?.spec.retentionPolicy : undefined;
      return jobPod(name, backupJob(backup, observed, policy), options, observed.cluster);
    }
    const child = await this.#client.find(EtcdBackup, namespace, status.rehearsal?.backup ?? '');
    // Where the run has stored it: the schedule may have been changed since.
    const { encryption } = child?.spec ?? spec;
    const source = { ...options, place: child?.spec ?? spec, encryption };
    return rehearsalPod(name, source, rehearsalJobs(child, observed.cluster));
  }
}

function workerOptionsOf(backup: EtcdBackup, image: string, attempt: number): WorkerOptions {
  const { spec } = backup;
  return {
    owner: backup,
    label: labels.backup,
    attempt,
    image,
    place: spec,
    encryption: spec.encryption,
    worker: spec.worker,
    timeoutMs: spec.timeoutSeconds * 1_000,
  };
}

function backupJob(
  backup: EtcdBackup,
  { input, cluster }: ObservedBackup,
  policy: EtcdBackup['spec']['retentionPolicy'],
): AgentJob {
  const { spec, metadata, status } = backup;
  const parent = scheduleOf(backup);
  const { maxBackups, maxAge } = policy ?? {};
  const retention = {
    ...(maxBackups === undefined ? {} : { maxBackups }),
    ...(maxAge === undefined ? {} : { maxAgeMs: ageMsOf(maxAge) }),
  };
  return {
    do: 'backup',
    endpoints: input.cluster?.endpoints ?? [],
    tls: cluster !== undefined && tlsOf(cluster).client,
    destination: destinationOf(spec),
    keyBase: status?.keyBase ?? '',
    compression: spec.compression ? 'gzip' : 'none',
    isEncrypted: spec.encryption !== undefined,
    scratch: agentPaths.scratch,
    source: {
      namespace: metadata.namespace ?? '',
      cluster: spec.clusterName,
      clusterUid: input.cluster?.uid ?? '',
      clusterId: input.cluster?.clusterId ?? '',
      backup: metadata.name,
      backupUid: metadata.uid,
      ...(parent ? { schedule: parent.name, scheduleUid: parent.uid } : {}),
    },
    ...(parent && Object.keys(retention).length > 0 ? { retention: { ...retention, scheduleUid: parent.uid } } : {}),
  };
}

function scheduleOf({ metadata }: EtcdBackup) {
  return metadata.ownerReferences?.find(({ kind }) => kind === EtcdBackup.kind);
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Of `36h`, `30d` or `8w`. */
export function ageMsOf(text: string): number {
  return Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? 0);
}

function childOf(backup: EtcdBackup, name: string) {
  const { apiVersion, kind, metadata, spec } = backup;
  const { schedule: _, timeZone: __, suspend: ___, rehearse: ____, retentionPolicy: _____, ...run } = spec;
  return {
    metadata: {
      name,
      namespace: metadata.namespace ?? '',
      labels: { [labels.schedule]: metadata.name, [labels.managedBy]: OPERATOR_NAME },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }],
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
