import { formatFieldError, type Schema } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { etcdBackupDefinition, etcdRestoreDefinition } from './backup-definition.ts';
import { EtcdBackup, type EtcdBackupInput } from './etcd-backup.ts';
import { EtcdRestore, type EtcdRestoreInput } from './etcd-restore.ts';

const volume = { storageType: 'Volume', volume: { claimName: 'backups' } } as const;
const s3 = { bucket: 'backups', credentialsSecret: { name: 's3' } };

function backupProblems(spec: Partial<EtcdBackupInput['spec']>, old?: Partial<EtcdBackupInput['spec']>, name = 'b') {
  const object = (own: Partial<EtcdBackupInput['spec']>) =>
    EtcdBackup.default({ metadata: { name }, spec: { clusterName: 'main', ...volume, ...own } });
  const before = old && { ...object(old), status: { startTime: '2026-11-17T06:00:00Z' } };
  return EtcdBackup.validate(object(spec), before).map(formatFieldError);
}

function restoreProblems(spec: Partial<EtcdRestoreInput['spec']>) {
  const own = { clusterName: 'main', restoreType: 'New', backupName: 'b', ...spec } as const;
  return EtcdRestore.validate(EtcdRestore.default({ metadata: { name: 'r' }, spec: own })).map(formatFieldError);
}

describe('EtcdBackup', () => {
  it('is complete with a cluster and a destination', () => {
    expect(backupProblems({})).toEqual([]);
    expect(EtcdBackup.default({ metadata: { name: 'b' }, spec: { clusterName: 'main', ...volume } }).spec).toEqual({
      clusterName: 'main',
      ...volume,
      timeZone: 'UTC',
      suspend: false,
      compression: false,
      deletionPolicy: 'Retain',
      backoffLimit: 3,
      timeoutSeconds: 3_600,
      worker: {},
    });
  });

  it.each<[string, Partial<EtcdBackupInput['spec']>]>([
    ['spec.s3: Required value: must be set when storageType is S3', { storageType: 'S3' }],
    ['spec.s3: Forbidden: may not be set when storageType is Volume', { s3 }],
    ['spec.rehearse: Forbidden: may only be set with a schedule', { rehearse: { schedule: '0 6 * * *' } }],
    ['spec.retentionPolicy: Forbidden: may only be set with a schedule', { retentionPolicy: { maxBackups: 1 } }],
    ['must be hours, days or weeks', { schedule: '0 6 * * *', retentionPolicy: { maxAge: '1y' } }],
    ['five fields', { schedule: 'daily' }],
    ['must be the name of a time zone', { schedule: '0 6 * * *', timeZone: 'Mars/Base' }],
    ['must be a relative path', { volume: { claimName: 'backups', path: '../other' } }],
    ['must be http:// or https://', { storageType: 'S3', s3: { ...s3, endpoint: 'minio:9000' } }],
  ])('is refused: %s', (message, spec) => {
    expect(backupProblems(spec).join('\n')).toContain(message);
  });

  it('cannot be changed after a run has started, and never becomes a schedule', () => {
    expect(backupProblems({ compression: true }, {}).join()).toContain('immutable after the start');
    expect(backupProblems({ schedule: '0 6 * * *' }, {}).join()).toContain('cannot be added to');
    expect(backupProblems({}, {})).toEqual([]);
  });

  it('has a name that fits into labels and into the names of runs', () => {
    expect(backupProblems({}, undefined, 'b'.repeat(64)).join()).toContain('63 characters');
    expect(backupProblems({ schedule: '0 6 * * *' }, undefined, 'b'.repeat(53)).join()).toContain('52 characters');
  });
});

describe('EtcdRestore', () => {
  it('needs one source, and a confirmation to replace', () => {
    expect(restoreProblems({})).toEqual([]);
    expect(restoreProblems({ location: { ...volume, key: 'k' } }).join()).toContain('exactly one of');
    expect(restoreProblems({ restoreType: 'Replace' }).join()).toContain('must be the name of the cluster');
    expect(restoreProblems({ restoreType: 'Replace', confirmReplace: 'main' })).toEqual([]);
    expect(restoreProblems({ confirmReplace: 'main' }).join()).toContain('may only be set for Replace');
    expect(restoreProblems({ clusterTemplate: { size: 0 } }).join()).toContain('at least 1');
  });
});

describe.each([
  ['EtcdBackup', EtcdBackup],
  ['EtcdRestore', EtcdRestore],
])('%s', (_name, kind) => {
  it('describes every field', () => {
    expect([...undescribed(kind.spec, 'spec'), ...(kind.status ? undescribed(kind.status, 'status') : [])]).toEqual([]);
  });
});

it('the definitions have the rules in CEL', () => {
  expect(JSON.stringify(etcdBackupDefinition())).toContain('oldSelf.status.startTime');
  expect(JSON.stringify(etcdRestoreDefinition())).toContain('self.confirmReplace == self.clusterName');
  expect(JSON.stringify(etcdRestoreDefinition())).toContain(
    '!has(self.spec.backupName) || self.spec.backupName == oldSelf.spec.backupName',
  );
});

function undescribed(schema: Schema, path: string): string[] {
  if (schema.type === 'list') return undescribed(schema.items, `${path}[]`);
  if (schema.type === 'map') return undescribed(schema.values, `${path}{}`);
  if (schema.type !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, property]) => [
    ...(property.description?.trim() ? [] : [`${path}.${name}`]),
    ...undescribed(property, `${path}.${name}`),
  ]);
}
