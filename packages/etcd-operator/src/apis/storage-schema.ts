/** `spec.storage`: the volumes of the members. */
import { quantity } from '@ecsm/kubernetes';
import { schema } from '@ecsm/runtime';

const { anything, list, map, object, optional, string, withDefault } = schema;

const retention = ['Delete', 'Retain'] as const;

export const storage = object(
  {
    storageClassName: optional(
      string({
        minLength: 1,
        maxLength: 253,
        description: 'StorageClass of the volumes. Default: the default class. It cannot be changed.',
      }),
    ),
    size: withDefault(
      quantity('Size of each volume. It can grow if the StorageClass allows it, and cannot shrink.'),
      '10Gi',
    ),
    volumeClaimTemplate: optional(
      object(
        {
          metadata: optional(
            object(
              {
                labels: optional(map(string(), { description: 'Further labels.' })),
                annotations: optional(map(string(), { description: 'Annotations.' })),
              },
              { description: 'Metadata of the claims.' },
            ),
          ),
          spec: optional(
            object(
              {
                accessModes: optional(list(string(), { description: 'Default: ReadWriteOnce.' })),
                selector: optional(map(anything(), { description: 'Labels of the volumes that may be bound.' })),
                volumeAttributesClassName: optional(string({ description: 'Class of attributes of the volume.' })),
              },
              { description: 'Settings of the claims. Size and class are in spec.storage.' },
            ),
          ),
        },
        { description: 'Further settings of the volume claims. It cannot be changed.' },
      ),
    ),
    retentionPolicy: withDefault(
      object(
        {
          whenScaled: withDefault(
            string({
              enum: retention,
              description:
                'Whether the volume of a member that is removed by scaling is deleted. Stopping (size 0) never deletes volumes.',
            }),
            'Delete',
          ),
          whenDeleted: withDefault(
            string({ enum: retention, description: 'Whether the volumes are deleted with the cluster.' }),
            'Retain',
          ),
        },
        { description: 'How long volumes are kept.' },
      ),
      {},
    ),
  },
  { description: 'Volumes of the members.' },
);
