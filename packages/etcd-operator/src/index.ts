/** The public interface of the etcd operator. */

export { etcdClusterDefinition, etcdClusterValidations } from './apis/cluster-definition.ts';
export { CLUSTER_NAME_LENGTH_MAX } from './apis/cluster-rules.ts';
export { EtcdBackup, type EtcdBackupInput, type EtcdBackupSpec, type EtcdBackupStatus } from './apis/etcd-backup.ts';
export {
  EtcdCluster,
  type EtcdClusterInput,
  type EtcdClusterSpec,
  type EtcdClusterStatus,
  type MemberStatus,
  type OperationStatus,
} from './apis/etcd-cluster.ts';
export {
  EtcdRestore,
  type EtcdRestoreInput,
  type EtcdRestoreSpec,
  type EtcdRestoreStatus,
} from './apis/etcd-restore.ts';
export {
  type ConditionReason,
  type ConditionType,
  conditionReasons,
  conditionTypes,
  type EventReason,
  eventReasons,
} from './apis/reasons.ts';
export { type Phase, phases } from './apis/status-schema.ts';
export * as wellKnown from './apis/well-known.ts';
export * from './client/etcd/contract.ts';
export { EtcdError, isEtcdError } from './client/etcd/error.ts';
export { connectGateway } from './client/etcd/gateway.ts';
export {
  EtcdOperator,
  type EtcdOperatorOptions,
  type EtcdOperatorSettings,
  operatorKinds,
  settingsDefault,
  whyUnsettled,
} from './controller/operator.ts';
