/** The passes over an EtcdRestore: what is read, and how a step is performed. */
import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import { operate, type Pass } from '@ecsm/runtime';
import { EtcdBackup } from '../apis/etcd-backup.ts';
import { EtcdCluster } from '../apis/etcd-cluster.ts';
import { EtcdRestore } from '../apis/etcd-restore.ts';
import { AGENT_PORT, annotations, labels, names, OPERATOR_NAME } from '../apis/well-known.ts';
import { KubernetesClient, resultOfWrite } from '../client/kubernetes/client.ts';
import { type ProgressMemory, type ProgressOptions, workerProgress } from '../client/worker/progress.ts';
import {
  checkPodOf,
  claimFacts,
  claimOf,
  clusterOf,
  hasClientTls,
  preparePodOf,
  restoredCluster,
  safetyBackupOf,
  sourceOf,
} from '../resource/restore-objects.ts';
import { workerFacts } from '../resource/worker-facts.ts';
import { whyUnsettled } from '../service/monitoring/unsettled.ts';
import { RESTORE_FINALIZER } from '../service/restore/decision.ts';
import { isRestoreEnded, type RestoreAction, type RestoreFacts } from '../service/restore/model.ts';
import { RestoreService } from '../service/restore/restore.ts';
import type { BackupControllerOptions } from './backup.ts';

interface ObservedRestore extends RestoreFacts {
  readonly object: EtcdCluster | undefined;
}

type RestorePass = Pick<Pass<ProgressMemory>, 'registry' | 'memory'>;

export function RestoreController(options: BackupControllerOptions) {
  return operate(restoreOperator(options), { ...options, name: 'restore', eventSource: OPERATOR_NAME });
}

export function restoreOperator({ settings, progress: read, image }: Omit<BackupControllerOptions, 'monitoring'>) {
  const service = new RestoreService(settings);
  const progress = { read, port: AGENT_PORT, intervalMs: settings.workerLookMs };
  return {
    kind: EtcdRestore,
    finalizer: RESTORE_FINALIZER,
    // Also after a status of its own: the next step follows from it.
    triggers: [{ name: 'restore', changes: [] }],
    observe: (restore: EtcdRestore, pass: RestorePass) => observe(restore, pass, progress),
    decide: service.decide.bind(service),
    act: (step: RestoreAction, restore: EtcdRestore, facts: ObservedRestore, pass: RestorePass) =>
      resultOfWrite(() => perform(step, restore, facts, new KubernetesClient(pass.registry), image)),
    report: service.report.bind(service),
  };
}

async function observe(
  restore: EtcdRestore,
  { registry, memory }: RestorePass,
  progress: ProgressOptions,
): Promise<ObservedRestore> {
  const client = new KubernetesClient(registry);
  const { status, spec, metadata } = restore;
  const namespace = metadata.namespace ?? '';
  if (isRestoreEnded(status)) return ended;
  const [cluster, backup, pod, safety, claims] = await Promise.all([
    client.find(EtcdCluster, namespace, spec.clusterName),
    spec.location ? undefined : client.find(EtcdBackup, namespace, spec.backupName ?? ''),
    status?.worker === undefined ? undefined : client.find(Pod, namespace, status.worker.name),
    status?.safetyBackup === undefined ? undefined : client.find(EtcdBackup, namespace, status.safetyBackup),
    client.list(PersistentVolumeClaim, namespace, `${labels.cluster}=${spec.clusterName}`),
  ]);
  const view = cluster && restoredCluster(restore, cluster, whyUnsettled(cluster));
  const facts = claims.map((claim) => claimFacts(claim, cluster));
  const slotClaim = status?.slot === undefined ? undefined : names.claim(spec.clusterName, status.slot);
  const worker = pod && workerFacts(pod, metadata.uid);
  return {
    object: cluster,
    source: sourceOf(restore, backup),
    cluster: view,
    hasClientTls: hasClientTls(restore, cluster),
    worker,
    progress: await workerProgress(memory, worker, registry.clock, progress),
    claim: facts.find(({ name }) => name === slotClaim),
    parked: facts.filter(({ name, uid }) => view?.parked.some((one) => one.claim === name && one.uid === uid)),
    safety: safety && (safety.status ?? {}),
  };
}

/** Nothing is asked for. */
const ended: ObservedRestore = {
  object: undefined,
  source: { is: 'missing', message: '' },
  cluster: undefined,
  hasClientTls: true,
  worker: undefined,
  progress: undefined,
  claim: undefined,
  parked: [],
  safety: undefined,
};

async function perform(
  step: RestoreAction,
  restore: EtcdRestore,
  { object: cluster, ...facts }: ObservedRestore,
  client: KubernetesClient,
  image: string,
): Promise<void> {
  const { metadata, spec, status } = restore;
  const { name, namespace = '' } = metadata;
  const annotate = async (value: string | null) => {
    if (cluster === undefined) return;
    const patch = { metadata: { annotations: { [annotations.restore]: value } } };
    await client.patch(EtcdCluster, namespace, cluster.metadata.name, patch, { uid: cluster.metadata.uid });
  };
  switch (step.do) {
    case 'createWorker': {
      const subject = { ...facts, restore };
      const worker = { attempt: step.attempt, image };
      const pod =
        step.purpose === 'check'
          ? checkPodOf(step.name, worker, subject)
          : preparePodOf(step.name, worker, subject, cluster);
      if (pod) await client.create(Pod, pod);
      return;
    }
    case 'deleteWorker':
      return client.delete(Pod, namespace, step.name, step.uid);
    case 'createSafetyBackup': {
      const backup = safetyBackupOf(step.name, { ...facts, restore });
      if (backup) await client.create(EtcdBackup, backup);
      return;
    }
    case 'createCluster':
      await client.create(EtcdCluster, clusterOf(restore));
      return;
    case 'askCluster':
      return annotate(name);
    case 'releaseCluster':
      return annotate(null);
    case 'createClaim':
      if (cluster) await client.create(PersistentVolumeClaim, claimOf(cluster, status?.slot ?? 0));
      return;
    case 'deleteCluster':
      return client.delete(EtcdCluster, namespace, spec.clusterName, step.uid);
    case 'deleteClaim':
      return client.delete(PersistentVolumeClaim, namespace, step.name, step.uid);
    default:
  }
}
