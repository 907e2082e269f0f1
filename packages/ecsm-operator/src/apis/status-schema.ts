/** The last observed state of a service, and the state that has to survive a restart of the operator. */
import { conditionsSchema, schema } from '@ecsm/runtime';

const { integer, list, object, optional, string, withDefault } = schema;

const count = (description: string) => withDefault(integer({ minimum: 0, description }), 0);

export const status = object({
  observedGeneration: optional(integer({ minimum: 0, description: 'The generation of the spec that was observed.' })),
  replicas: count('Instances that exist.'),
  readyReplicas: count('Instances that run.'),
  updatedReplicas: count('Instances of the newest revision.'),
  unavailableReplicas: count('Desired instances that are not ready.'),
  underlyingServiceID: optional(string({ description: 'Id of the service on the platform.' })),
  platformName: optional(string({ description: 'Its name on the platform.' })),
  currentRevision: optional(string({ description: 'The revision that was last rolled out completely.' })),
  updateRevision: optional(string({ description: 'The revision of the current spec.' })),
  progressTime: optional(string({ description: 'When the update last made progress.' })),
  healing: optional(
    object(
      {
        reason: string({ description: 'What is wrong.' }),
        attempts: integer({ minimum: 0, description: 'Number of repairs so far.' }),
        lastTime: string({ description: 'Time of the last repair, or when the problem was first observed.' }),
      },
      { description: 'A problem that the operator is repairing, with backoff.' },
    ),
  ),
  refusal: optional(
    object(
      {
        message: string({ description: 'The refused call, why it was made, and the answer of the platform.' }),
        code: optional(integer({ description: 'The code of the platform.' })),
        observedGeneration: integer({ minimum: 0, description: 'The generation of the spec that was refused.' }),
      },
      { description: 'What the platform refused last, until it accepts a call. The call is retried with backoff.' },
    ),
  ),
  instances: optional(
    list(
      object({
        name: string({ description: 'Name of the container on the platform.' }),
        nodeName: string({ description: 'Its node.' }),
        state: string({
          enum: ['Ready', 'Starting', 'Failed', 'Stopped', 'Paused', 'Unknown'],
          description: 'Ready: it runs. Starting: it is being deployed. Failed: its deployment failed.',
        }),
        restarts: count('Restarts by the platform.'),
        startedTime: optional(string({ description: 'When it was last started, by the clock of the platform.' })),
        message: optional(string({ description: 'Why its deployment failed.' })),
      }),
      { description: 'The instances when the status was last written: the first 100.' },
    ),
  ),
  lostNodes: optional(
    list(
      object({
        name: string({ description: 'Name of the node.' }),
        sinceTime: string({ description: 'When it was first observed to be lost.' }),
      }),
      {
        uniqueBy: 'name',
        description: 'Offline nodes with instances of this service.',
      },
    ),
  ),
  removals: optional(
    list(
      object({
        id: string({ description: 'Id of the service on the platform.' }),
        sinceTime: string({ description: 'When its deletion was requested.' }),
      }),
      {
        uniqueBy: 'id',
        description: 'Services on the platform that are being deleted. Their instances do not count as ready.',
      },
    ),
  ),
  dependencies: optional(
    list(
      object({
        name: string({ description: 'The service that is needed, as namespace/name.' }),
        state: string({
          enum: ['Met', 'Waiting', 'Lost', 'Preempted'],
          description:
            'Met: its condition is met. Waiting: not met yet. Lost: it was met. Preempted: it was met, and gave up instances for a service of higher priority.',
        }),
      }),
      { uniqueBy: 'name', description: 'The state of each service in spec.dependsOn.' },
    ),
  ),
  preempted: optional(
    object(
      {
        by: optional(
          string({ description: 'The service of higher priority, as namespace/name. Absent after its deletion.' }),
        ),
        replicas: integer({ minimum: 1, description: 'Number of instances that are held back.' }),
      },
      { description: 'Instances that were given up for a service of higher priority, until there is room for them.' },
    ),
  ),
  conditions: withDefault(conditionsSchema, []),
});
