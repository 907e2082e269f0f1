/** Rules of EtcdBackup and EtcdRestore that concern more than one field, or the change of one. */
import { deepEqual, type FieldError, type Infer } from '@ecsm/runtime';
import type { backupSpec } from './backup-spec-schema.ts';
import type { restoreSpec } from './restore-schema.ts';

type BackupSpec = Infer<typeof backupSpec>;
type RestoreSpec = Infer<typeof restoreSpec>;
type Location = Pick<BackupSpec, 'storageType' | 's3' | 'volume'>;

interface Checked<Spec> {
  readonly metadata: { readonly name: string };
  readonly spec: Spec;
  readonly status?: { readonly startTime?: string };
}

/** A label with the name is on the pods of a run. */
export const RUN_NAME_LENGTH_MAX = 63;
/** Runs of a schedule have its name and the minute of their time. */
export const SCHEDULE_NAME_LENGTH_MAX = 52;

export const STARTED_MESSAGE = 'field is immutable after the start: create another object';
export const SCHEDULE_MESSAGE = 'cannot be added to or removed from an object that exists';
export const ONLY_SCHEDULE_MESSAGE = 'may only be set with a schedule';
export const SOURCE_MESSAGE = 'exactly one of backupName and location must be set';
export const CONFIRM_MESSAGE = 'must be the name of the cluster that is replaced: its present data is taken out of use';
export const ONLY_NEW_MESSAGE = 'may only be set for New: Replace keeps the spec of the cluster';
export const ONLY_REPLACE_MESSAGE = 'may only be set for Replace';
export const TEMPLATE_SIZE_MESSAGE = 'must be at least 1: a restore starts a member';

export function checkBackup({ metadata, spec }: Checked<BackupSpec>, old?: Checked<BackupSpec>): FieldError[] {
  const isSchedule = spec.schedule !== undefined;
  const errors = [
    ...checkName(metadata.name, isSchedule ? SCHEDULE_NAME_LENGTH_MAX : RUN_NAME_LENGTH_MAX),
    ...checkLocation('spec', spec),
  ];
  for (const field of ['retentionPolicy', 'rehearse'] as const) {
    if (!isSchedule && spec[field] !== undefined) errors.push(forbidden(`spec.${field}`, ONLY_SCHEDULE_MESSAGE));
  }
  if (old && isSchedule !== (old.spec.schedule !== undefined)) {
    errors.push(forbidden('spec.schedule', SCHEDULE_MESSAGE));
  }
  return [...errors, ...checkStarted(spec, old)];
}

export function checkRestore({ metadata, spec }: Checked<RestoreSpec>, old?: Checked<RestoreSpec>): FieldError[] {
  const errors = checkName(metadata.name, RUN_NAME_LENGTH_MAX);
  if ((spec.backupName === undefined) === (spec.location === undefined)) {
    errors.push({ path: 'spec', type: 'Invalid value', message: SOURCE_MESSAGE });
  }
  if (spec.location) errors.push(...checkLocation('spec.location', spec.location));
  if (spec.restoreType === 'Replace') {
    if (spec.confirmReplace !== spec.clusterName) errors.push(invalid('spec.confirmReplace', CONFIRM_MESSAGE));
    if (spec.clusterTemplate) errors.push(forbidden('spec.clusterTemplate', ONLY_NEW_MESSAGE));
  } else {
    if (spec.confirmReplace !== undefined) errors.push(forbidden('spec.confirmReplace', ONLY_REPLACE_MESSAGE));
    if (spec.clusterTemplate?.size === 0) errors.push(invalid('spec.clusterTemplate.size', TEMPLATE_SIZE_MESSAGE));
  }
  return [...errors, ...checkStarted(spec, old)];
}

function checkName(name: string, lengthMax: number): FieldError[] {
  if (name.length <= lengthMax) return [];
  return [{ path: 'metadata.name', type: 'Too long', message: `must be no more than ${lengthMax} characters` }];
}

const fieldOf = { S3: 's3', Volume: 'volume' } as const;

function checkLocation(path: string, location: Location): FieldError[] {
  const own = fieldOf[location.storageType];
  const other = own === 's3' ? 'volume' : 's3';
  return [
    ...(location[own] === undefined
      ? [{ path: `${path}.${own}`, type: 'Required value', message: requiredFor(location.storageType) } as const]
      : []),
    ...(location[other] === undefined ? [] : [forbidden(`${path}.${other}`, forbiddenFor(location.storageType))]),
  ];
}

export function requiredFor(type: Location['storageType']): string {
  return `must be set when storageType is ${type}`;
}

export function forbiddenFor(type: Location['storageType']): string {
  return `may not be set when storageType is ${type}`;
}

function checkStarted<Spec>(spec: Spec, old: Checked<Spec> | undefined): FieldError[] {
  if (old?.status?.startTime === undefined || deepEqual(spec, old.spec)) return [];
  return [forbidden('spec', STARTED_MESSAGE)];
}

function invalid(path: string, message: string): FieldError {
  return { path, type: 'Invalid value', message };
}

function forbidden(path: string, message: string): FieldError {
  return { path, type: 'Forbidden', message };
}
