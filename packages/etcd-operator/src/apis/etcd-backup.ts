/** EtcdBackup: one backup of an etcd cluster, or with a schedule many. Its fields are defined in the schemas of this folder. */
import { defineKind, type InputOf, type ObjectOf } from '@ecsm/runtime';
import { checkBackup } from './backup-rules.ts';
import { backupSpec } from './backup-spec-schema.ts';
import { backupStatus } from './backup-status-schema.ts';
import { GROUP } from './well-known.ts';

export const EtcdBackup = defineKind({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'EtcdBackup',
  plural: 'etcdbackups',
  description:
    'A backup of an etcd cluster. With a schedule it creates an EtcdBackup for each run, and deletes those that its retention policy does not keep.',
  spec: backupSpec,
  status: backupStatus,
  validate: checkBackup,
  columns: [
    { name: 'PHASE', path: 'status.phase' },
    { name: 'CLUSTER', path: 'spec.clusterName' },
    { name: 'STORAGE', path: 'spec.storageType' },
    { name: 'SIZE', path: 'status.backupSize' },
    { name: 'REVISION', path: 'status.etcdRevision' },
    { name: 'SCHEDULE', wide: true, path: 'spec.schedule' },
    { name: 'DURATION', wide: true, path: 'status.duration' },
    { name: 'REHEARSED', wide: true, path: 'status.rehearsal.result' },
  ],
});

export type EtcdBackup = ObjectOf<typeof EtcdBackup>;
export type EtcdBackupInput = InputOf<typeof EtcdBackup>;
export type EtcdBackupSpec = EtcdBackup['spec'];
export type EtcdBackupStatus = NonNullable<EtcdBackup['status']>;
