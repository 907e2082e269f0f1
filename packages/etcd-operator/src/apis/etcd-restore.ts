/** EtcdRestore: a backup is restored into a new cluster, or in place of the data of an existing one. */
import { defineKind, type InputOf, type ObjectOf } from '@ecsm/runtime';
import { checkRestore } from './backup-rules.ts';
import { restoreSpec, restoreStatus } from './restore-schema.ts';
import { GROUP } from './well-known.ts';

export const EtcdRestore = defineKind({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'EtcdRestore',
  plural: 'etcdrestores',
  description: 'A restore of a backup into a new etcd cluster, or in place of the data of an existing one.',
  spec: restoreSpec,
  status: restoreStatus,
  validate: checkRestore,
  columns: [
    { name: 'PHASE', path: 'status.phase' },
    { name: 'STEP', path: 'status.step' },
    { name: 'CLUSTER', path: 'spec.clusterName' },
    { name: 'TYPE', path: 'spec.restoreType' },
    { name: 'BACKUP', path: 'spec.backupName' },
    { name: 'REVISION', wide: true, path: 'status.etcdRevision' },
  ],
});

export type EtcdRestore = ObjectOf<typeof EtcdRestore>;
export type EtcdRestoreInput = InputOf<typeof EtcdRestore>;
export type EtcdRestoreSpec = EtcdRestore['spec'];
export type EtcdRestoreStatus = NonNullable<EtcdRestore['status']>;
