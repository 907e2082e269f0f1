/** Fields by simple paths such as `spec.deploymentStrategy.replicas`. */
import type { Condition, JsonValue } from '@ecsm/runtime';

/** Returns undefined if there is no such field. */
export function fieldAt(object: unknown, path: string): unknown {
  let value = object;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** The merge patch that sets it. */
export function patchAt(path: string, value: JsonValue): JsonValue {
  return path.split('.').reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value);
}

/** The conditions of a status of any kind. */
export function conditionsOf(status: unknown): readonly Condition[] {
  const has = typeof status === 'object' && status !== null && 'conditions' in status;
  return has && Array.isArray(status.conditions) ? status.conditions : [];
}
