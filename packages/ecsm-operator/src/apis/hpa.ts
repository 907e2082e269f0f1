/**
 * ECSMHpa: sets the number of instances of an ECSMService from metrics, with the shape and semantics of
 * HorizontalPodAutoscaler of autoscaling/v2.
 */
import { defineKind, type InputOf, type ObjectOf, schema } from '@ecsm/runtime';
import { behavior } from './hpa-behavior-schema.ts';
import { referenceText, targetsText } from './hpa-columns.ts';
import { metrics } from './hpa-metric-schema.ts';
import { checkHpa } from './hpa-rules.ts';
import { hpaStatus } from './hpa-status-schema.ts';

const { integer, object, optional, string, withDefault } = schema;

const scaleTargetRef = object(
  {
    apiVersion: optional(string({ enum: ['ecsm.sh/v1'], description: 'API version of the target.' })),
    kind: string({ enum: ['ECSMService'], description: 'Kind of the target.' }),
    name: string({ minLength: 1, maxLength: 63, description: 'Name of the target, in the same namespace.' }),
  },
  { description: 'The service whose number of instances is set. It has to be Dynamic.' },
);

export const ECSMHpa = defineKind({
  group: 'ecsm.sh',
  version: 'v1',
  kind: 'ECSMHpa',
  plural: 'ecsmhpas',
  shortNames: ['hpa'],
  categories: ['all'],
  description: 'Sets the number of instances of an ECSMService from metrics.',
  spec: object({
    scaleTargetRef,
    minReplicas: withDefault(
      integer({
        minimum: 0,
        maximum: 10_000,
        description: 'Lower limit of the number of instances. 0 requires a Schedule metric.',
      }),
      1,
    ),
    maxReplicas: integer({ minimum: 1, maximum: 10_000, description: 'Upper limit of the number of instances.' }),
    metrics: withDefault(metrics, [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
    ]),
    behavior: optional(behavior),
  }),
  status: hpaStatus,
  validate: checkHpa,
  columns: [
    { name: 'REFERENCE', value: referenceText },
    { name: 'TARGETS', value: targetsText },
    { name: 'MINPODS', path: 'spec.minReplicas' },
    { name: 'MAXPODS', path: 'spec.maxReplicas' },
    { name: 'REPLICAS', path: 'status.currentReplicas' },
  ],
});

export type ECSMHpa = ObjectOf<typeof ECSMHpa>;
export type ECSMHpaInput = InputOf<typeof ECSMHpa>;
export type HpaSpec = ECSMHpa['spec'];
export type HpaStatus = NonNullable<ECSMHpa['status']>;
export type HpaMetric = HpaSpec['metrics'][number];
export type HpaCurrentMetric = HpaStatus['currentMetrics'][number];
