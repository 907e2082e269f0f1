/**
 * What a deletion does to the dependents of an object. As in Kubernetes, the policy is recorded in a finalizer of the
 * object, and the garbage collector removes that finalizer when it has done its part.
 */
import type { Metadata } from '../api/metadata.ts';

/**
 * - `Background`: the object is deleted, then its dependents.
 * - `Foreground`: the dependents are deleted, then the object, which waits for those with `blockOwnerDeletion`.
 * - `Orphan`: the dependents are kept, without their reference to the object.
 */
export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

export const propagationFinalizers = { Orphan: 'orphan', Foreground: 'foregroundDeletion' } as const;

const known: readonly string[] = Object.values(propagationFinalizers);

/** The finalizers of an object that is deleted. Without a policy, one that an earlier deletion has set stays. */
export function finalizersFor(
  finalizers: readonly string[] = [],
  policy: PropagationPolicy | undefined = policyIn(finalizers),
): readonly string[] {
  const others = finalizers.filter((finalizer) => !known.includes(finalizer));
  return policy === undefined || policy === 'Background' ? others : [...others, propagationFinalizers[policy]];
}

/** The part of the garbage collector in the deletion of an object. Undefined if it has none before the object is gone. */
export function pendingPropagation({
  deletionTimestamp,
  finalizers,
}: Pick<Metadata, 'deletionTimestamp' | 'finalizers'>): 'Orphan' | 'Foreground' | undefined {
  return deletionTimestamp === undefined ? undefined : policyIn(finalizers);
}

function policyIn(finalizers: readonly string[] = []): 'Orphan' | 'Foreground' | undefined {
  // A user who has set both wants to keep the dependents: that can be undone.
  if (finalizers.includes(propagationFinalizers.Orphan)) return 'Orphan';
  return finalizers.includes(propagationFinalizers.Foreground) ? 'Foreground' : undefined;
}
