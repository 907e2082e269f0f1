/** The spec of an EtcdBackup: one run, or with a schedule the template of runs. */
import { cronFormat, schema, timeZoneFormat } from '@ecsm/runtime';
import { destinationFields, encryption, objectName, worker } from './backup-storage-schema.ts';

const { boolean, integer, object, optional, string, withDefault } = schema;

const cron = (description: string) => optional(string({ format: cronFormat, maxLength: 256, description }));
const timeZone = (description: string) =>
  withDefault(string({ format: timeZoneFormat, maxLength: 64, description }), 'UTC');

export const backupSpec = object(
  {
    clusterName: objectName('EtcdCluster in the namespace of this object.'),
    ...destinationFields,
    schedule: cron(
      'When to back up, as a cron expression of five fields. This object then creates an EtcdBackup for each run. Default: once, now.',
    ),
    timeZone: timeZone('Time zone of the schedule.'),
    startingDeadlineSeconds: optional(
      integer({
        minimum: 1,
        maximum: 31_536_000,
        description:
          'How late a run may start: after a time of the schedule that was missed, or while the cluster does not serve. Default: 600 for one run, no limit for missed times.',
      }),
    ),
    suspend: withDefault(boolean({ description: 'Whether the schedule starts no further runs.' }), false),
    retentionPolicy: optional(
      object(
        {
          maxBackups: optional(
            integer({ minimum: 1, maximum: 10_000, description: 'How many are kept. Default: all.' }),
          ),
          maxAge: optional(
            string({
              maxLength: 16,
              pattern: {
                expression: /^[1-9]\d{0,4}[hdw]$/u,
                hint: 'must be hours, days or weeks, such as 36h, 30d or 8w',
              },
              description: 'How long they are kept, such as 30d. Default: for ever.',
            }),
          ),
        },
        {
          description:
            'Which backups of a schedule are deleted after a successful run, in the store as well. The newest one is always kept.',
        },
      ),
    ),
    compression: withDefault(boolean({ description: 'Whether backups are compressed, with gzip.' }), false),
    encryption,
    deletionPolicy: withDefault(
      string({
        enum: ['Retain', 'Delete'],
        description: 'Whether the stored backup is deleted together with this object, or with that of its run.',
      }),
      'Retain',
    ),
    backoffLimit: withDefault(
      integer({ minimum: 0, maximum: 20, description: 'How often a failed attempt is repeated, with growing pauses.' }),
      3,
    ),
    timeoutSeconds: withDefault(
      integer({ minimum: 10, maximum: 86_400, description: 'How long one attempt may take.' }),
      3_600,
    ),
    rehearse: optional(
      object(
        {
          schedule: string({
            format: cronFormat,
            maxLength: 256,
            description: 'When, as a cron expression of five fields.',
          }),
          timeZone: timeZone('Time zone of the schedule.'),
        },
        {
          description:
            'When the newest backup of the schedule is restored into a scratch member and compared with what was recorded. Default: never.',
        },
      ),
    ),
    worker,
  },
  { description: 'What is backed up, where to, and when.' },
);
