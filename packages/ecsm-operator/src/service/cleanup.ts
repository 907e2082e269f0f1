/** The end of a service: everything of ours leaves the platform, and nothing else does. */

import type { Plan, PlanInput } from './model.ts';
import { ownershipOf } from './ownership.ts';
import { condition } from './reasons.ts';
import { removal } from './step-with-event.ts';

export type CleanupInput = Pick<PlanInput, 'service' | 'registryId' | 'observed' | 'nowMs' | 'settings'>;

/**
 * `isClean` only when the platform shows nothing of ours any more; until then the finalizer has to stay. While an object
 * is being deleted no other can have its name, so whatever carries that name is its own, or of a life before.
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
    ? 'nothing of it is on the platform'
    : `on the platform: ${owned.map(({ name }) => name).join(', ')}`;
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
