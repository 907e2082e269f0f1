/** The deletion of a service: all services of ours are deleted from the platform, and no others. */

import type { Plan, PlanInput } from './model.ts';
import { ownershipOf } from './ownership.ts';
import { condition } from './reasons.ts';
import { removal } from './step-with-event.ts';

export type CleanupInput = Pick<PlanInput, 'service' | 'registryId' | 'observed' | 'nowMs' | 'settings'>;

/**
 * `isClean` only when the platform lists no service of ours; until then the finalizer has to stay. While an object is
 * being deleted no other object can have its name, so every service marked with that name belongs to it or to an earlier
 * object of the same name.
 */
export function planCleanup(input: CleanupInput): Plan & { readonly isClean: boolean } {
  const { service, settings } = input;
  const { owned } = ownershipOf(input);
  const actions = owned.map((one) => removal(one, 'the ECSMService is being deleted'));
  const isClean = owned.length === 0;
  const replicas = owned.reduce((sum, { instances }) => sum + instances.length, 0);
  const { conditions: _, ...before } = service.status ?? { updatedReplicas: 0 };
  const observedGeneration = service.metadata.generation;
  const message = isClean
    ? 'deleted from the platform'
    : `still on the platform: ${owned.map(({ name }) => name).join(', ')}`;
  return {
    isClean,
    steps: actions.map(({ step }) => step),
    status: { ...before, observedGeneration, replicas, readyReplicas: 0, unavailableReplicas: 0 },
    conditions: [
      condition('Available', 'False', 'Deleting', message),
      condition('Progressing', 'True', 'Deleting', message),
    ].map((one) => ({ ...one, observedGeneration })),
    events: actions.map(({ event }) => event),
    ...(isClean ? {} : { requeueAfterMs: settings.pollMs }),
  };
}
