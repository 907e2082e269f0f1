/** The services that a service needs. */
import { schema } from '@ecsm/runtime';

const { list, object, optional, string, withDefault } = schema;

const label = (description: string) =>
  string({
    maxLength: 63,
    pattern: { expression: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/u, hint: 'must be the name of an object' },
    description,
  });

export const dependsOn = list(
  object({
    name: label('Name of the ECSMService.'),
    namespace: optional(label('Its namespace. Default: that of this service.')),
    condition: withDefault(
      string({
        enum: ['Available', 'Exists'],
        description:
          'Available: its condition Available is True, and an instance is ready. Exists: it has instances, ready or not.',
      }),
      'Available',
    ),
    onLost: withDefault(
      string({
        enum: ['Ignore', 'Stop'],
        description:
          'After it was met, it was deleted, or has no ready instance left (Exists: no instance). Ignore: keep running. Stop: scale to 0 until it is met again.',
      }),
      'Ignore',
    ),
  }),
  {
    maxItems: 100,
    description: 'Services that have to be there before this one is created or started from 0. Deleted after it.',
  },
);
