/** How fast an ECSMHpa changes the number of instances. */
import { schema } from '@ecsm/runtime';
import { toleranceFormat } from './metric-quantity.ts';

const { integer, list, object, optional, string, withDefault } = schema;

/** The limits of Kubernetes. */
const windowSecondsMax = 3_600;
export const periodSecondsMax = 1_800;
const policiesMax = 8;

const policy = object({
  type: string({
    enum: ['Pods', 'Percent'],
    description: 'Pods: a number of instances. Percent: of the current number.',
  }),
  value: integer({ minimum: 1, maximum: 100_000, description: 'Maximum change within the period.' }),
  periodSeconds: integer({ minimum: 1, maximum: periodSecondsMax, description: 'Length of the period.' }),
});

const rules = (direction: string, defaults: { readonly window: string; readonly policies: string }) =>
  object(
    {
      stabilizationWindowSeconds: optional(
        integer({
          minimum: 0,
          maximum: windowSecondsMax,
          description: `Time in which every recommendation has to ask for a change before it is made. Default ${defaults.window}.`,
        }),
      ),
      policies: optional(
        list(policy, {
          minItems: 1,
          maxItems: policiesMax,
          description: `Maximum changes within a time. Default: ${defaults.policies}.`,
        }),
      ),
      selectPolicy: withDefault(
        string({
          enum: ['Max', 'Min', 'Disabled'],
          description: 'Which policy applies: that of the largest or of the smallest change; Disabled: no change.',
        }),
        'Max',
      ),
      tolerance: optional(
        string({
          format: toleranceFormat,
          maxLength: 16,
          description: 'Relative difference from the target that causes no change. Default 0.1.',
        }),
      ),
    },
    { description: `Limits of scaling ${direction}.` },
  );

export const behavior = object(
  {
    scaleUp: optional(
      rules('up', { window: '0', policies: 'the larger of 4 instances and 100 percent in 15 seconds' }),
    ),
    scaleDown: optional(rules('down', { window: '300', policies: '100 percent in 15 seconds' })),
  },
  { description: 'How fast the number of instances may change.' },
);
