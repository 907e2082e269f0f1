/** What an ECSMHpa last observed and decided, and what the windows of its behavior need after a restart. */
import { conditionsSchema, schema, timestamp } from '@ecsm/runtime';

const { boolean, integer, list, object, optional, string, withDefault } = schema;

const count = (description: string) => integer({ minimum: 0, description });

/** Bounds of what is kept for the windows. Older entries are merged. */
export const recommendationsMax = 64;
export const scaleEventsMax = 64;

const currentMetric = object({
  type: string({ enum: ['Resource', 'Schedule', 'Prometheus'], description: 'As in the spec.' }),
  name: string({ description: 'cpu, memory or disk; schedule; prometheus.' }),
  averageUtilization: optional(count('Mean percent over the counted instances, rounded down.')),
  averageValue: optional(string({ description: 'Mean amount over the counted instances.' })),
  value: optional(string({ description: 'Result of the query.' })),
  active: optional(boolean({ description: 'Whether the schedule is active.' })),
  counted: optional(count('Instances whose usage was counted.')),
  missing: optional(count('Instances without a known usage.')),
  unready: optional(count('Instances that have not been ready yet.')),
  desiredReplicas: optional(count('The number that this metric asks for.')),
  error: optional(string({ description: 'Why the metric could not be read.' })),
});

export const hpaStatus = object({
  observedGeneration: optional(count('The generation of the spec that was observed.')),
  currentReplicas: withDefault(count('The number of instances of the target, as last observed.'), 0),
  desiredReplicas: withDefault(count('The number of instances that was last decided.'), 0),
  lastScaleTime: optional(timestamp({ description: 'When the number was last changed.' })),
  lastScaleReason: optional(string({ description: 'Why the number was last changed.' })),
  currentMetrics: withDefault(
    list(currentMetric, {
      description: 'The metrics as last read, in the order of the spec. Values alone are written every fourth sync.',
    }),
    [],
  ),
  recommendations: optional(
    list(
      object({
        replicas: count('The recommended number.'),
        untilTime: optional(timestamp({ description: 'When another one followed. Absent: the newest.' })),
      }),
      { maxItems: recommendationsMax, description: 'Recommendations before limits, for the stabilization windows.' },
    ),
  ),
  scaleEvents: optional(
    list(
      object({
        time: timestamp({ description: 'When the number was changed.' }),
        change: integer({ description: 'The difference; negative for a smaller number.' }),
      }),
      { maxItems: scaleEventsMax, description: 'Recent changes, for the policies.' },
    ),
  ),
  conditions: withDefault(conditionsSchema, []),
});
