import { checkDnsSubdomain, findCondition, timestampAt } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { EtcdRestore, type EtcdRestoreInput, type EtcdRestoreStatus } from '../../apis/etcd-restore.ts';
import type { RestoredCluster } from '../../resource/restore-objects.ts';
import { ended, pod, startMs } from '../backup/backup.kit.ts';
import { nextRestoreStep } from './decision.ts';
import type { RestoreInput } from './model.ts';

const main: RestoredCluster = {
  uid: 'u1',
  isAsked: false,
  other: undefined,
  isDeleting: false,
  isPaused: false,
  isStopped: false,
  hasQuorum: true,
  unsettled: undefined,
  isDenied: false,
  version: '3.5.16',
  restore: undefined,
  isRestoring: false,
  isRestored: false,
  former: [],
  parked: [],
};
const fetched = {
  ok: true,
  do: 'fetch',
  revision: '7',
  keys: 5,
  sizeBytes: 200,
  sha256: 'a',
  databaseSha256: 'd',
  version: '3.5.16',
};

function inputOf(
  known: Partial<RestoreInput> = {},
  status?: EtcdRestoreStatus,
  spec: Partial<EtcdRestoreInput['spec']> = { restoreType: 'Replace', confirmReplace: 'main' },
): RestoreInput {
  const object = EtcdRestore.default({
    metadata: { name: 'back' },
    spec: { backupName: 'b', clusterName: 'main', restoreType: 'New', ...spec },
  });
  const metadata = {
    ...object.metadata,
    namespace: 'default',
    uid: 'r1',
    generation: 1,
    resourceVersion: '1',
  };
  return {
    restore: {
      ...object,
      metadata: { ...metadata, creationTimestamp: timestampAt(startMs) },
      ...(status ? { status } : {}),
    },
    nowMs: startMs,
    source: {
      is: 'found',
      place: { storageType: 'Volume', volume: { claimName: 'backups' } },
      encryption: undefined,
      key: 'k.manifest.json',
      recorded: undefined,
    },
    cluster: main,
    hasClientTls: true,
    worker: undefined,
    progress: undefined,
    claim: undefined,
    parked: [],
    safety: undefined,
    settings: { workerLookMs: 2_000, workerRetryMs: 10_000 },
    ...known,
  };
}

const at = (step: EtcdRestoreStatus['step'], more: EtcdRestoreStatus = {}): EtcdRestoreStatus => ({
  phase: 'Running',
  startTime: timestampAt(startMs),
  stepTime: timestampAt(startMs),
  clusterUID: 'u1',
  ...(step === undefined ? {} : { step }),
  ...more,
});
const reasonOf = ({ conditions }: EtcdRestoreStatus) => findCondition(conditions, 'Complete')?.reason;

/** Two minutes are the longest that a problem may be unknown. */
function expectNotPulled(known: Partial<RestoreInput>, status: EtcdRestoreStatus): void {
  const message = 'ImagePullBackOff: no such image';
  const input = inputOf({ worker: pod('w', { phase: 'Pending', waiting: message }), ...known }, status);
  const waiting = nextRestoreStep(input);
  expect(findCondition(waiting.status.conditions, 'Complete')).toMatchObject({ reason: 'ImageNotPulled', message });
  expect(waiting.events).toEqual([{ type: 'Warning', reason: 'ImageNotPulled', message }]);
  expect(waiting.requeueAfterMs).toBeLessThan(120_000);
  const again = nextRestoreStep({ ...input, restore: { ...input.restore, status: waiting.status } });
  expect(again.events).toEqual([]);
  expect(reasonOf(again.status)).toBe('ImageNotPulled');
}

const asNew = { restoreType: 'New', clusterTemplate: { size: 3, version: 'v3.5.16' } } as const;

describe('a restore begins', () => {
  it('with a check of the backup, before anything is changed', () => {
    const { status, action, hold } = nextRestoreStep(inputOf());
    expect(status).toMatchObject({ phase: 'Running', step: 'Checking', clusterUID: 'u1' });
    expect([action, hold]).toEqual([undefined, true]);
    expect(nextRestoreStep(inputOf({}, status)).action).toMatchObject({ do: 'createWorker', purpose: 'check' });
  });

  it.each<[string, Partial<RestoreInput>, Partial<EtcdRestoreInput['spec']>?]>([
    ['BackupNotFound', { source: { is: 'missing', message: 'gone' } }],
    ['BackupNotComplete', { source: { is: 'unusable', message: 'failed' } }],
    ['ClusterNotFound', { cluster: undefined }],
    ['ClusterExists', {}, asNew],
    ['ClusterNotReplaceable', { cluster: { ...main, isPaused: true } }],
    ['ClusterNotReplaceable', { cluster: { ...main, isStopped: true } }],
    ['ClusterNotReplaceable', { cluster: { ...main, isRestoring: true } }],
    ['ClusterNotReplaceable', { cluster: { ...main, other: 'other' } }],
    ['BumpNotSupported', { cluster: { ...main, version: '3.5.9' } }],
  ])('not, and nothing is touched: %s', (reason, known, spec) => {
    const { status, action, hold } = nextRestoreStep(
      inputOf(known, undefined, spec ?? { restoreType: 'Replace', confirmReplace: 'main' }),
    );
    expect(status.phase).toBe('Failed');
    expect(reasonOf(status)).toBe(reason);
    expect([action, hold]).toEqual([undefined, false]);
  });

  it('later if the backup is not complete yet', () => {
    const { status, hold } = nextRestoreStep(inputOf({ source: { is: 'unfinished', message: 'waiting' } }));
    expect(status).toMatchObject({ phase: 'Pending' });
    expect(hold).toBe(false);
  });
});

describe('after the check', () => {
  const checking = at('Checking', {
    attempts: 1,
    worker: { name: 'w', uid: 'uid of w', startedAt: timestampAt(startMs) },
  });
  const checked = (answer: object, known: Partial<RestoreInput> = {}, spec?: Partial<EtcdRestoreInput['spec']>) =>
    nextRestoreStep(inputOf({ worker: ended('w', answer), ...known }, checking, spec));

  it('the cluster is backed up before it is stopped, if it has a quorum', () => {
    expect(checked(fetched).status).toMatchObject({ step: 'SafetyBackup', etcdRevision: '7', keys: 5 });
    expect(checked(fetched).status).toMatchObject({ snapshotSha256: 'a', databaseSha256: 'd' });
    expect(checked(fetched, { cluster: { ...main, hasQuorum: false } }).status.step).toBe('Stopping');
    const spec = { restoreType: 'Replace', confirmReplace: 'main', safetyBackup: false } as const;
    expect(checked(fetched, {}, spec).status.step).toBe('Stopping');
  });

  it('an image of the check that cannot be pulled is reported soon, and once as an event', () => {
    expectNotPulled({}, checking);
  });

  it('a new cluster is created', () => {
    expect(checked(fetched, { cluster: undefined }, asNew).status.step).toBe('Creating');
  });

  it('a backup that is refused fails the restore, and nothing is touched', () => {
    const { status } = checked({ ok: false, code: 'WrongKey', message: 'give the key', isRetriable: false });
    expect(status).toMatchObject({ phase: 'Failed', message: 'give the key' });
    expect(reasonOf(status)).toBe('WrongKey');
  });

  it('data with authentication is restored into a cluster with TLS only, and nothing is touched otherwise', () => {
    const data = { ...fetched, isAuthEnabled: true };
    expect(checked(data).status.step).toBe('SafetyBackup');
    const { status } = checked(data, { hasClientTls: false });
    expect(status.phase).toBe('Failed');
    expect(reasonOf(status)).toBe('AuthenticationRequired');
  });
});

describe('a safety backup', () => {
  it('is recorded, created, waited for, and has to be complete', () => {
    const named = nextRestoreStep(inputOf({}, at('SafetyBackup'))).status;
    expect(named.safetyBackup).toBe('back-safety-r1');
    const step = (safety: RestoreInput['safety']) => nextRestoreStep(inputOf({ safety }, named));
    expect(step(undefined).action).toEqual({ do: 'createSafetyBackup', name: 'back-safety-r1' });
    expect(step({ phase: 'Running' }).status.step).toBe('SafetyBackup');
    expect(step({ phase: 'Completed' }).status.step).toBe('Stopping');
    expect(reasonOf(step({ phase: 'Failed' }).status)).toBe('SafetyBackupFailed');
  });

  it('is not waited for without its place, or for ever', () => {
    const status = at('SafetyBackup', { safetyBackup: 'back-safety-r1' });
    const gone = nextRestoreStep(inputOf({ source: { is: 'missing', message: 'gone' } }, status)).status;
    expect([gone.phase, reasonOf(gone)]).toEqual(['Failed', 'BackupNotFound']);
    const late = nextRestoreStep(inputOf({ nowMs: startMs + 3_601_000 }, status)).status;
    expect([late.phase, reasonOf(late)]).toEqual(['Failed', 'StepTimeout']);
  });

  const nameFor = (name: string, uid: string) => {
    const input = inputOf({}, at('SafetyBackup'));
    const { restore } = input;
    const metadata = { ...restore.metadata, name, uid };
    return nextRestoreStep({ ...input, restore: { ...restore, metadata } }).status.safetyBackup;
  };

  it('is not that of an earlier restore with the same name', () => {
    const names = ['0a1b2c3d-0000-4000-8000-000000000000', '4e5f6a7b-0000-4000-8000-000000000000'].map((uid) =>
      nameFor('back', uid),
    );
    expect(names).toEqual(['back-safety-0a1b2c3d', 'back-safety-4e5f6a7b']);
  });

  it.each([
    ['cut', `${'a'.repeat(60)}.b`, `${'a'.repeat(47)}-safety-0a1b2c3d`],
    ['not cut after a dash or a dot', `${'a'.repeat(45)}.-${'b'.repeat(16)}`, `${'a'.repeat(45)}-safety-0a1b2c3d`],
  ])('has a valid name for a restore with a long one: %s', (_, name, expected) => {
    expect(nameFor(name, '0a1b2c3d-0000-4000-8000-000000000000')).toBe(expected);
    expect(checkDnsSubdomain(expected)).toBeUndefined();
  });
});

describe('the data is prepared', () => {
  it('not by a cluster that does not stop because Kubernetes refuses to ask it: nothing was changed', () => {
    const { status, action } = nextRestoreStep(inputOf({ nowMs: startMs + 3_601_000 }, at('Stopping')));
    expect([status.phase, reasonOf(status), action]).toEqual(['Failed', 'StepTimeout', undefined]);
    expect(findCondition(status.conditions, 'Complete')?.message).toBe('Stopping took longer than 3600 s');
  });

  it('after the cluster has stopped', () => {
    expect(nextRestoreStep(inputOf({}, at('Stopping'))).action).toEqual({ do: 'askCluster' });
    const asked = { ...main, isAsked: true };
    const waiting = (phase: string) =>
      nextRestoreStep(inputOf({ cluster: { ...asked, restore: { phase, slot: 3 } } }, at('Stopping'))).status;
    expect(waiting('Stopping').step).toBe('Stopping');
    expect(waiting('Waiting')).toMatchObject({ step: 'Preparing', slot: 3 });
  });

  const preparing = { ...main, isAsked: true, restore: { phase: 'Waiting', slot: 3 } };
  const claim = { name: 'data-main-3', uid: 'v3', isOurs: true, isDeleting: false };

  it('in a volume that is recorded before it is filled', () => {
    const status = at('Preparing', { slot: 3 });
    expect(nextRestoreStep(inputOf({ cluster: preparing }, status)).action).toEqual({ do: 'createClaim' });
    const seen = nextRestoreStep(inputOf({ cluster: preparing, claim }, status));
    expect(seen).toMatchObject({ status: { volumeUID: 'v3' } });
    const next = nextRestoreStep(inputOf({ cluster: preparing, claim }, seen.status));
    expect(next.action).toMatchObject({ do: 'createWorker', purpose: 'prepare' });
  });

  const filled = at('Preparing', { slot: 3, volumeUID: 'v3' });
  it.each<[string, Partial<RestoreInput>]>([
    ['the cluster was deleted', { cluster: undefined, claim }],
    ['another cluster of the name', { cluster: { ...preparing, uid: 'u2' }, claim }],
    ['the cluster gave it up', { cluster: { ...preparing, restore: undefined }, claim }],
    ['the volume was deleted', { cluster: preparing }],
  ])('or the restore leads back: %s', (_what, known) => {
    expect(nextRestoreStep(inputOf(known, filled)).status).toMatchObject({ phase: 'RollingBack', step: 'RollingBack' });
  });

  it.each<[string, RestoreInput['source']]>([
    ['BackupNotFound', { is: 'missing', message: 'gone' }],
    ['BackupNotComplete', { is: 'unfinished', message: 'made again' }],
  ])('or the restore leads back if the backup is not there any more: %s', (reason, source) => {
    const begun = nextRestoreStep(inputOf({ cluster: preparing, claim }, filled)).status;
    for (const status of [filled, begun]) {
      const back = nextRestoreStep(inputOf({ cluster: preparing, claim, source }, status)).status;
      expect([back.step, reasonOf(back)]).toEqual(['RollingBack', reason]);
    }
    // A pod that works has all that it needs.
    const working = { cluster: preparing, claim, source, worker: pod('back-prepare') };
    expect(nextRestoreStep(inputOf(working, begun)).status.step).toBe('Preparing');
  });

  it('and an image that cannot be pulled is reported soon, and once as an event', () => {
    const worker = { name: 'w', uid: 'uid of w', startedAt: timestampAt(startMs) };
    expectNotPulled({ cluster: preparing, claim }, { ...filled, attempts: 1, worker });
  });

  it('or the restore leads back if there is no volume for it in time', () => {
    const late = inputOf({ cluster: preparing, nowMs: startMs + 3_601_000 }, at('Preparing', { slot: 3 }));
    const { status } = nextRestoreStep(late);
    expect([status.step, reasonOf(status)]).toEqual(['RollingBack', 'StepTimeout']);
  });

  it('and compared, before there is no way back', () => {
    const starting = at('Starting', { slot: 3, volumeUID: 'v3', etcdRevision: '7' });
    const step = (revision: string, keys?: number) => {
      const restore = { phase: 'Starting', slot: 3, revision, ...(keys === undefined ? {} : { keys }) };
      return nextRestoreStep(inputOf({ cluster: { ...preparing, restore }, claim }, { ...starting, keys: 5 })).status;
    };
    expect(step('1000000007').step).toBe('Growing');
    expect(step('1000000007', 5).step).toBe('Growing');
    expect(step('1000000006')).toMatchObject({ step: 'RollingBack' });
    expect(step('1000000007', 4)).toMatchObject({ step: 'RollingBack' });
    expect(reasonOf(step('1000000007', 4))).toBe('KeysDiffer');
    const late = inputOf(
      { cluster: { ...preparing, unsettled: 'waiting' }, claim, nowMs: startMs + 3_601_000 },
      starting,
    );
    expect(nextRestoreStep(late).status.step).toBe('RollingBack');
    expect(reasonOf(nextRestoreStep(late).status)).toBe('StepTimeout');
  });
});

describe('at the end', () => {
  const restored = { ...main, isAsked: true, isRestored: true };
  const parked = [{ name: 'data-main-0', uid: 'v0', isOurs: true, isDeleting: false }];
  it('the annotation goes, and former volumes are kept and named', () => {
    const growing = at('Growing');
    expect(
      nextRestoreStep(inputOf({ cluster: { ...restored, unsettled: 'joining' } }, growing)).action,
    ).toBeUndefined();
    expect(nextRestoreStep(inputOf({ cluster: restored, parked }, growing)).action).toEqual({ do: 'releaseCluster' });
    const { status } = nextRestoreStep(inputOf({ cluster: { ...restored, isAsked: false }, parked }, growing));
    expect(status).toMatchObject({ phase: 'Completed', parkedVolumes: ['data-main-0'] });
  });

  it('former volumes are deleted if that is asked for', () => {
    const spec = { restoreType: 'Replace', confirmReplace: 'main', parkedVolumes: 'Delete' } as const;
    const former = ['data-main-0'];
    const starting = {
      ...main,
      isAsked: true,
      former,
      restore: { phase: 'Starting', slot: 3, revision: '1000000000' },
    };
    const { status } = nextRestoreStep(inputOf({ cluster: starting }, at('Starting'), spec));
    expect(status).toMatchObject({ step: 'Growing', parkedVolumes: former });
    const { action } = nextRestoreStep(inputOf({ cluster: restored, parked }, status, spec));
    expect(action).toEqual({ do: 'deleteClaim', name: 'data-main-0', uid: 'v0' });
  });

  it('volumes that an earlier restore has kept are not deleted, and named', () => {
    const spec = { restoreType: 'Replace', confirmReplace: 'main', parkedVolumes: 'Delete' } as const;
    const growing = at('Growing', { parkedVolumes: ['data-main-3'] });
    const after = nextRestoreStep(inputOf({ cluster: { ...restored, isAsked: false }, parked }, growing, spec));
    expect(after.action).toBeUndefined();
    expect(after.status).toMatchObject({ phase: 'Completed', parkedVolumes: ['data-main-0'] });
  });

  it('a cluster whose annotation was removed too early is not waited for', () => {
    const { status } = nextRestoreStep(inputOf({}, at('Growing')));
    expect([status.phase, reasonOf(status)]).toEqual(['Failed', 'ClusterChanged']);
    const restoring = { ...main, isRestoring: true };
    expect(nextRestoreStep(inputOf({ cluster: restoring }, at('Growing'))).status.step).toBe('Growing');
  });
});

describe('a restore that is deleted', () => {
  const deleted = (status: EtcdRestoreStatus | undefined, known: Partial<RestoreInput> = {}) => {
    const input = inputOf(known, status);
    const metadata = { ...input.restore.metadata, deletionTimestamp: timestampAt(startMs) };
    return nextRestoreStep({ ...input, restore: { ...input.restore, metadata } });
  };

  it('goes at once if nothing was changed yet, or it has ended', () => {
    for (const status of [undefined, at('Checking'), at('SafetyBackup'), at('Done', { phase: 'Completed' })]) {
      const { action, hold } = deleted(status);
      expect([action, hold]).toEqual([undefined, false]);
    }
  });

  it('leads back before, and lets the cluster go on when there is no way back', () => {
    for (const step of ['Stopping', 'Preparing', 'Starting'] as const) {
      expect(deleted(at(step))).toMatchObject({ status: { step: 'RollingBack' }, hold: true });
    }
    const cluster = { ...main, isAsked: true };
    const growing = (known: RestoredCluster) => {
      const { action, hold } = deleted(at('Growing'), { cluster: known });
      return [action?.do, hold];
    };
    expect(growing(cluster)).toEqual([undefined, true]);
    expect(growing({ ...cluster, isRestored: true })).toEqual(['releaseCluster', true]);
    expect(growing({ ...main, isRestored: true })).toEqual([undefined, false]);
    expect(growing(main)).toEqual([undefined, false]);
  });
});

describe('on the way back', () => {
  const back = at('RollingBack', { slot: 3, volumeUID: 'v3', phase: 'RollingBack' });
  const asked = { ...main, isAsked: true };
  const claim = { name: 'data-main-3', uid: 'v3', isOurs: true, isDeleting: false };

  it('the pod stops, the former members start, and what was created is deleted', () => {
    const order = [
      inputOf({ cluster: asked, claim, worker: pod('w') }, back),
      inputOf({ cluster: { ...asked, restore: { phase: 'Waiting', slot: 3 } }, claim }, back),
      inputOf({ cluster: asked, claim }, back),
      inputOf({ claim }, back),
    ].map((input) => nextRestoreStep(input).action?.do);
    expect(order).toEqual(['deleteWorker', undefined, 'releaseCluster', 'deleteClaim']);
    // Failed and released at once: no change of the object would cause another pass.
    expect(nextRestoreStep(inputOf({}, back))).toMatchObject({ status: { phase: 'Failed' }, hold: false });
  });

  it('a new cluster is deleted, and no other one', () => {
    expect(nextRestoreStep(inputOf({ cluster: asked, claim }, back, asNew)).action).toEqual({
      do: 'deleteCluster',
      uid: 'u1',
    });
    const other = { ...asked, uid: 'u2' };
    expect(nextRestoreStep(inputOf({ cluster: other }, back, asNew)).action).toBeUndefined();
  });
});
