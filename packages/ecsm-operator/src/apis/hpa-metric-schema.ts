/** The metrics of an ECSMHpa: usage of instances, times of a schedule, queries of Prometheus. */
import { cronFormat, schema, timeZoneFormat } from '@ecsm/runtime';
import { positiveQuantityFormat } from './metric-quantity.ts';

const { integer, list, object, optional, string, withDefault } = schema;

const amount = (description: string) => string({ format: positiveQuantityFormat, maxLength: 32, description });

const cron = (description: string) => string({ format: cronFormat, maxLength: 256, description });

const resource = object(
  {
    name: string({
      enum: ['cpu', 'memory', 'disk'],
      description: 'cpu: percent of all cores of the node. memory, disk: bytes.',
    }),
    target: object(
      {
        type: string({
          enum: ['Utilization', 'AverageValue'],
          description:
            'Utilization: percent, for memory and disk of the limit of the instance. AverageValue: an amount.',
        }),
        averageUtilization: optional(
          integer({ minimum: 1, maximum: 10_000, description: 'Mean percent over the instances. For Utilization.' }),
        ),
        averageValue: optional(
          amount('Mean amount over the instances: cores for cpu, bytes for memory and disk. For AverageValue.'),
        ),
      },
      { description: 'The usage that the number of instances aims at.' },
    ),
  },
  { description: 'Usage of the instances of the target. For Resource.' },
);

const schedule = object(
  {
    timezone: withDefault(
      string({ format: timeZoneFormat, maxLength: 64, description: 'Time zone of start and end.' }),
      'UTC',
    ),
    start: cron('When the schedule becomes active, as a cron expression of five fields.'),
    end: cron('When it becomes inactive, as a cron expression of five fields.'),
    replicas: integer({ minimum: 1, maximum: 10_000, description: 'Minimum number of instances while it is active.' }),
  },
  { description: 'A minimum number of instances at certain times. For Schedule.' },
);

const prometheus = object(
  {
    server: string({
      maxLength: 512,
      pattern: {
        expression: /^https?:\/\/[^\s@?#]+$/u,
        hint: 'must be a URL with http:// or https://, without a user',
      },
      description: 'URL of the server. The operator has to allow it with --prometheus-server.',
    }),
    query: string({ minLength: 1, maxLength: 4_096, description: 'PromQL with exactly one value as its result.' }),
    target: object(
      {
        type: string({
          enum: ['Value', 'AverageValue'],
          description: 'Value: the result itself. AverageValue: the result divided by the number of instances.',
        }),
        value: optional(amount('The value that the number of instances aims at. For Value.')),
        averageValue: optional(amount('The amount for each instance. For AverageValue.')),
      },
      { description: 'The result that the number of instances aims at.' },
    ),
  },
  { description: 'The result of a query of a Prometheus server. For Prometheus.' },
);

const metric = object({
  type: string({ enum: ['Resource', 'Schedule', 'Prometheus'], description: 'Which of the other fields is set.' }),
  resource: optional(resource),
  schedule: optional(schedule),
  prometheus: optional(prometheus),
});

/** Bounds the cost of one sync. */
const metricsMax = 16;

export const metrics = list(metric, {
  minItems: 1,
  maxItems: metricsMax,
  description: 'The largest number that a metric asks for wins. Default: a mean cpu usage of 80 percent.',
});
