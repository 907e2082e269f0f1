/** The deletion of a service: all services of ours are deleted from the platform, and no others. */

import type { Plan, PlanInput } from './model.ts';
import { ownershipOf } from './ownership.ts';
import { condition } from './reasons.ts';
import { removal } from './step-with-event.ts';
import { togetherMs } from './times.ts';

export type CleanupInput = Pick<PlanInput, 'service' | 'registryId' | 'observed' | 'nowMs' | 'settings'> & {
  /** Names of services that have to be deleted first. Default: none. */
  readonly deletedBefore?: readonly string[];
  /** Whether services depend on it, being deleted or not. Default false. */
  readonly hasDependents?: boolean;
};

/**
 * `isClean` only when the platform lists no service of ours; until then the finalizer has to stay. While an object is
 * being deleted no other object can have its name, so every service marked with that name belongs to it or to an earlier
 * object of the same name.
 */
export function planCleanup(input: CleanupInput): Plan & { readonly isClean: boolean } {
  const { service, settings, deletedBefore = [] } = input;
  const { deletionTimestamp } = service.metadata;
  const { owned } = ownershipOf(input);
  const graceMs = input.hasDependents ? togetherMs(deletionTimestamp, settings.pollMs, input.nowMs) : 0;
  const isWaiting = deletedBefore.length > 0;
  const isHeld = isWaiting || graceMs > 0;
  const actions = isHeld ? [] : owned.map((one) => removal(one, 'the ECSMService is being deleted'));
  const isClean = owned.length === 0;
  const replicas = owned.reduce((sum, { instances }) => sum + instances.length, 0);
  const { conditions: _, ...before } = service.status ?? { updatedReplicas: 0 };
  const observedGeneration = service.metadata.generation;
  const message = isClean
    ? 'deleted from the platform'
    : isWaiting
      ? `waiting for the deletion of ${deletedBefore.join(', ')}`
      : `still on the platform: ${owned.map(({ name }) => name).join(', ')}`;
  return {
    isClean,
    steps: actions.map(({ step }) => step),
    // While it waits its instances keep running.
    status: isHeld
      ? { readyReplicas: 0, unavailableReplicas: 0, ...before, observedGeneration, replicas }
      : { ...before, observedGeneration, replicas, readyReplicas: 0, unavailableReplicas: 0 },
    conditions: [
      condition('Available', 'False', 'Deleting', message),
      condition('Progressing', 'True', isWaiting && !isClean ? 'DependentsRemain' : 'Deleting', message),
    ].map((one) => ({ ...one, observedGeneration })),
    events: actions.map(({ event }) => event),
    // A change of the fleet ends the wait.
    ...(isClean || isWaiting ? {} : { requeueAfterMs: graceMs || settings.pollMs }),
  };
}
