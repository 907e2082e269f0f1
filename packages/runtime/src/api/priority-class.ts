/** The kind PriorityClass of scheduling.k8s.io/v1. */
import { defineFieldsKind } from './kind.ts';
import { boolean, integer, object, optional, string, withDefault } from './schema/build.ts';

export const PriorityClass = defineFieldsKind({
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  shortNames: ['pc'],
  scope: 'Cluster',
  names: 'subdomain',
  exclusive: 'globalDefault',
  description: 'A priority that services refer to by name.',
  fields: object({
    value: integer({
      minimum: -2_147_483_648,
      maximum: 1_000_000_000,
      description: 'The priority: higher values come first. Cannot be changed.',
    }),
    globalDefault: optional(boolean({ description: 'Whether services without a priority class have this one.' })),
    description: optional(string({ description: 'When to use this class.' })),
    preemptionPolicy: withDefault(
      string({
        enum: ['PreemptLowerPriority', 'Never'],
        description: 'Whether services of this class may displace services of lower priority.',
      }),
      'PreemptLowerPriority',
    ),
  }),
  validate: ({ value }, old) =>
    old !== undefined && old.value !== value
      ? [{ path: 'value', type: 'Forbidden', message: 'may not be changed in an update' }]
      : [],
  columns: [
    { name: 'VALUE', value: ({ value }) => String(value) },
    { name: 'GLOBAL-DEFAULT', value: ({ globalDefault = false }) => String(globalDefault) },
    { name: 'PREEMPTIONPOLICY', value: ({ preemptionPolicy }) => preemptionPolicy },
  ],
});
