/** The finalizer that keeps an ECSMService until nothing of it is on the platform. */
import type { ApiObject } from '@ecsm/runtime';
import { platformFinalizer } from '../apis/well-known.ts';

/**
 * Whether the operator has worked on an object whose finalizer is missing: it was removed by hand, or by a tool. Without
 * it a deletion would leave the service running, so the change has to wake the key.
 */
export function isFinalizerLost({
  metadata,
  status,
}: Pick<ApiObject<unknown, unknown>, 'metadata' | 'status'>): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return status !== undefined && deletionTimestamp === undefined && !finalizers.includes(platformFinalizer);
}
