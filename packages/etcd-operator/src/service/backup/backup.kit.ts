/** Inputs of decisions about backups, for tests: everything is as it should be unless it is said. */
import { timestampAt } from '@ecsm/runtime';
import { EtcdBackup, type EtcdBackupInput, type EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import type { ChildFacts } from '../../resource/backup-objects.ts';
import type { WorkerFacts } from '../../resource/worker-facts.ts';
import { nextBackupStep } from './decision.ts';
import type { BackupDecision, BackupInput } from './model.ts';

export const startMs = Date.parse('2026-11-17T06:00:00Z');

export function backupOf(
  spec: Partial<EtcdBackupInput['spec']> = {},
  status?: EtcdBackupStatus,
  metadata: Partial<EtcdBackup['metadata']> = {},
): EtcdBackup {
  const object = EtcdBackup.default({
    metadata: { name: 'nightly' },
    spec: { clusterName: 'main', storageType: 'Volume', volume: { claimName: 'backups' }, ...spec },
  });
  return {
    ...object,
    metadata: {
      ...object.metadata,
      namespace: 'default',
      uid: '12345678-aaaa',
      generation: 1,
      resourceVersion: '1',
      creationTimestamp: timestampAt(startMs),
      ...metadata,
    },
    ...(status ? { status } : {}),
  };
}

export function inputOf(backup: EtcdBackup, known: Partial<BackupInput> = {}): BackupInput {
  return {
    backup,
    nowMs: startMs,
    cluster: {
      uid: 'u1',
      clusterId: 'c1',
      isStopped: false,
      isServing: true,
      endpoints: [{ host: 'main-0', address: '10.0.0.1', port: 2379 }],
      message: 'main does not serve',
    },
    worker: undefined,
    progress: undefined,
    rehearsal: undefined,
    children: [],
    settings: { workerLookMs: 2_000, workerRetryMs: 10_000 },
    ...known,
  };
}

export function pod(name: string, known: Partial<WorkerFacts> = {}): WorkerFacts {
  return {
    name,
    uid: `uid of ${name}`,
    isOurs: true,
    phase: 'Running',
    isDeleting: false,
    attempt: 1,
    address: undefined,
    reason: undefined,
    waiting: undefined,
    containers: [],
    ...known,
  };
}

/** A pod that has ended with this answer. */
export function ended(
  name: string,
  answer: object | string,
  container = 'agent',
  known: Partial<WorkerFacts> = {},
): WorkerFacts {
  const message = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const isOk = typeof answer === 'object' && 'ok' in answer && answer.ok === true;
  const exitCode = isOk ? 0 : 1;
  return pod(name, {
    phase: isOk ? 'Succeeded' : 'Failed',
    containers: [{ name: container, isInit: false, exitCode, reason: isOk ? 'Completed' : 'Error', message }],
    ...known,
  });
}

export const stored = {
  ok: true,
  do: 'backup',
  key: 'default/main/x-r7.db',
  manifestKey: 'default/main/x-r7.manifest.json',
  sizeBytes: 200,
  storedSizeBytes: 100,
  sha256: 'a'.repeat(64),
  storedSha256: 'b'.repeat(64),
  revision: '7',
  keys: 5,
  hash: 'cafe',
  version: '3.5.16',
  pruned: [],
};

export function child(name: string, status: EtcdBackupStatus, known: Partial<ChildFacts> = {}): ChildFacts {
  return { name, uid: `uid of ${name}`, isDeleting: false, createdAtMs: startMs, status, ...known };
}

/** Decides until nothing is recorded any more without an action, as passes do. */
export function settle(input: BackupInput): BackupDecision & { readonly input: BackupInput } {
  let current = input;
  for (let pass = 0; pass < 10; pass++) {
    const decision = nextBackupStep(current);
    const next = { ...current, backup: { ...current.backup, status: decision.status } };
    if (decision.action || decision.requeueAfterMs !== 0) return { ...decision, input: next };
    current = next;
  }
  throw new Error('it does not settle');
}
