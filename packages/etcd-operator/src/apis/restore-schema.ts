/** The spec and status of an EtcdRestore. */
import { conditionsSchema, schema } from '@ecsm/runtime';
import { count, progress, text, time, workerStatus } from './backup-status-schema.ts';
import { destinationFields, encryption, objectName, worker } from './backup-storage-schema.ts';
import { specObject as clusterSpec } from './spec-schema.ts';

const { boolean, integer, list, object, optional, string, withDefault } = schema;

export const restoreSpec = object(
  {
    backupName: optional(objectName('EtcdBackup that is complete, in the namespace of this object.')),
    location: optional(
      object(
        {
          ...destinationFields,
          key: string({
            minLength: 1,
            maxLength: 1024,
            description: 'Name of the manifest (….manifest.json), or of a bare snapshot file.',
          }),
        },
        { description: 'A stored backup without its EtcdBackup, as after a disaster.' },
      ),
    ),
    encryption,
    clusterName: objectName('The EtcdCluster that is created or replaced.'),
    restoreType: string({
      enum: ['New', 'Replace'],
      description: 'New creates the cluster; Replace stops an existing one and starts it with the data of the backup.',
    }),
    clusterTemplate: optional(clusterSpec),
    confirmReplace: optional(
      string({ maxLength: 253, description: 'For Replace: the name of the cluster again, as a confirmation.' }),
    ),
    revisionBump: withDefault(
      integer({
        minimum: 0,
        maximum: 1_000_000_000_000,
        description:
          'By how much revisions are raised, so that none is older than what clients have seen. All older ones are marked as compacted. 0 changes nothing.',
      }),
      1_000_000_000,
    ),
    safetyBackup: withDefault(
      boolean({
        description:
          'For Replace: whether the cluster is backed up before it is stopped, to where the restored backup is. Skipped if it has no quorum.',
      }),
      true,
    ),
    parkedVolumes: withDefault(
      string({
        enum: ['Retain', 'Delete'],
        description: 'For Replace: whether the former volumes are deleted once the restored cluster is ready.',
      }),
      'Retain',
    ),
    backoffLimit: withDefault(
      integer({ minimum: 0, maximum: 20, description: 'How often a failed attempt is repeated, with growing pauses.' }),
      3,
    ),
    timeoutSeconds: withDefault(
      integer({ minimum: 10, maximum: 86_400, description: 'How long each step may take.' }),
      3_600,
    ),
    worker,
  },
  { description: 'What is restored, and where to.' },
);

const restorePhases = ['Pending', 'Running', 'RollingBack', 'Completed', 'Failed'] as const;

/** In this order; New has Creating in place of SafetyBackup and Stopping. RollingBack may follow any up to Starting. */
const restoreSteps = [
  'Checking',
  'SafetyBackup',
  'Creating',
  'Stopping',
  'Preparing',
  'Starting',
  'Growing',
  'RollingBack',
  'Done',
] as const;

export type RestoreStep = (typeof restoreSteps)[number];

export const restoreStatus = object(
  {
    phase: optional(string({ enum: restorePhases, description: 'The state of the restore in one word.' })),
    step: optional(string({ enum: restoreSteps, description: 'What is being done.' })),
    conditions: optional(conditionsSchema),
    observedGeneration: count('The generation of the spec that this status is about.'),
    message: text('Why it is in this phase.'),
    startTime: time('When it started.'),
    stepTime: time('When the step started.'),
    completionTime: time('When it ended.'),
    progress,
    attempts: count('How many attempts of the step were started.'),
    nextAttemptTime: time('When the next attempt starts.'),
    worker: workerStatus,
    clusterUID: text('Uid of the cluster; absent until it is known.'),
    slot: count('Number of the pod whose volume gets the restored data.'),
    volumeUID: text('Uid of the claim of that volume.'),
    safetyBackup: text('The EtcdBackup of what is replaced.'),
    etcdVersion: text('Version of etcd that the backup was taken from.'),
    etcdRevision: text('Newest revision in the backup.'),
    keys: count('Number of keys in the backup.'),
    backupSize: count('Bytes of the snapshot.'),
    snapshotSha256: text('Checksum of the snapshot.'),
    databaseSha256: text('Checksum of the database in it, which the snapshot has at its end.'),
    restoredRevision: text('Revision of the restored cluster when it had started.'),
    parkedVolumes: optional(
      list(string(), { description: 'Claims of the former members; at the end, those that are kept.' }),
    ),
  },
  { description: 'The restore as far as it is done.' },
);
