/** Restores: observes one, and carries out the action that was decided. */
import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import { findCondition, isApiError } from '@ecsm/runtime';
import type { FetchJob } from '../../agent/job.ts';
import { EtcdBackup } from '../../apis/etcd-backup.ts';
import { EtcdCluster } from '../../apis/etcd-cluster.ts';
import { type EtcdRestore, EtcdRestore as EtcdRestoreKind } from '../../apis/etcd-restore.ts';
import {
  AGENT_PORT,
  agentPaths,
  annotations,
  labels,
  labelsOf,
  names,
  OPERATOR_NAME,
  paths,
} from '../../apis/well-known.ts';
import { KubernetesClient } from '../../client/kubernetes/client.ts';
import { peerURL, restoredToken, tlsOf } from '../../resource/cluster.ts';
import { claimSpecOf } from '../../resource/stateful-set.ts';
import { workerFacts } from '../../resource/worker-facts.ts';
import { destinationOf, jobPod, preparePod, type WorkerOptions } from '../../resource/worker-pods.ts';
import type { BackupServiceOptions } from '../backup/backup.ts';
import { refusalOf } from '../backup/refusal.ts';
import { whyUnsettled } from '../monitoring/unsettled.ts';
import { isRestoreEnded, RESTORE_FINALIZER, targetVersion } from './decision.ts';
import type { ClaimFacts, RestoreAction, RestoreDecision, RestoredCluster, RestoreInput, Source } from './model.ts';

type Creation = RestoreAction & { readonly do: 'createWorker' };

export interface ObservedRestore {
  readonly input: RestoreInput;
  readonly cluster: EtcdCluster | undefined;
}

export class RestoreService {
  readonly #options: BackupServiceOptions;
  readonly #client: KubernetesClient;

  constructor(options: BackupServiceOptions) {
    this.#options = options;
    this.#client = new KubernetesClient(options.registry);
  }

  /** Only reads. */
  async observe(restore: EtcdRestore): Promise<ObservedRestore> {
    const { clock, settings, progress } = this.#options;
    const { status, spec, metadata } = restore;
    const namespace = metadata.namespace ?? '';
    const isEnded = isRestoreEnded(status);
    const [cluster, source, pod, safety, claims] = await Promise.all([
      isEnded ? undefined : this.#client.find(EtcdCluster, namespace, spec.clusterName),
      this.#source(restore, isEnded),
      isEnded || status?.worker === undefined ? undefined : this.#client.find(Pod, namespace, status.worker.name),
      status?.safetyBackup === undefined || isEnded
        ? undefined
        : this.#client.find(EtcdBackup, namespace, status.safetyBackup),
      isEnded ? [] : this.#client.list(PersistentVolumeClaim, namespace, `${labels.cluster}=${spec.clusterName}`),
    ]);
    const view = cluster && clusterFacts(restore, cluster);
    const facts = claims.map((claim) => claimFacts(claim, cluster));
    const slotClaim = status?.slot === undefined ? undefined : names.claim(spec.clusterName, status.slot);
    const worker = pod && workerFacts(pod, metadata.uid);
    const address = worker?.phase === 'Running' ? worker.address : undefined;
    const input: RestoreInput = {
      restore,
      nowMs: clock.now(),
      source,
      cluster: view,
      hasClientTls: hasClientTls(cluster?.spec ?? spec.clusterTemplate),
      worker,
      progress: address === undefined ? undefined : await progress(address, AGENT_PORT),
      claim: facts.find(({ name }) => name === slotClaim),
      parked: facts.filter(({ name, uid }) => view?.parked.some((one) => one.claim === name && one.uid === uid)),
      safety: safety && (safety.status ?? {}),
      settings,
    };
    return { input, cluster };
  }

  /** Returns why Kubernetes refused it; undefined if it was done. */
  async perform({ input, cluster }: ObservedRestore, { action, status }: RestoreDecision): Promise<string | undefined> {
    try {
      if (action) await this.#perform(action, { ...input, restore: { ...input.restore, status } }, cluster);
      return undefined;
    } catch (error) {
      // It is gone already: the next pass sees that.
      if (isApiError(error, 'NotFound')) return undefined;
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return refusal;
    }
  }

  async #perform(action: RestoreAction, input: RestoreInput, cluster: EtcdCluster | undefined): Promise<void> {
    const { restore } = input;
    const { namespace = '' } = restore.metadata;
    switch (action.do) {
      case 'createWorker': {
        const pod =
          action.purpose === 'check' ? this.#checkPod(action, input) : this.#preparePod(action, input, cluster);
        if (pod) await this.#client.create(Pod, pod);
        return;
      }
      case 'deleteWorker':
        return this.#client.delete(Pod, namespace, action.name, action.uid);
      case 'createSafetyBackup': {
        const backup = safetyBackupOf(action.name, input);
        if (backup) await this.#client.create(EtcdBackup, backup);
        return;
      }
      case 'createCluster':
        await this.#client.create(EtcdCluster, {
          metadata: {
            name: restore.spec.clusterName,
            namespace,
            annotations: { [annotations.restore]: restore.metadata.name },
          },
          spec: restore.spec.clusterTemplate ?? {},
        });
        return;
      case 'askCluster':
        return this.#annotate(cluster, restore.metadata.name);
      case 'releaseCluster':
        return this.#annotate(cluster, null);
      case 'createClaim':
        if (cluster) await this.#client.create(PersistentVolumeClaim, claimOf(cluster, restore.status?.slot ?? 0));
        return;
      case 'addFinalizer':
        return this.#patchFinalizers(restore, [...(restore.metadata.finalizers ?? []), RESTORE_FINALIZER]);
      case 'removeFinalizer':
        return this.#patchFinalizers(
          restore,
          restore.metadata.finalizers?.filter((finalizer) => finalizer !== RESTORE_FINALIZER) ?? [],
        );
      case 'deleteCluster':
        return this.#client.delete(EtcdCluster, namespace, restore.spec.clusterName, action.uid);
      case 'deleteClaim':
        return this.#client.delete(PersistentVolumeClaim, namespace, action.name, action.uid);
      default:
    }
  }

  async #patchFinalizers({ metadata }: EtcdRestore, finalizers: readonly string[]): Promise<void> {
    const { name, namespace = '', uid } = metadata;
    const patch = { metadata: { finalizers: finalizers.length === 0 ? null : [...finalizers] } };
    await this.#client.patch(EtcdRestoreKind, namespace, name, patch, { uid });
  }

  async #annotate(cluster: EtcdCluster | undefined, value: string | null): Promise<void> {
    if (cluster === undefined) return;
    const { name, namespace = '', uid } = cluster.metadata;
    const patch = { metadata: { annotations: { [annotations.restore]: value } } };
    await this.#client.patch(EtcdCluster, namespace, name, patch, { uid });
  }

  async #source({ spec, metadata }: EtcdRestore, isEnded: boolean): Promise<Source> {
    if (isEnded) return { is: 'missing', message: '' };
    if (spec.location) {
      const { key, ...place } = spec.location;
      return { is: 'found', place, encryption: spec.encryption, key, recorded: undefined };
    }
    const { backupName = '' } = spec;
    const backup = await this.#client.find(EtcdBackup, metadata.namespace ?? '', backupName);
    if (backup === undefined)
      return { is: 'missing', message: `there is no EtcdBackup ${backupName} in this namespace` };
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

  #workerOptions({ restore, source }: RestoreInput, attempt: number): WorkerOptions | undefined {
    if (source.is !== 'found') return undefined;
    const { spec } = restore;
    return {
      owner: restore,
      label: labels.restore,
      attempt,
      image: this.#options.image,
      place: source.place,
      encryption: source.encryption,
      worker: spec.worker,
      timeoutMs: spec.timeoutSeconds * 1_000,
    };
  }

  #checkPod({ name, attempt }: Creation, input: RestoreInput) {
    const options = this.#workerOptions(input, attempt);
    const job = fetchJob(input, `${agentPaths.scratch}/snapshot.db`);
    return options && job && jobPod(name, job, options);
  }

  #preparePod({ name, attempt }: Creation, input: RestoreInput, cluster: EtcdCluster | undefined) {
    const options = this.#workerOptions(input, attempt);
    // Of its own for each attempt: what an earlier one has left is not continued, and removed in the end.
    const all = `${paths.volume}/restore`;
    const directory = `${all}/${attempt}`;
    const snapshot = `${directory}/snapshot.db`;
    const { restore } = input;
    const { databaseSha256 } = restore.status ?? {};
    const checked = fetchJob(input, snapshot);
    // What is linked is hashed by the tool of etcd, which runs after it.
    const fetch = checked && { ...checked, ...(databaseSha256 === undefined ? {} : { databaseSha256 }) };
    const { slot } = restore.status ?? {};
    if (options === undefined || fetch === undefined || cluster === undefined || slot === undefined) return undefined;
    const dataDirectory = `${directory}/data`;
    return preparePod(name, options, {
      fetch,
      restore: {
        repository: cluster.spec.repository,
        version: targetVersion(input),
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
}

function fetchJob({ source, restore, cluster }: RestoreInput, into: string): FetchJob | undefined {
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

/** It is the default. */
function hasClientTls(spec: EtcdCluster['spec'] | undefined): boolean {
  return spec === undefined || tlsOf({ spec }).client;
}

function clusterFacts(restore: EtcdRestore, cluster: EtcdCluster): RestoredCluster {
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
    unsettled: whyUnsettled(cluster),
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

function claimFacts({ metadata }: PersistentVolumeClaim, cluster: EtcdCluster | undefined): ClaimFacts {
  return {
    name: metadata.name,
    uid: metadata.uid,
    isOurs: metadata.labels?.[labels.clusterUid] === cluster?.metadata.uid,
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

/** As the StatefulSet would create it. */
function claimOf(cluster: EtcdCluster, slot: number) {
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

/** Not owned by the restore: it outlives it. */
function safetyBackupOf(name: string, { restore, source }: RestoreInput) {
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
