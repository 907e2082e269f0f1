/** The kind PodDisruptionBudget of Kubernetes, with the fields that are used here. */
import { defineKind, type FieldError, labelSelectorSchema, type ObjectOf, schema } from '@ecsm/runtime';
import { conditions, count, invalid, open, text } from './parts.ts';

const { integerOrString, map, optional, string } = schema;

export const PodDisruptionBudget = defineKind({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  names: 'subdomain',
  description: 'How many pods may be evicted at the same time, as when a node is drained.',
  spec: open(
    {
      minAvailable: optional(integerOrString({ description: 'Pods that have to stay: a number, or a percentage.' })),
      maxUnavailable: optional(integerOrString({ description: 'Pods that may be gone: a number, or a percentage.' })),
      selector: optional(labelSelectorSchema),
      unhealthyPodEvictionPolicy: text('IfHealthyBudget or AlwaysAllow.'),
    },
    'The pods, and how many of them have to stay.',
  ),
  status: open({
    observedGeneration: count('The generation of the spec that this status is about.'),
    disruptionsAllowed: count('Number of pods that may be evicted now.'),
    currentHealthy: count('Number of healthy pods.'),
    desiredHealthy: count('Number of healthy pods that have to stay.'),
    expectedPods: count('Number of pods that the budget counts.'),
    disruptedPods: optional(map(string(), { description: 'Pods whose eviction was allowed, with the time.' })),
    conditions,
  }),
  validate: ({ spec: { minAvailable, maxUnavailable } }): FieldError[] =>
    minAvailable !== undefined && maxUnavailable !== undefined
      ? [invalid('spec', { minAvailable, maxUnavailable }, 'minAvailable and maxUnavailable cannot be both set')]
      : [],
  columns: [
    { name: 'MIN AVAILABLE', value: ({ spec }) => String(spec.minAvailable ?? 'N/A') },
    { name: 'MAX UNAVAILABLE', value: ({ spec }) => String(spec.maxUnavailable ?? 'N/A') },
    { name: 'ALLOWED DISRUPTIONS', value: ({ status }) => String(status?.disruptionsAllowed ?? 0) },
  ],
});

export type PodDisruptionBudget = ObjectOf<typeof PodDisruptionBudget>;
