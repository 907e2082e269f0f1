/** The deletion of a service: all services of ours are deleted from the platform, and no others. */

import { findCondition } from '@ecsm/runtime';
import { emptyStatus, type Plan, type PlanInput } from './model.ts';
import { ownershipOf } from './ownership.ts';
import { condition } from './reasons.ts';
import { standingRefusal } from './refusal.ts';
import { removal } from './step-with-event.ts';
import { togetherMs } from './times.ts';

export type CleanupInput = Pick<PlanInput, 'service' | 'registryId' | 'observed' | 'nowMs' | 'settings'> & {
  /** Names of services that have to be deleted first. Default: none. */
  readonly deletedBefore?: readonly string[];
  /** Whether services depend on it, being deleted or not. Default false. */
  readonly hasDependents?: boolean;
};

/** The conditions that end with the deletion: they are about a service that is to run. */
const problemTypes = ['Degraded', 'Preempted', 'Unschedulable'] as const;

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
  // Nothing is healed or held back any more, and what was refused before the deletion is no longer wanted.
  const {
    conditions,
    healing: _healing,
    preempted: _preempted,
    refusal: _refusal,
    ...before
  } = service.status ?? emptyStatus;
  const refusal = standingRefusal(input, !isClean);
  const observedGeneration = service.metadata.generation;
  const message = isClean
    ? 'deleted from the platform'
    : isWaiting
      ? `waiting for the deletion of ${deletedBefore.join(', ')}`
      : `still on the platform: ${owned.map(({ name }) => name).join(', ')}`;
  return {
    isClean,
    steps: actions.map(({ step }) => step),
    status: {
      ...before,
      // While it waits its instances keep running.
      ...(isHeld ? {} : { readyReplicas: 0, unavailableReplicas: 0 }),
      ...(refusal === undefined ? {} : { refusal }),
      observedGeneration,
      replicas,
    },
    conditions: [
      condition('Available', 'False', 'Deleting', message),
      condition('Progressing', 'True', isWaiting && !isClean ? 'DependentsRemain' : 'Deleting', message),
      ...problemTypes
        .filter((type) => findCondition(conditions, type) !== undefined)
        .map((type) => condition(type, 'False', 'Deleting', message)),
      ...(refusal === undefined ? [] : [condition('Degraded', 'True', 'PlatformRefused', refusal.message)]),
    ].map((one) => ({ ...one, observedGeneration })),
    events: actions.map(({ event }) => event),
    // A change of the fleet ends the wait.
    ...(isClean || isWaiting ? {} : { requeueAfterMs: graceMs || settings.pollMs }),
  };
}
