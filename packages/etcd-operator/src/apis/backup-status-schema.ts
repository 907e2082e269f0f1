/** The status of an EtcdBackup. It contains everything that has to survive a restart of the operator. */
import { conditionsSchema, schema, timestamp } from '@ecsm/runtime';

const { integer, list, object, optional, string } = schema;

export const text = (description: string) => optional(string({ description }));
export const count = (description: string) => optional(integer({ minimum: 0, description }));
export const time = (description: string) => optional(timestamp({ description }));

/** Of a run, and the last two of a schedule. */
const backupPhases = ['Pending', 'Running', 'Completed', 'Failed', 'Skipped', 'Scheduled', 'Suspended'] as const;

export const workerStatus = optional(
  object(
    {
      name: string({ description: 'Name of the pod.' }),
      uid: text('Its uid; absent until it was seen.'),
      startedAt: time('When the operator decided to start it.'),
      ending: text('Why the operator has deleted it, or Kubernetes has refused it.'),
    },
    { description: 'The pod that does the work; written before it is created.' },
  ),
);

export const progress = optional(
  object(
    {
      step: text('What is being done.'),
      bytes: count('How many bytes are done.'),
      totalBytes: count('Of how many, as far as that is known.'),
    },
    { description: 'How far the work is. Best effort.' },
  ),
);

const rehearsal = optional(
  object(
    {
      time: time('When the last rehearsal ended.'),
      backup: text('The EtcdBackup that was, or is being, restored.'),
      result: optional(
        string({ enum: ['Passed', 'Failed'], description: 'Whether the restored data was what the backup recorded.' }),
      ),
      message: text('What was compared, or why it failed.'),
      lastScheduleTime: time('The time of its schedule that was last dealt with.'),
      worker: workerStatus,
    },
    { description: 'The last rehearsal.' },
  ),
);

export const backupStatus = object(
  {
    phase: optional(string({ enum: backupPhases, description: 'The state of the run or schedule in one word.' })),
    conditions: optional(conditionsSchema),
    observedGeneration: count('The generation of the spec that this status is about.'),
    message: text('Why it is in this phase.'),
    startTime: time('When the run started.'),
    completionTime: time('When it ended.'),
    duration: text('How long it took, such as 42s.'),
    progress,
    attempts: count('How many attempts were started.'),
    nextAttemptTime: time('When the next attempt starts.'),
    worker: workerStatus,
    keyBase: text('How the name of the stored object begins; chosen before the first attempt.'),
    storagePath: text('Name of the stored snapshot.'),
    manifestPath: text('Name of the manifest beside it, which is written last.'),
    backupSize: count('Bytes as stored.'),
    databaseSize: count('Bytes of the snapshot, as etcd sent it.'),
    etcdVersion: text('Version of etcd that it was taken from.'),
    etcdRevision: text('Newest revision in it.'),
    keys: count('Number of keys at that revision.'),
    checksums: optional(
      object(
        {
          snapshotSha256: text('Of the snapshot, as etcd sent it.'),
          storedSha256: text('Of the bytes as stored.'),
          hash: text('As `etcdutl snapshot status` prints it.'),
          hashKV: text('The hash of the keys at this revision, if the member could tell it.'),
        },
        { description: 'What is compared when it is restored.' },
      ),
    ),
    pruned: optional(list(string(), { description: 'Stored backups that this run deleted by the retention policy.' })),
    lastScheduleTime: time('The time of the schedule that was last dealt with.'),
    nextScheduleTime: time('The next time of the schedule.'),
    lastSuccessfulTime: time('When the last successful run of the schedule ended.'),
    active: optional(
      object(
        {
          name: string({ description: 'Name of the EtcdBackup.' }),
          uid: text('Its uid; absent until it was seen.'),
        },
        { description: 'The run in progress; written before it is created.' },
      ),
    ),
    lastBackup: text('The newest EtcdBackup of the schedule that is complete.'),
    rehearsal,
  },
  { description: 'The backup as far as it is done.' },
);
