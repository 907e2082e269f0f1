/**
 * Every reason that a condition or an event of an EtcdCluster may have, and its meaning. Reasons are never renamed: users
 * have alerts on them.
 */

export const conditionTypes = {
  Ready: 'All members that the spec asks for exist, run its version and serve.',
  Available: 'The cluster has a quorum and serves reads and writes.',
  Progressing: 'The operator is changing the cluster.',
  Degraded: 'Something needs attention; the reason says what.',
  CertificatesReady: 'All certificates are valid and trusted by all members.',
} as const;

export type ConditionType = keyof typeof conditionTypes;

/** Reasons of conditions. */
export const conditionReasons = {
  Running: 'The cluster runs as the spec says.',
  Healthy: 'All members are healthy.',
  AsExpected: 'There are no problems.',
  Complete: 'There is nothing to change.',
  Creating: 'The cluster is being created: its first member forms it, the others join one after another.',
  Scaling: 'Members are added or removed, one after another.',
  Upgrading: 'Members are upgraded to another version, one after another.',
  Updating: 'Members are restarted with changed settings, one after another.',
  Repairing: 'A member is restarted or replaced.',
  Recovering: 'The quorum was lost and is recovered from the data of one member.',
  Starting: 'The members of a stopped cluster are started.',
  Stopping: 'All members are being stopped. Their volumes are kept.',
  Stopped: 'All members are stopped because spec.size is 0. Their volumes are kept.',
  Deleting: 'The cluster is being deleted.',
  Paused: 'Nothing is changed because spec.paused is true.',
  Failed: 'The operator cannot continue; the message says why.',

  InvalidSpec: 'The spec is not valid, or cannot be reached from the present state. Nothing is changed.',
  WaitingForPod: 'A pod is not running: it is not scheduled, its image is not pulled, or it does not start.',
  WaitingForVolume: 'A volume is not bound.',
  WaitingForMember: 'A member has started and does not serve yet.',
  WaitingForLearner: 'A new member copies the data of the leader.',
  WaitingForDeletion: 'A pod or a volume is being deleted.',
  WaitingForEtcd: 'etcd refuses a change of the membership for now, as after a change of the connections.',
  WaitingForQuorum: 'Too few members serve for now to change anything.',
  WaitingForSecret: 'A Secret that the spec names does not exist or is not complete.',
  Stuck: 'The present operation has not advanced for longer than expected.',

  MemberUnhealthy: 'A member does not serve.',
  MemberCrashing: 'The container of a member ends again and again.',
  QuorumAtRisk: 'One more failure loses the quorum.',
  QuorumLost:
    'Too few members are healthy to serve. If their pods cannot be brought back, the annotation etcd.etcd.io/recover-quorum-from allows a recovery from the data of one member.',
  Unreachable: 'The operator cannot reach any member. Nothing is known about the membership, and nothing is changed.',
  DataMissing: 'Volumes with the data of the cluster do not exist any more. Restore a backup.',
  VolumesExist: 'Volumes of the name exist that belong to another cluster. They are not used and not deleted.',
  ForeignObjects: 'An object of the name exists that this cluster does not own. It is not changed.',
  ForeignMember: 'etcd lists a member that belongs to no pod of this cluster.',
  ClusterIDMismatch: 'Members report different cluster ids: there are two clusters behind one name.',
  DatabaseQuotaExceeded: 'A database has reached its quota, and etcd accepts no more writes.',
  Corrupt: 'etcd reports that the data of a member is corrupt.',
  CorruptUnknownMember: 'etcd reports corrupt data and cannot tell which member is wrong. Nothing is changed.',
  AlarmActive: 'An alarm of etcd is active: the cluster is neither stopped nor upgraded until it is cleared.',
  UpgradeBlocked: 'The version of the spec cannot be reached from the present one. The message says how.',
  UpgradeStuck: 'A member did not come back with the new version. The upgrade does not continue.',
  StorageResizeBlocked: 'Volumes cannot be enlarged: their StorageClass does not allow it.',
  DrainsBlocked: 'A cluster of one member has none to spare: draining its node is blocked.',

  CertificatesValid: 'All certificates are valid.',
  CertificatesIssuing: 'Certificates are being issued or renewed.',
  CertificateRotating: 'The authority is being replaced, in passes over all members.',
  CertificateExpiring: 'A certificate of the user expires soon.',
  CertificateExpired: 'A certificate has expired.',
  CertificateInvalid: 'A certificate of the user cannot be used: the message says why.',
  TLSDisabled: 'TLS is not enabled.',
} as const;

export type ConditionReason = keyof typeof conditionReasons;

/** Reasons of events. */
export const eventReasons = {
  ClusterCreated: 'The cluster was formed by its first member.',
  ClusterReady: 'All members serve.',
  ClusterScaled: 'The cluster has reached its size.',
  ClusterUpgraded: 'All members run the new version.',
  ClusterUpdated: 'All members run with the changed settings.',
  ClusterStopped: 'All members were stopped.',
  ClusterStarted: 'The members of a stopped cluster serve again.',
  ClusterFailed: 'The operator cannot continue.',
  ClusterDeleted: 'The objects of the cluster were deleted.',
  MemberAdded: 'A member was added as a learner.',
  MemberPromoted: 'A learner became a voter.',
  MemberRemoved: 'A member was removed.',
  MemberReplaced: 'A member whose data was lost was replaced.',
  MemberRestarted: 'The pod of a member was deleted to start it again.',
  MemberUpgraded: 'A member runs the new version.',
  MemberUnhealthy: 'A member does not serve.',
  LeaderMoved: 'The leadership was moved to another member.',
  QuorumLost: 'Too few members are healthy to serve.',
  QuorumRestored: 'The cluster serves again.',
  RecoveryStarted: 'A recovery from the data of one member was started.',
  RecoveryCompleted: 'The cluster was recovered from the data of one member.',
  RecoveryCancelled: 'The quorum came back before the recovery changed anything.',
  DatabaseQuotaExceeded: 'A database has reached its quota.',
  Compacted: 'The history was compacted to free space.',
  Defragmented: 'The database of a member was defragmented.',
  AlarmDisarmed: 'An alarm of etcd was cleared.',
  Corrupt: 'The data of a member is corrupt.',
  CertificatesIssued: 'Certificates were issued.',
  CertificatesRenewed: 'Certificates were renewed.',
  CertificateExpiring: 'A certificate expires soon.',
  CertificateExpired: 'A certificate has expired.',
  VolumeDeleted: 'The volume of a removed member was deleted.',
  VolumeExpanded: 'A volume was enlarged.',
  VolumesExist: 'Volumes of the name belong to another cluster.',
  DataMissing: 'Volumes with the data of the cluster do not exist any more.',
  InvalidSpec: 'The spec cannot be carried out.',
  UpgradeStarted: 'Members are restarted with another version, one after another.',
  UpgradeBlocked: 'The version of the spec cannot be reached.',
  UpgradeStuck: 'A member did not come back with the new version.',
  OperationStuck: 'The present operation has not advanced for longer than expected.',
  BackupCreated: 'A backup was completed.',
  BackupFailed: 'A backup failed.',
} as const;

export type EventReason = keyof typeof eventReasons;
