/**
 * Deployments that the platform reports as failed because of insufficient capacity. Its messages are not documented; they may be Chinese,
 * with escaped characters here because bundles are ASCII.
 */
import type { Instance } from '../../resource/model.ts';

const lacks = [
  { resource: 'memoryBytes', pattern: /memory|\u5185\u5b58/iu },
  { resource: 'diskBytes', pattern: /disk|space|\u78c1\u76d8|\u7a7a\u95f4|\u5b58\u50a8/iu },
] as const;

/** Returns undefined for other failures, and for instances that did not fail. */
export function lackOf({
  deployment,
  message = '',
}: Pick<Instance, 'deployment' | 'message'>): 'memoryBytes' | 'diskBytes' | undefined {
  return deployment === 'failure' ? lacks.find(({ pattern }) => pattern.test(message))?.resource : undefined;
}
