/** Planted defects of backups and restores, each with the story that it spoils and what detects it. */
import { replace } from '@ecsm/runtime/simulation';
import type * as attempts from '../../src/service/backup/attempt.ts';
import type * as backups from '../../src/service/backup/decision.ts';
import type { BackupDecision, BackupInput } from '../../src/service/backup/model.ts';
import type { Decision, PassInput } from '../../src/service/model.ts';
import type * as decisions from '../../src/service/next-action.ts';
import type * as restores from '../../src/service/restore/decision.ts';
import type { RestoreDecision, RestoreInput } from '../../src/service/restore/model.ts';
import type { Mutant } from './mutants.kit.ts';
import { rules } from './rules.kit.ts';
import { asked, silent } from './scenario.kit.ts';

const attempting = (change: (step: attempts.AttemptStep) => attempts.AttemptStep) => () =>
  replace<typeof attempts.attempt>(
    'attempt',
    (original) => (record, pod, limits) => change(original(record, pod, limits)),
  );

const backingUp = (change: (decision: BackupDecision, input: BackupInput) => BackupDecision) => () =>
  replace<typeof backups.nextBackupStep>('nextBackupStep', (original) => (input) => change(original(input), input));

const scheduling = (change: (input: BackupInput) => BackupInput) => () =>
  replace<typeof backups.nextBackupStep>('nextBackupStep', (original) => (input) => original(change(input)));

const restoring = (change: (decision: RestoreDecision, input: RestoreInput) => RestoreDecision) => () =>
  replace<typeof restores.nextRestoreStep>('nextRestoreStep', (original) => (input) => change(original(input), input));

const deciding = (change: (decision: Decision, input: PassInput) => Decision) => () =>
  replace<typeof decisions.nextAction>('nextAction', (original) => (input) => change(original(input), input));

const faulty = 'backups while workers end and the store fails';
const scheduled = 'a schedule with retention and rehearsals';
const inPlace = 'a restore in place of a running cluster';
const failing = 'a restore that fails, or is deleted';

export const backupMutants: readonly Mutant[] = [
  {
    name: 'a run is complete when its pod has ended, whatever it answered',
    story: faulty,
    caughtBy: [rules.complete],
    plant: attempting((step) =>
      step.is === 'retrying' ? { is: 'done', record: step.record, result: { ok: true, fields: {} } } : step,
    ),
  },
  {
    name: 'a pod that is slow is taken for lost, and the next one has another name',
    story: faulty,
    caughtBy: [rules.oneWorker, rules.complete],
    plant: () =>
      replace<typeof attempts.attempt>('attempt', (original) => (record, pod, limits) => {
        const isSlow = pod !== undefined && limits.nowMs - (record.worker?.startedAtMs ?? 0) > 3_000;
        if (!limits.name.endsWith('-backup')) return original(record, pod, limits);
        const name = `${limits.name}-${record.attempts + (record.worker ? 0 : 1)}`;
        return original(record, isSlow && pod?.phase === 'Pending' ? undefined : pod, { ...limits, name });
      }),
  },
  {
    name: 'a schedule does not wait for its run',
    story: scheduled,
    caughtBy: [rules.oneRun],
    plant: scheduling((input) => {
      const { active, ...status } = input.backup.status ?? {};
      const isRunning = input.children.some(({ name }) => name === active?.name);
      return isRunning ? { ...input, backup: { ...input.backup, status } } : input;
    }),
  },
  {
    name: 'a suspended schedule goes on',
    story: scheduled,
    caughtBy: [asked, silent],
    plant: scheduling((input) => {
      const { backup } = input;
      return { ...input, backup: { ...backup, spec: { ...backup.spec, suspend: false } } };
    }),
  },
  {
    name: 'the finalizer of a backup is never removed',
    story: faulty,
    caughtBy: [asked],
    plant: backingUp((decision, { backup }) =>
      backup.metadata.deletionTimestamp === undefined ? decision : { ...decision, hold: true },
    ),
  },
  {
    name: 'the data is restored while the former members run',
    story: inPlace,
    caughtBy: [rules.beside],
    plant: deciding((decision) => {
      const { restore } = decision.recorded;
      if (restore?.phase !== 'Stopping' || decision.action?.do !== 'setRange') return decision;
      const { action: _, ...rest } = decision;
      const { clusterId: __, ...recorded } = decision.recorded;
      return { ...rest, recorded: { ...recorded, restore: { ...restore, phase: 'Waiting' } } };
    }),
  },
  {
    name: 'former volumes are deleted as those of removed members',
    story: inPlace,
    caughtBy: [rules.volumes],
    plant: () =>
      replace<typeof decisions.nextAction>('nextAction', (original) => (input) => {
        const decision = original({ ...input, recorded: { ...input.recorded, parked: {} } });
        const { parked } = input.recorded;
        return { ...decision, recorded: { ...decision.recorded, ...(parked ? { parked } : {}) } };
      }),
  },
  {
    name: 'a restore uses the safety backup of an earlier one with its name',
    story: inPlace,
    caughtBy: [rules.safety],
    plant: restoring((decision, { restore }) =>
      decision.status.safetyBackup === undefined
        ? decision
        : { ...decision, status: { ...decision.status, safetyBackup: `${restore.metadata.name}-safety` } },
    ),
  },
  {
    name: 'a restore deletes the volumes that an earlier one has kept',
    story: inPlace,
    caughtBy: [rules.volumes],
    plant: () =>
      replace<typeof restores.nextRestoreStep>('nextRestoreStep', (original) => (input) => {
        const { restore, parked } = input;
        if (restore.status?.step !== 'Growing') return original(input);
        const parkedVolumes = parked.map(({ name }) => name);
        return original({ ...input, restore: { ...restore, status: { ...restore.status, parkedVolumes } } });
      }),
  },
  {
    name: 'the former members are not started after a restore has failed',
    story: failing,
    caughtBy: [asked, rules.second, rules.writes],
    plant: deciding((decision, { recorded }) => {
      const isBack = recorded.restore !== undefined && decision.recorded.restore === undefined;
      if (!isBack || decision.recorded.stopped === undefined) return decision;
      const { stopped: _, ...rest } = decision.recorded;
      return { ...decision, recorded: { ...rest, volumes: {} } };
    }),
  },
  {
    name: 'a restore that is deleted in the middle does not lead back',
    story: failing,
    caughtBy: [asked],
    plant: restoring((decision, { restore }) => {
      const { action: _, ...rest } = decision;
      if (restore.metadata.deletionTimestamp === undefined) return decision;
      return { ...rest, status: restore.status ?? {}, hold: false };
    }),
  },
  {
    name: 'a restore is complete before the cluster was released',
    story: inPlace,
    caughtBy: [asked],
    plant: restoring((decision) => {
      const { action, status, ...rest } = decision;
      if (action?.do !== 'releaseCluster' || status.step !== 'Growing') return decision;
      return { ...rest, status: { ...status, phase: 'Completed', step: 'Done' }, hold: false };
    }),
  },
];
