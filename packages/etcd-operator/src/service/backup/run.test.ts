import { findCondition } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import type { EtcdBackup } from '../../apis/etcd-backup.ts';
import { backupOf, ended, inputOf, pod, settle, startMs, stored } from './backup.kit.ts';
import { nextBackupStep } from './decision.ts';
import type { BackupInput } from './model.ts';

const first = 'nightly-backup';

/** After the pod of an attempt was created and seen. */
function running(known: Partial<BackupInput> = {}, spec = {}): BackupInput {
  const begun = settle(inputOf(backupOf(spec)));
  const seen = settle({ ...begun.input, worker: pod(first) });
  return { ...seen.input, worker: pod(first), ...known };
}

describe('a run', () => {
  it('records its pod, and the name of what it stores, before it creates the pod', () => {
    const { status, action } = settle(inputOf(backupOf()));
    expect(action).toEqual({ do: 'createWorker', name: first, attempt: 1, purpose: 'backup' });
    expect(status).toMatchObject({
      phase: 'Running',
      attempts: 1,
      worker: { name: first },
      keyBase: 'default/main/20261117T060000Z-12345678',
    });
  });

  it('creates the same pod after a crash in between, and no other one', () => {
    const begun = settle(inputOf(backupOf()));
    expect(settle(begun.input)).toMatchObject({ action: { do: 'createWorker', name: first }, status: { attempts: 1 } });
  });

  it('is complete with what its pod answered, and deletes the pod', () => {
    const { status, action } = nextBackupStep(running({ worker: ended(first, stored) }));
    expect(action).toMatchObject({ do: 'deleteWorker', name: first });
    expect(status).toMatchObject({
      phase: 'Completed',
      storagePath: stored.key,
      manifestPath: stored.manifestKey,
      backupSize: 100,
      databaseSize: 200,
      etcdRevision: '7',
      checksums: { snapshotSha256: stored.sha256 },
      duration: '0s',
    });
    expect(findCondition(status.conditions, 'Complete')).toMatchObject({ status: 'True', reason: 'Completed' });
  });

  it.each([
    ['an answer that it failed', ended(first, { ok: false, code: 'Full', message: 'no space', isRetriable: true })],
    ['no answer', ended(first, 'killed')],
    [
      'an answer of success and a failure',
      {
        ...ended(first, stored),
        containers: [
          { name: 'agent', isInit: false, exitCode: 137, reason: 'OOMKilled', message: JSON.stringify(stored) },
        ],
      },
    ],
    ['an eviction', pod(first, { phase: 'Failed', reason: 'Evicted' })],
    ['a deletion', undefined],
  ])('is never complete, and repeated after a pause: %s', (_what, worker) => {
    const { status } = nextBackupStep(running({ worker }));
    expect(status).toMatchObject({ phase: 'Running', attempts: 1, nextAttemptTime: '2026-11-17T06:00:10Z' });
    expect(status.worker).toBeUndefined();
    const again = settle({ ...running(), backup: backupOf({}, status), nowMs: startMs + 10_000, worker: undefined });
    expect(again).toMatchObject({
      action: { do: 'createWorker', name: 'nightly-backup', attempt: 2 },
      status: { attempts: 2 },
    });
    expect(again.status.keyBase).toBe(status.keyBase);
  });

  it('does not wait for the next attempt until the clock, which was ahead, reaches its time again', () => {
    const { status } = nextBackupStep(running({ worker: undefined, nowMs: startMs + 86_400_000 }));
    const later = { ...running(), backup: backupOf({}, status), worker: undefined };
    expect(settle(later).action).toMatchObject({ do: 'createWorker', attempt: 2 });
  });

  it('says between two attempts why the last one failed', () => {
    const worker = ended(first, { ok: false, code: 'Unavailable', message: 'no answer', isRetriable: true });
    const failed = nextBackupStep(running({ worker })).status;
    const { status } = settle({
      ...running(),
      backup: backupOf({}, failed),
      nowMs: startMs + 5_000,
      worker: undefined,
    });
    expect(status).toEqual(failed);
    expect(status.message).toBe('attempt 1 failed: no answer');
    expect(findCondition(status.conditions, 'Complete')?.reason).toBe('Retrying');
  });

  it('is not repeated if its cluster was deleted, and waits for a pod that was not seen yet', () => {
    const failed = nextBackupStep(running({ worker: undefined })).status;
    const later = { ...running(), backup: backupOf({}, failed), nowMs: startMs + 10_000, worker: undefined };
    const { status } = settle({ ...later, cluster: undefined });
    expect(status).toMatchObject({ phase: 'Failed', message: 'there is no EtcdCluster main in this namespace' });
    expect(findCondition(status.conditions, 'Complete')?.reason).toBe('ClusterNotFound');
    const begun = settle(inputOf(backupOf()));
    expect(settle({ ...begun.input, cluster: undefined }).status.phase).toBe('Running');
  });

  it('says what to do while its pod does not start', () => {
    const worker = pod(first, { phase: 'Pending' });
    const hint = `"kubectl describe pod ${first}" shows what is missing`;
    expect(nextBackupStep(running({ worker })).status.message).toContain(hint);
    const late = nextBackupStep(running({ worker, nowMs: startMs + 3_601_000 })).status;
    expect(late.worker?.ending).toContain(hint);
  });

  it('deletes the pod of an attempt that was taken for lost, before it goes on', () => {
    const lost = nextBackupStep(running({ worker: undefined })).status;
    const again = settle({ ...running(), backup: backupOf({}, lost), nowMs: startMs + 10_000, worker: undefined });
    const found = nextBackupStep({ ...again.input, worker: ended(first, stored) });
    expect(found).toMatchObject({ action: { do: 'deleteWorker', name: first }, status: { phase: 'Running' } });
    expect(nextBackupStep({ ...again.input, worker: pod(first, { isDeleting: true }) }).action).toBeUndefined();
  });

  it('fails at once if a repetition cannot help, with the code and the words of the pod', () => {
    const answer = { ok: false, code: 'Denied', message: 'allow it', isRetriable: false };
    const { status } = nextBackupStep(running({ worker: ended(first, answer) }));
    expect(status).toMatchObject({ phase: 'Failed', message: 'allow it' });
    expect(findCondition(status.conditions, 'Complete')?.reason).toBe('Denied');
  });

  it('fails after the last attempt', () => {
    const { status } = nextBackupStep(running({ worker: ended(first, 'killed') }, { backoffLimit: 0 }));
    expect(status.phase).toBe('Failed');
  });

  it('reports an image that cannot be pulled at once, and once as an event: it waited for an hour in silence', () => {
    const worker = pod(first, { phase: 'Pending', waiting: 'ErrImagePull: no such image' });
    const input = running({ worker });
    const { status, events } = nextBackupStep(input);
    expect(findCondition(status.conditions, 'Complete')).toMatchObject({
      reason: 'ImageNotPulled',
      message: 'ErrImagePull: no such image',
    });
    expect(events).toEqual([{ type: 'Warning', reason: 'ImageNotPulled', message: 'ErrImagePull: no such image' }]);
    expect(nextBackupStep({ ...input, backup: backupOf({}, status) }).events).toEqual([]);
  });

  it('ends a pod that takes too long, waits until it is gone, and tries again', () => {
    const worker = pod(first, { phase: 'Pending', waiting: 'ErrImagePull: no such image' });
    const late = running({ worker, nowMs: startMs + 3_601_000 });
    const { action, status } = nextBackupStep(late);
    expect(action).toMatchObject({ do: 'deleteWorker', name: first });
    const ending = { ...late, backup: backupOf({}, status) };
    expect(nextBackupStep({ ...ending, worker: pod(first, { isDeleting: true }) }).action).toBeUndefined();
    const gone = nextBackupStep({ ...ending, worker: undefined });
    expect(gone.status).toMatchObject({ phase: 'Running', message: expect.stringContaining('no such image') });
  });

  it('fails without a cluster, is skipped for a stopped one, and waits for one that does not serve', () => {
    const { cluster } = inputOf(backupOf());
    expect(cluster).toBeDefined();
    const step = (known: Partial<BackupInput>) => nextBackupStep(inputOf(backupOf(), known)).status;
    expect(step({ cluster: undefined })).toMatchObject({ phase: 'Failed' });
    if (cluster === undefined) return;
    expect(step({ cluster: { ...cluster, isStopped: true } })).toMatchObject({ phase: 'Skipped' });
    const silent = { ...cluster, isServing: false };
    expect(step({ cluster: silent })).toMatchObject({ phase: 'Pending', message: cluster.message });
    expect(step({ cluster: silent, nowMs: startMs + 601_000 })).toMatchObject({ phase: 'Failed' });
  });

  it('has a finalizer from its start on, if its object is to be deleted with it', () => {
    const spec = { deletionPolicy: 'Delete' } as const;
    const { cluster } = inputOf(backupOf());
    const holdOf = (backup: EtcdBackup, known: Partial<BackupInput> = {}) =>
      nextBackupStep(inputOf(backup, known)).hold;
    const waiting = cluster && { cluster: { ...cluster, isServing: false } };
    expect([holdOf(backupOf(spec), waiting), holdOf(backupOf(spec))]).toEqual([false, true]);
    expect(holdOf(backupOf())).toBe(false);
    const { status } = settle(inputOf(backupOf(spec)));
    expect(holdOf(backupOf(spec, status))).toBe(true);
    const finalizers = ['etcd.ecsm.sh/stored-backup'];
    expect(holdOf(backupOf(spec, { ...status, phase: 'Completed' }, { finalizers }))).toBe(true);
  });

  it('gets no finalizer again when it has ended: its schedule removes it, and keeps what is stored', () => {
    const ended = { phase: 'Completed', startTime: '2026-11-17T06:00:00Z' } as const;
    expect(nextBackupStep(inputOf(backupOf({ deletionPolicy: 'Delete' }, ended))).hold).toBe(false);
  });
});

describe('a run that is deleted, with the policy Delete', () => {
  const metadata = { finalizers: ['etcd.ecsm.sh/stored-backup'], deletionTimestamp: '2026-11-17T07:00:00Z' };
  const complete = {
    phase: 'Completed',
    keyBase: 'k',
    manifestPath: 'k-r7.manifest.json',
    storagePath: 'k-r7.db',
  } as const;
  const deleting = (known: Partial<BackupInput> = {}, status: object = complete) =>
    inputOf(backupOf({ deletionPolicy: 'Delete', backoffLimit: 0 }, status, metadata), known);

  it('has a pod delete the stored object, and goes then', () => {
    const begun = nextBackupStep(deleting());
    expect(begun.action).toEqual({ do: 'createWorker', name: 'nightly-prune', attempt: 1, purpose: 'prune' });
    const seen = nextBackupStep(deleting({ worker: pod('nightly-prune') }, begun.status));
    const done = deleting({ worker: ended('nightly-prune', { ok: true, do: 'prune' }) }, seen.status);
    expect(nextBackupStep(done)).toMatchObject({ hold: false });
    expect([begun.hold, seen.hold]).not.toContain(false);
  });

  it('goes with a warning if the store is gone: it never blocks for ever', () => {
    const begun = nextBackupStep(deleting());
    const seen = nextBackupStep(deleting({ worker: pod('nightly-prune') }, begun.status));
    const failed = nextBackupStep(deleting({ worker: ended('nightly-prune', 'no store') }, seen.status));
    expect([failed.action, failed.hold]).toEqual([undefined, false]);
    expect(failed.events).toMatchObject([{ type: 'Warning', reason: 'ObjectLeftBehind' }]);
  });

  it('stops its own pod before', () => {
    const worker = pod(first);
    expect(nextBackupStep(deleting({ worker }, { phase: 'Running', keyBase: 'k' })).action).toMatchObject({
      do: 'deleteWorker',
      name: first,
    });
  });
});
