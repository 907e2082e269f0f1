/** Placement and updates of instances. */
import { schema } from '@ecsm/runtime';
import { seconds } from './field-schemas.ts';

const { integer, list, object, optional, string, withDefault } = schema;

const nodeNames = (description: string) =>
  list(string({ minLength: 1, maxLength: 253 }), { uniqueItems: true, minItems: 1, maxItems: 1000, description });

export const deploymentStrategy = object(
  {
    type: string({
      enum: ['Dynamic', 'Static'],
      description: 'Dynamic: replicas instances on the nodes of a pool. Static: one instance on each of the nodes.',
    }),
    replicas: optional(
      integer({ minimum: 0, maximum: 10_000, description: 'Number of instances. Required for Dynamic, 0 is allowed.' }),
    ),
    nodePool: optional(nodeNames('Names of the nodes that the platform may use. Required for Dynamic.')),
    nodes: optional(nodeNames('Names of the nodes that get one instance each. Required for Static.')),
  },
  { description: 'Number and placement of instances.' },
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
            integer({
              minimum: 0,
              maximum: 10_000,
              description: 'Maximum number of instances that may be missing during an update.',
            }),
            1,
          ),
          maxSurge: withDefault(
            integer({
              minimum: 0,
              maximum: 10_000,
              description: 'Maximum number of instances above the desired number during an update.',
            }),
            1,
          ),
        },
        { description: 'Limits of a rolling update. Only for RollingUpdate.' },
      ),
    ),
    progressDeadlineSeconds: withDefault(
      seconds(1, 'An update without progress for this time is reported as stuck. It still continues when it can.'),
      600,
    ),
  },
  { description: 'How running instances are updated to a new template.' },
);

export const upgradeStrategy = object(
  {
    type: withDefault(
      string({
        enum: ['Never', 'Larger', 'Always'],
        description: 'Whether the platform may change the image when a new one is uploaded.',
      }),
      'Never',
    ),
  },
  { description: 'Whether the platform may upgrade the image.' },
);
