/** `spec.etcd` and `spec.defragmentation`: settings of etcd, and the care for its database. */
import { quantity } from '@ecsm/kubernetes';
import { schema } from '@ecsm/runtime';

const { boolean, integer, integerOrString, map, object, optional, string, withDefault } = schema;

const OPTIONS_MAX = 64;

export const etcd = object(
  {
    options: optional(
      map(integerOrString(), {
        keys: string({ maxLength: 100 }),
        maxProperties: OPTIONS_MAX,
        description:
          'Settings of etcd by their names in its config file, such as heartbeat-interval: 100. A change restarts one member after another. Settings that the operator owns are refused.',
      }),
    ),
    quotaBackendBytes: optional(
      quantity(
        'Size of the database, such as 4Gi, above which etcd accepts no more writes. Smaller than the volume. Default: that of etcd, 2Gi.',
      ),
    ),
    autoCompactionMode: withDefault(
      string({
        enum: ['periodic', 'revision'],
        description: 'Whether autoCompactionRetention is a time or a number of revisions.',
      }),
      'periodic',
    ),
    autoCompactionRetention: optional(
      string({
        maxLength: 32,
        pattern: {
          expression: /^(\d{1,15}|(\d{1,6}[hms]){1,3})$/u,
          hint: 'must be a duration such as 8h or 30m, or a number',
        },
        description:
          'How much history is kept: a duration such as 8h, or with the mode revision a number such as 10000. Default: all.',
      }),
    ),
  },
  { description: 'Settings of etcd.' },
);

export const defragmentation = object(
  {
    enabled: withDefault(boolean({ description: 'Whether databases are defragmented when it pays.' }), true),
    freeSpaceAbove: withDefault(
      quantity('A member is defragmented when this much of its database is unused.'),
      '200Mi',
    ),
    quotaUsageAbove: withDefault(
      integer({
        minimum: 1,
        maximum: 100,
        description:
          'A member is also defragmented when its database uses this percentage of the quota and minReclaim is unused.',
      }),
      80,
    ),
    minReclaim: withDefault(quantity('Less is not worth a defragmentation.'), '32Mi'),
  },
  { description: 'When databases are defragmented, one member after another and the leader last.' },
);
