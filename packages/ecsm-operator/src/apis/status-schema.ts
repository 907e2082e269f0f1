/** What the operator last saw of a service, and what it needs to remember. */
import { conditionsSchema, schema } from '@ecsm/runtime';

const { integer, list, object, optional, string, withDefault } = schema;

const count = (description: string) => withDefault(integer({ minimum: 0, description }), 0);

export const status = object({
  observedGeneration: optional(integer({ minimum: 0, description: 'The generation of the spec that this is about.' })),
  replicas: count('Instances that exist.'),
  readyReplicas: count('Instances that run.'),
  updatedReplicas: count('Instances of the newest revision.'),
  unavailableReplicas: count('Instances that are wanted and do not run.'),
  underlyingServiceID: optional(string({ description: 'Of the service on the platform.' })),
  platformName: optional(string({ description: 'Its name there.' })),
  currentRevision: optional(string({ description: 'The revision that was last rolled out to the end.' })),
  updateRevision: optional(string({ description: 'The revision that is wanted now.' })),
  progressTime: optional(string({ description: 'When the update last made progress.' })),
  healing: optional(
    object(
      {
        reason: string({ description: 'What is wrong.' }),
        attempts: integer({ minimum: 0, description: 'So often something was done about it.' }),
        lastTime: string({ description: 'When that was, or when the trouble was first seen.' }),
      },
      { description: 'A trouble that something is being done about, with growing pauses.' },
    ),
  ),
  lostNodes: optional(
    list(
      object({
        name: string({ description: 'Of the node.' }),
        sinceTime: string({ description: 'When it was first seen to be lost.' }),
      }),
      {
        uniqueBy: 'name',
        description: 'Nodes with instances of this service that cannot be reached, and since when.',
      },
    ),
  ),
  removals: optional(
    list(
      object({
        id: string({ description: 'Of the service on the platform.' }),
        sinceTime: string({ description: 'When its deletion was requested.' }),
      }),
      {
        uniqueBy: 'id',
        description: 'Services on the platform that are being deleted. Their instances do not count as ready.',
      },
    ),
  ),
  conditions: withDefault(conditionsSchema, []),
});
