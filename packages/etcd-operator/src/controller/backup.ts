/** The passes over an EtcdBackup: what is read, and how a step is performed. */
import { Pod } from '@ecsm/kubernetes';
import { type OperateOptions, operate, ownedBy, type Pass } from '@ecsm/runtime';
import { EtcdBackup } from '../apis/etcd-backup.ts';
import { EtcdCluster } from '../apis/etcd-cluster.ts';
import { AGENT_PORT, labels, OPERATOR_NAME } from '../apis/well-known.ts';
import { KubernetesClient, resultOfWrite } from '../client/kubernetes/client.ts';
import {
  type ProgressMemory,
  type ProgressOptions,
  type ReadProgress,
  workerProgress,
} from '../client/worker/progress.ts';
import {
  backupPod,
  childOf,
  childrenOf,
  clusterView,
  prunePod,
  rehearsalPodOf,
  scheduleOf,
} from '../resource/backup-objects.ts';
import { workerFacts } from '../resource/worker-facts.ts';
import { BackupService } from '../service/backup/backup.ts';
import { BACKUP_FINALIZER } from '../service/backup/decision.ts';
import type { BackupAction, BackupFacts, BackupSettings } from '../service/backup/model.ts';
import type { BackupMonitoring } from '../service/backup/monitoring.ts';
import { isEnded } from '../service/backup/run.ts';

/** Options of the controllers of backups and of restores. */
export interface BackupControllerOptions extends Pick<OperateOptions, 'namespace' | 'workers' | 'log' | 'metrics'> {
  readonly settings: BackupSettings;
  readonly progress: ReadProgress;
  /** Image of the operator, which worker pods run. */
  readonly image: string;
  readonly monitoring: BackupMonitoring;
}

interface ObservedBackup extends BackupFacts {
  readonly object: EtcdCluster | undefined;
}

type BackupPass = Pick<Pass<ProgressMemory>, 'registry' | 'memory'>;

export function BackupController(options: BackupControllerOptions) {
  return operate(backupOperator(options), { ...options, name: 'backup', eventSource: OPERATOR_NAME });
}

export function backupOperator({ settings, progress: read, image, monitoring }: BackupControllerOptions) {
  const service = new BackupService(settings);
  const progress = { read, port: AGENT_PORT, intervalMs: settings.workerLookMs };
  return {
    kind: EtcdBackup,
    finalizer: BACKUP_FINALIZER,
    triggers: [
      // Also after a status of its own: the next step follows from it, and it is measured.
      { name: 'backup', changes: [] },
      { name: 'run', watches: [{ kind: EtcdBackup, map: ownedBy(EtcdBackup) }] },
    ],
    observe: (backup: EtcdBackup, pass: BackupPass) => {
      monitoring.observed(backup);
      return observe(backup, pass, progress);
    },
    decide: service.decide.bind(service),
    act: (step: BackupAction, backup: EtcdBackup, facts: ObservedBackup, pass: BackupPass) =>
      resultOfWrite(() => perform(step, backup, facts, new KubernetesClient(pass.registry), image)),
    report: service.report.bind(service),
    gone: async ({ namespace, name }: Pick<Pass<ProgressMemory>, 'namespace' | 'name'>) => {
      monitoring.forget({ namespace, backup: name });
      return undefined;
    },
  };
}

async function observe(
  backup: EtcdBackup,
  { registry, memory }: BackupPass,
  progress: ProgressOptions,
): Promise<ObservedBackup> {
  const client = new KubernetesClient(registry);
  const { status, spec, metadata } = backup;
  const isSchedule = spec.schedule !== undefined;
  const isDone = isEnded(status) && metadata.deletionTimestamp === undefined;
  const namespace = metadata.namespace ?? '';
  const needsCluster = !isDone && !isSchedule;
  const podOf = async (name: string | undefined) => {
    const pod = name === undefined ? undefined : await client.find(Pod, namespace, name);
    return pod && workerFacts(pod, metadata.uid);
  };
  const [cluster, pods, worker, rehearsal, runs] = await Promise.all([
    needsCluster || status?.rehearsal?.worker ? client.find(EtcdCluster, namespace, spec.clusterName) : undefined,
    needsCluster ? client.list(Pod, namespace, `${labels.cluster}=${spec.clusterName}`) : [],
    podOf(isDone ? undefined : status?.worker?.name),
    podOf(status?.rehearsal?.worker?.name),
    isSchedule ? client.list(EtcdBackup, namespace, `${labels.schedule}=${metadata.name}`) : [],
  ]);
  return {
    object: cluster,
    cluster: cluster && clusterView(cluster, pods),
    worker,
    progress: await workerProgress(memory, worker, registry.clock, progress),
    rehearsal,
    children: childrenOf(backup, runs),
  };
}

async function perform(
  step: BackupAction,
  backup: EtcdBackup,
  facts: ObservedBackup,
  client: KubernetesClient,
  image: string,
): Promise<void> {
  const { namespace = '' } = backup.metadata;
  switch (step.do) {
    case 'createWorker':
      await client.create(Pod, await workerPod(step, backup, facts, client, image));
      return;
    case 'deleteWorker':
      return client.delete(Pod, namespace, step.name, step.uid);
    case 'createChild':
      await client.create(EtcdBackup, childOf(backup, step.name));
      return;
    case 'deleteChild':
      return deleteRun(client, namespace, step.name, step.uid);
    default:
  }
}

async function workerPod(
  { name, purpose, attempt }: BackupAction & { readonly do: 'createWorker' },
  backup: EtcdBackup,
  { object: cluster, cluster: view }: ObservedBackup,
  client: KubernetesClient,
  image: string,
) {
  const { metadata, status } = backup;
  const find = (other: string | undefined) =>
    other === undefined ? undefined : client.find(EtcdBackup, metadata.namespace ?? '', other);
  const worker = { attempt, image };
  if (purpose === 'prune') return prunePod(name, worker, backup);
  if (purpose === 'backup') {
    const schedule = await find(scheduleOf(backup)?.name);
    return backupPod(name, worker, { backup, view, cluster, schedule });
  }
  return rehearsalPodOf(name, worker, { backup, cluster, run: await find(status?.rehearsal?.backup) });
}

/** The stored backup is gone already, or is to be kept: the finalizer has nothing to do. */
async function deleteRun(client: KubernetesClient, namespace: string, name: string, uid: string): Promise<void> {
  const run = await client.find(EtcdBackup, namespace, name);
  if (run === undefined || run.metadata.uid !== uid) return;
  const { finalizers = [], resourceVersion } = run.metadata;
  const others = finalizers.filter((finalizer) => finalizer !== BACKUP_FINALIZER);
  if (others.length < finalizers.length) {
    const patch = { metadata: { finalizers: others.length === 0 ? null : others } };
    await client.patch(EtcdBackup, namespace, name, patch, { uid, resourceVersion });
  }
  await client.delete(EtcdBackup, namespace, name, uid);
}
