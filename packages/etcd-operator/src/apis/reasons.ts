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
  AsExpected: 'There are no problems.',
  Complete: 'There is nothing to change.',
  Creating: 'The cluster is being created: its first member forms it, the others join one after another.',
  Scaling: 'Members are added or removed, one after another.',
  Upgrading: 'Members are upgraded to another version, one after another.',
  Updating: 'Members are restarted with changed settings, one after another.',
  Repairing: 'A member is restarted or replaced.',
  Recovering: 'The quorum was lost and is recovered from the data of one member.',
  Restoring: 'The data of the cluster is restored from a backup. No former member runs.',
  Starting: 'The members of a stopped cluster are started.',
  Stopping: 'All members are being stopped. Their volumes are kept.',
  Stopped: 'All members are stopped because spec.size is 0. Their volumes are kept.',
  Deleting: 'The cluster is being deleted.',
  Paused: 'Nothing is changed because spec.paused is true.',

  InvalidSpec: 'The spec is not valid, or cannot be reached from the present state. Nothing is changed.',
  WaitingForPod: 'A pod is not running: it is not scheduled, its image is not pulled, or it does not start.',
  WaitingForVolume: 'A volume is not bound.',
  WaitingForQuorum: 'Too few members serve for now to change anything.',

  MemberUnhealthy: 'A member does not serve.',
  RestoreMissing:
    'The annotation etcd.ecsm.sh/restore names an EtcdRestore that does not exist. Nothing is started: remove the annotation to form an empty cluster.',
  AuthenticationRequired: 'etcd has authentication enabled, and refuses the operator.',
  QuorumLost:
    'Too few members are healthy to serve. If their pods cannot be brought back, the annotation etcd.ecsm.sh/recover-quorum-from allows a recovery from the data of one member.',
  Unreachable: 'The operator cannot reach any member. Nothing is known about the membership, and nothing is changed.',
  DataMissing: 'Volumes with the data of the cluster do not exist any more. Restore a backup.',
  VolumesExist: 'Volumes of the name exist that belong to another cluster. They are not used and not deleted.',
  ForeignObjects: 'An object of the name exists that this cluster does not own. It is not changed.',
  ForeignMember: 'etcd lists a member that belongs to no pod of this cluster.',
  ClusterIDMismatch: 'Members report different cluster ids: there are two clusters behind one name.',
  DatabaseQuotaExceeded: 'A database has reached its quota, and etcd accepts no more writes.',
  CorruptUnknownMember: 'etcd reports corrupt data and cannot tell which member is wrong. Nothing is changed.',
  AlarmActive: 'An alarm of etcd is active: the cluster is neither stopped nor upgraded until it is cleared.',
  UpgradeBlocked: 'The version of the spec cannot be reached from the present one. The message says how.',
  UpgradeStuck: 'A member did not come back with the new version. The upgrade does not continue.',
  VolumeNotBound: 'A member waits for its volume, which is not provisioned.',
  PodNotScheduled: 'A member waits for a node. The message has the words of the scheduler.',
  PodNotStopped: 'The pod of a member does not end. Its node may be lost.',
  ImageNotPulled: 'A member does not start because its image cannot be pulled.',
  ContainerNotRunning: 'A member does not start: its container ends, or cannot be created.',
  LearnerNotInSync: 'A new member runs, and does not catch up with the leader in time.',
  OperationStuck: 'What the operator is doing takes longer than expected. The message says what it waits for.',
  StorageResizeBlocked: 'Volumes cannot be enlarged: their StorageClass does not allow it, or their driver fails.',

  CertificatesValid: 'All certificates are valid.',
  CertificatesIssuing: 'Certificates are being issued or renewed.',
  CertificateRotating: 'The authority is being replaced, in passes over all members.',
  AuthorityLost:
    'The key of the authority was deleted or damaged. Members and clients keep their certificates until they trust a new authority; if none of them is left in a Secret, the message says what to do.',
  CertificateUntrusted:
    'TLS between the operator and members fails: one side does not accept the certificate of the other. Members may serve clients.',
  CertificateInvalid: 'A certificate of the user cannot be used: the message says why.',
  TLSDisabled: 'TLS is not enabled.',
} as const;

export type ConditionReason = keyof typeof conditionReasons;

/** Reasons of events. Every reason of the condition Degraded is also one, of a warning when it begins. */
export const eventReasons = {
  ClusterCreated: 'The cluster was formed by its first member.',
  ClusterReady: 'All members exist, run the version of the spec and serve.',
  ClusterStopped: 'All members were stopped.',
  ClusterStarted: 'The members of a stopped cluster serve again.',
  MemberPromoted: 'A learner became a voter.',
  MemberRemoved: 'A member was removed.',
  MemberReplaced: 'A member whose data was lost was replaced.',
  MemberRestarted: 'The pod of a member was deleted to start it again.',
  QuorumRestored: 'The cluster serves again after it had lost its quorum.',
  RecoveryStarted: 'A recovery from the data of one member was started.',
  RecoveryCompleted: 'The cluster was recovered from the data of one member.',
  RecoveryCancelled: 'The quorum came back before the recovery changed anything.',
  RestoreStarted: 'All members are stopped to restore a backup.',
  ClusterRestored: 'The cluster runs with the data of a backup.',
  RestoreCancelled: 'A restore has failed, and the former members are started again.',
  Defragmented: 'The database of a member was defragmented.',
  AlarmDisarmed: 'An alarm of etcd was cleared.',
  CertificatesRenewed: 'Certificates were renewed.',
  UpgradeStarted: 'Members are restarted with another version, one after another.',
} as const;

export type EventReason = keyof typeof eventReasons;
