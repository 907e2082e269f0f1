/**
 * Every reason of the conditions and events of EtcdBackup and EtcdRestore, and its meaning. Failures of a worker pod have
 * the code that it answered as their reason. Reasons are never renamed: users have alerts on them.
 */

export const backupConditionTypes = {
  Complete: 'The run has ended well: a whole and verified backup is stored.',
  Scheduled: 'Runs are started by the schedule.',
} as const;

export const backupReasons = {
  Completed: 'The backup is stored, whole and verified.',
  Working: 'A pod is working.',
  Retrying: 'An attempt has failed and is repeated. The message says why.',
  ImageNotPulled:
    'The image of a pod cannot be pulled; the message names it. If it is that of etcd-agent, correct --worker-image of the operator, and delete the pod: the next attempt creates another one.',
  WaitingForCluster: 'The cluster does not serve now. The run fails if it does not in time.',
  ClusterNotFound: 'There is no EtcdCluster of the name in the namespace.',
  ClusterStopped: 'The cluster is stopped, so that nothing has changed since it was: the run is skipped.',
  ClusterUnavailable: 'The cluster did not serve until the deadline for the start.',
  InvalidSpec: 'The spec is not valid. Nothing is done.',
  Suspended: 'The schedule starts no runs because spec.suspend is true.',
  WaitingForTime: 'The schedule waits for its next time.',
  RunInProgress: 'A run of the schedule is in progress. The next one starts after it.',
  WorkerLost: 'A pod was deleted before it had answered.',
  WorkerTimeout: 'A pod did not answer in time.',
  WorkerFailed: 'A pod ended without an answer.',
  WorkerRefused: 'Kubernetes refused to create a pod, such as by a quota. The message says why.',
  ForeignPod: 'A pod of the name exists that belongs to something else.',
} as const;

export type BackupReason = keyof typeof backupReasons;

export const backupEventReasons = {
  BackupStarted: 'The first pod of a run was created.',
  BackupCompleted: 'A backup was stored and verified.',
  BackupFailed: 'A run has failed for good.',
  BackupSkipped: 'A run was skipped.',
  RunCreated: 'The schedule has started a run.',
  RunMissed: 'A time of the schedule was missed for longer than startingDeadlineSeconds.',
  RunDeleted: 'A run was deleted because its backup was, or because it is old.',
  ObjectLeftBehind: 'The stored backup could not be deleted together with its EtcdBackup. Delete it by hand.',
  RehearsalPassed: 'The newest backup was restored into a scratch member, with the recorded content.',
  RehearsalFailed: 'The newest backup could not be restored, or has other content than recorded.',
  ImageNotPulled: 'The image of a pod cannot be pulled.',
  ActionRefused: 'Kubernetes refused what the operator was about to do, such as by a quota. The message says why.',
} as const;

export type BackupEventReason = keyof typeof backupEventReasons;

export const restoreConditionTypes = {
  Complete: 'The cluster runs with the restored data.',
} as const;

export const restoreReasons = {
  Completed: 'The cluster runs with the restored data, and has all its members.',
  Checking: 'The backup is fetched and verified, before anything is changed.',
  SafetyBackup: 'The cluster is backed up before it is stopped.',
  Creating: 'The new cluster is created, and waits for its data.',
  Stopping: 'The members of the cluster are stopped.',
  Preparing: 'The data is restored into a new volume.',
  Starting: 'A member is started with the restored data.',
  Growing: 'The cluster runs with the restored data; the other members join.',
  RollingBack: 'The restore has failed. The former members are started again.',
  Retrying: 'An attempt has failed and is repeated. The message says why.',
  ImageNotPulled:
    'The image of a pod cannot be pulled; the message names it. If it is that of etcd, delete the EtcdRestore, which takes everything back, and create it again with another version or repository. If it is that of etcd-agent, correct --worker-image of the operator, and delete the pod: the next attempt creates another one.',
  InvalidSpec: 'The spec is not valid, or was changed after the start. Nothing is done.',
  BackupNotFound: 'There is no EtcdBackup of the name in the namespace.',
  BackupNotComplete: 'The EtcdBackup has failed, or is a schedule: name one of its runs.',
  ClusterExists: 'There is a cluster of the name. Choose another one, or Replace.',
  ClusterNotFound: 'There is no cluster of the name to replace.',
  ClusterNotReplaceable: 'The cluster is being deleted, is paused or stopped, or is being restored already.',
  BumpNotSupported:
    'The tools of the version of etcd cannot raise revisions. Set revisionBump to 0, or use a newer one.',
  SafetyBackupFailed: 'The cluster could not be backed up. Set safetyBackup to false to go on without.',
  ClusterChanged: 'The cluster was deleted or replaced during the restore.',
  RestoreDeleted: 'The EtcdRestore was deleted before it was done.',
  StepTimeout: 'A step took longer than timeoutSeconds.',
  KeysDiffer: 'The restored member has another number of keys than the backup.',
  RevisionTooLow: 'The restored member has an older revision than the backup.',
  AuthenticationRequired:
    'The restored data has authentication enabled, and etcd refuses the operator: the cluster has no TLS, or the common name of its certificate is not a user with the role root.',
} as const;

export type RestoreReason = keyof typeof restoreReasons;

export const restoreEventReasons = {
  RestoreStarted: 'A restore was started.',
  RestoreCompleted: 'The cluster runs with the restored data.',
  RestoreFailed: 'The restore has failed. The message says what was done.',
  RollbackStarted: 'The restore has failed, and the former members are started again.',
  ImageNotPulled: 'The image of a pod cannot be pulled.',
  ActionRefused: 'Kubernetes refused what the operator was about to do, such as by a quota. The message says why.',
} as const;

export type RestoreEventReason = keyof typeof restoreEventReasons;
