import { describe, expect, it } from 'vitest';
import type { EtcdBackupInput, EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import { backupOf, child, ended, inputOf, pod, settle, startMs } from './backup.kit.ts';
import { nextBackupStep } from './decision.ts';
import type { BackupInput } from './model.ts';

const hourMs = 3_600_000;
const hourly = (spec: Partial<EtcdBackupInput['spec']> = {}, status?: EtcdBackupStatus) =>
  backupOf({ schedule: '30 * * * *', ...spec }, status);
const at = (hours: number, known: Partial<BackupInput> = {}, backup = hourly()) =>
  inputOf(backup, { nowMs: startMs + hours * hourMs, ...known });
const runAt = (hours: number) => `nightly-${Math.floor((startMs + hours * hourMs) / 60_000)}`;

describe('a schedule', () => {
  it('waits for its next time', () => {
    expect(settle(at(0))).toMatchObject({
      status: { phase: 'Scheduled', nextScheduleTime: '2026-11-17T06:30:00Z' },
      requeueAfterMs: hourMs / 2,
    });
  });

  it('records a run before it creates it, and creates the same one after a crash', () => {
    const { action, status, input } = settle(at(0.5));
    expect(action).toEqual({ do: 'createChild', name: runAt(0.5) });
    expect(status).toMatchObject({ active: { name: runAt(0.5) }, lastScheduleTime: '2026-11-17T06:30:00Z' });
    expect(settle({ ...input, nowMs: startMs + 3 * hourMs }).action).toEqual(action);
  });

  it('makes one run of many times that were missed', () => {
    const { action, status } = settle(at(48.75));
    expect(action).toEqual({ do: 'createChild', name: runAt(48.5) });
    expect(status.lastScheduleTime).toBe('2026-11-19T06:30:00Z');
  });

  it('misses a time that is later than its deadline, with an event', () => {
    const input = at(0.75, {}, hourly({ startingDeadlineSeconds: 60 }));
    const decision = nextBackupStep(input);
    expect(decision.events).toMatchObject([{ reason: 'RunMissed' }]);
    expect(settle(input)).toMatchObject({ status: { phase: 'Scheduled' } });
    expect(settle(input).action).toBeUndefined();
  });

  it('has one run at a time', () => {
    const active = child(runAt(0.5), { phase: 'Running' });
    const { input } = settle(at(0.5));
    const { action, status } = settle({ ...input, children: [active], nowMs: startMs + 5 * hourMs });
    expect(action).toBeUndefined();
    expect(status.active).toEqual({ name: active.name, uid: active.uid });
    const complete = child(active.name, { phase: 'Completed', completionTime: '2026-11-17T06:31:00Z', backupSize: 5 });
    const next = settle({ ...input, backup: hourly({}, status), children: [complete], nowMs: startMs + 5 * hourMs });
    expect(next.action).toEqual({ do: 'createChild', name: runAt(4.5) });
    expect(next.status).toMatchObject({
      lastBackup: complete.name,
      lastSuccessfulTime: '2026-11-17T06:31:00Z',
      backupSize: 5,
    });
  });

  it('does not create a run again that a user deleted', () => {
    const { input } = settle(at(0.5));
    const seen = settle({ ...input, children: [child(runAt(0.5), { phase: 'Running' })] });
    expect(settle({ ...seen.input, children: [] }).action).toBeUndefined();
  });

  it('starts nothing while it is suspended', () => {
    expect(settle(at(5, {}, hourly({ suspend: true })))).toMatchObject({
      status: { phase: 'Suspended' },
      requeueAfterMs: undefined,
    });
  });

  it('deletes runs whose object was pruned, only those, and old failed ones', () => {
    const done = (name: string, status: EtcdBackupStatus = {}) =>
      child(name, { phase: 'Completed', manifestPath: `${name}-r1.manifest.json`, ...status });
    const children = [done('a'), done('b'), done('ab'), done('c', { pruned: ['a-r1', 'x-r1'] })];
    expect(settle(at(0, { children })).action).toMatchObject({ do: 'deleteChild', name: 'a' });
    expect(settle(at(0, { children: children.slice(1) })).action).toBeUndefined();
    const failed = ['d', 'e', 'f', 'g'].map((name) => child(name, { phase: 'Failed' }));
    expect(settle(at(0, { children: failed })).action).toMatchObject({ do: 'deleteChild', name: 'd' });
    expect(settle(at(0, { children: failed.slice(1) })).action).toBeUndefined();
  });
});

describe('a rehearsal', () => {
  const rehearsing = hourly({ rehearse: { schedule: '0 * * * *' } });
  const newest = child('run-2', { phase: 'Completed', completionTime: '2026-11-17T06:31:00Z' });
  const children = [child('run-1', { phase: 'Completed' }), newest, child('run-3', { phase: 'Failed' })];
  const begin = () => {
    const asked = { ...rehearsing, status: { lastScheduleTime: '2026-11-17T06:59:00Z' } };
    return settle(at(1, { children }, asked));
  };

  it('restores the newest complete backup, recorded before its pod is created', () => {
    const { action, status } = begin();
    expect(action).toMatchObject({ do: 'createWorker', purpose: 'rehearsal' });
    expect(status.rehearsal).toMatchObject({ backup: 'run-2', lastScheduleTime: '2026-11-17T07:00:00Z' });
  });

  it.each([
    ['Passed', { ok: true, do: 'check' }],
    ['Failed', { ok: false, code: 'HashMismatch', message: 'other content', isRetriable: true }],
  ])('has the result %s, and its pod is deleted', (result, answer) => {
    const { input, status } = begin();
    const name = status.rehearsal?.worker?.name ?? '';
    const attempt = Math.floor((startMs + hourMs) / 60_000);
    const seen = settle({ ...input, rehearsal: pod(name, { attempt }) });
    const done = nextBackupStep({ ...seen.input, rehearsal: ended(name, answer, 'check', { attempt }) });
    expect(done.action).toMatchObject({ do: 'deleteWorker', name, purpose: 'rehearsal' });
    expect(done.status.rehearsal).toMatchObject({ result, backup: 'run-2', time: expect.any(String) });
    expect(done.events).toMatchObject([{ reason: `Rehearsal${result}` }]);
  });

  it('waits for a run in progress, which is then the newest and may have deleted the one before', () => {
    const name = 'run-4';
    const running = child(name, { phase: 'Running' });
    const status = { lastScheduleTime: '2026-11-17T07:00:00Z', active: { name, uid: running.uid } };
    const during = settle(at(1, { children: [...children, running] }, { ...rehearsing, status }));
    expect(during.action).toBeUndefined();
    expect(during.status.rehearsal).toBeUndefined();
    const after = [...children, child(name, { phase: 'Completed' })];
    const next = settle({ ...during.input, children: after });
    expect(next.action).toMatchObject({ do: 'createWorker', purpose: 'rehearsal' });
    expect(next.status.rehearsal).toMatchObject({ backup: name, lastScheduleTime: '2026-11-17T07:00:00Z' });
  });

  it('fails without a complete backup', () => {
    const asked = { ...rehearsing, status: { lastScheduleTime: '2026-11-17T06:59:00Z' } };
    expect(nextBackupStep(at(1, {}, asked)).status.rehearsal).toMatchObject({ result: 'Failed' });
  });
});

describe('after the clock was ahead', () => {
  const ahead = '2036-01-01T00:00:00Z';

  it('a schedule goes on at its next time', () => {
    const { input } = settle(at(0, {}, hourly({}, { lastScheduleTime: ahead })));
    expect(settle({ ...input, nowMs: startMs + 0.5 * hourMs }).action).toEqual({ do: 'createChild', name: runAt(0.5) });
  });

  it('a run that exists is not created again', () => {
    const { input } = settle(at(0, {}, hourly({}, { lastScheduleTime: ahead })));
    const children = [child(runAt(0.5), { phase: 'Completed' })];
    expect(settle({ ...input, children, nowMs: startMs + 0.5 * hourMs }).action).toBeUndefined();
  });

  it('a schedule that was created then begins at its next time', () => {
    const made = hourly();
    const created = { ...made, metadata: { ...made.metadata, creationTimestamp: ahead } };
    const { input, action } = settle(at(0, {}, created));
    expect(action).toBeUndefined();
    expect(settle({ ...input, nowMs: startMs + 0.5 * hourMs }).action).toEqual({ do: 'createChild', name: runAt(0.5) });
  });

  it('rehearsals go on at their next time', () => {
    const rehearse = { schedule: '0 * * * *' };
    const children = [child('a', { phase: 'Completed' })];
    const made = hourly({ rehearse, schedule: '30 2 1 1 *' });
    for (const backup of [
      { ...made, status: { rehearsal: { lastScheduleTime: ahead } } },
      { ...made, metadata: { ...made.metadata, creationTimestamp: ahead } },
    ]) {
      const { input } = settle(at(0.1, { children }, backup));
      const { action } = settle({ ...input, nowMs: startMs + hourMs });
      expect(action).toMatchObject({ do: 'createWorker', purpose: 'rehearsal' });
    }
  });
});
