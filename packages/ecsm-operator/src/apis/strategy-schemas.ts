/** Where instances run, and how they change. */
import { schema } from '@ecsm/runtime';
import { seconds } from './field-schemas.ts';

const { integer, list, object, optional, string, withDefault } = schema;

const nodeNames = (description: string) =>
  list(string({ minLength: 1, maxLength: 253 }), { uniqueItems: true, minItems: 1, maxItems: 1000, description });

export const deploymentStrategy = object(
  {
    type: string({
      enum: ['Dynamic', 'Static'],
      description: 'Dynamic: so many instances among the nodes of a pool. Static: one on each of the nodes.',
    }),
    replicas: optional(
      integer({ minimum: 0, maximum: 10_000, description: 'How many instances. Required for Dynamic, 0 is allowed.' }),
    ),
    nodePool: optional(nodeNames('Names of the nodes among which the platform chooses. Required for Dynamic.')),
    nodes: optional(nodeNames('Names of the nodes that get one instance each. Required for Static.')),
  },
  { description: 'How many instances there are, and where.' },
);

export const updateStrategy = object(
  {
    type: withDefault(
      string({
        enum: ['InPlace', 'RollingUpdate'],
        description:
          'InPlace: one update call, the name on the platform stays. RollingUpdate: a second service grows while the old one shrinks.',
      }),
      'InPlace',
    ),
    rollingUpdate: optional(
      object(
        {
          maxUnavailable: withDefault(
            integer({ minimum: 0, maximum: 10_000, description: 'So many instances may be missing during an update.' }),
            1,
          ),
          maxSurge: withDefault(
            integer({
              minimum: 0,
              maximum: 10_000,
              description: 'So many instances more than wanted may exist during an update.',
            }),
            1,
          ),
        },
        { description: 'How far a rolling update may depart from the wanted number. Only for RollingUpdate.' },
      ),
    ),
    progressDeadlineSeconds: withDefault(
      seconds(1, 'An update that makes no progress for so long is reported as stuck. It still goes on when it can.'),
      600,
    ),
  },
  { description: 'How running instances are brought to a new template.' },
);

export const upgradeStrategy = object(
  {
    type: withDefault(
      string({
        enum: ['Never', 'Larger', 'Always'],
        description: 'Whether the platform may change the image by itself when a new one is uploaded.',
      }),
      'Never',
    ),
  },
  { description: 'Who decides on new versions of the image: a person here, or the platform.' },
);
