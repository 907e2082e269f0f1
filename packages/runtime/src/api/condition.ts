/** Conditions: what is true of an object now, since when, and why. They follow Kubernetes' `metav1.Condition`. */
import { qualifiedName, timestamp } from './names.ts';
import { integer, list, object, optional, string } from './schema/build.ts';
import type { Infer } from './schema/schema.ts';

export const CONDITIONS_MAX = 64;

export const conditionSchema = object({
  type: qualifiedName({ description: 'What the condition is about, such as Available.' }),
  status: string({ enum: ['True', 'False', 'Unknown'], description: 'Whether the condition holds.' }),
  reason: string({
    minLength: 1,
    maxLength: 1024,
    pattern: {
      expression: /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/u,
      hint: 'must be one CamelCase word (e.g. ReplicasReady)',
    },
    description: 'Machine-readable reason for the status, one CamelCase word.',
  }),
  message: string({ maxLength: 32768, description: 'Human-readable explanation.' }),
  lastTransitionTime: timestamp({ description: 'When the status last changed.' }),
  observedGeneration: optional(integer({ minimum: 0, description: 'The generation of the spec that was observed.' })),
});

export type Condition = Infer<typeof conditionSchema>;
export type ConditionStatus = Condition['status'];

/** For the `conditions` of a kind's status. */
export const conditionsSchema = list(conditionSchema, {
  uniqueBy: 'type',
  maxItems: CONDITIONS_MAX,
  description: 'What is true of the object now, and why.',
});

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * Sets one condition and keeps the order of the others. Returns the same list if nothing changed, so that a controller
 * that reports the same condition again writes nothing. `lastTransitionTime` becomes `now` (RFC 3339) only when the
 * status changes; a new reason or message keeps the old time.
 */
export function setCondition(
  conditions: readonly Condition[],
  condition: Omit<Condition, 'lastTransitionTime'>,
  now: string,
): readonly Condition[] {
  const before = findCondition(conditions, condition.type);
  if (before === undefined) return [...conditions, { ...condition, lastTransitionTime: now }];
  const flipped = before.status !== condition.status;
  const same =
    !flipped &&
    before.reason === condition.reason &&
    before.message === condition.message &&
    before.observedGeneration === condition.observedGeneration;
  if (same) return conditions;
  const after: Condition = { ...condition, lastTransitionTime: flipped ? now : before.lastTransitionTime };
  return conditions.map((other) => (other === before ? after : other));
}
