/** Whether there is nothing left to do for a service, or a controller. */
import { type Controller, findCondition } from '@ecsm/runtime';
import type { ECSMService } from '../apis/ecsm-service.ts';

/** A service that is not settled yet. */
export interface Unsettled {
  readonly namespace: string;
  readonly name: string;
  readonly why: string;
}

export function isIdle(controller: Pick<Controller, 'ready' | 'queue'>): boolean {
  const { queue } = controller;
  return controller.ready() === undefined && queue !== undefined && queue.depth + queue.processing === 0;
}

/** Returns undefined if it is settled. */
export function whyUnsettled({ metadata, status }: ECSMService): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  if (status?.observedGeneration !== metadata.generation) return 'its newest spec has not been observed yet';
  const available = findCondition(status?.conditions, 'Available');
  return available?.status === 'True' ? undefined : (available?.message ?? 'not reconciled yet');
}
