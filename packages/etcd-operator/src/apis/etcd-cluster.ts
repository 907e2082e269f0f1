/** EtcdCluster: the desired state of an etcd cluster. Its fields are defined once, in the schemas of this folder. */
import { defineKind, type InputOf, type ObjectOf } from '@ecsm/runtime';
import { checkCluster } from './cluster-rules.ts';
import { spec } from './spec-schema.ts';
import { status } from './status-schema.ts';
import { GROUP } from './well-known.ts';

export const EtcdCluster = defineKind({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'EtcdCluster',
  plural: 'etcdclusters',
  shortNames: ['etcd'],
  description:
    'An etcd cluster. The annotation etcd.ecsm.sh/recover-quorum-from, with the name of a pod or auto, recovers a cluster that has lost its quorum from the data of one member.',
  spec,
  status,
  validate: checkCluster,
  columns: [
    { name: 'PHASE', path: 'status.phase' },
    { name: 'SIZE', path: 'spec.size' },
    { name: 'READY', path: 'status.readyReplicas' },
    { name: 'VERSION', path: 'spec.version' },
    { name: 'RUNNING', wide: true, path: 'status.currentVersion' },
    { name: 'OPERATION', wide: true, path: 'status.operation.type' },
    { name: 'LEADER', wide: true, path: 'status.leaderID' },
  ],
  scale: {
    specReplicasPath: 'spec.size',
    statusReplicasPath: 'status.replicas',
    labelSelectorPath: 'status.selector',
  },
});

export type EtcdCluster = ObjectOf<typeof EtcdCluster>;
export type EtcdClusterInput = InputOf<typeof EtcdCluster>;
export type EtcdClusterSpec = EtcdCluster['spec'];
export type EtcdClusterStatus = NonNullable<EtcdCluster['status']>;
export type MemberStatus = NonNullable<EtcdClusterStatus['members']>[number];
export type OperationStatus = NonNullable<EtcdClusterStatus['operation']>;
