/**
 * Clean-up that cannot be forgotten. The flow:
 *
 * 1. The object is new: the finalizer is added and stored, and only then `apply` is called.
 * 2. The object is there: `apply` makes it true.
 * 3. Somebody asked for its deletion: `cleanup` undoes what `apply` made.
 * 4. `cleanup` has ended without an error: the finalizer is removed, and the registry lets the object go.
 *
 * The guarantee: whatever crash happens in between, if `apply` was ever called, the object stays until `cleanup` has
 * succeeded. Both may be called again at any time.
 */
import type { ApiObject } from '../api/object.ts';
import type { Resource } from '../registry/contract.ts';
import type { ReconcileResult } from './outcome.ts';

export interface FinalizerSteps<Spec, Status> {
  apply(object: ApiObject<Spec, Status>): Promise<ReconcileResult>;
  /** Throw, or answer with `requeueAfterMs`, as long as something is left. */
  cleanup(object: ApiObject<Spec, Status>): Promise<ReconcileResult>;
}

export async function withFinalizer<Spec, Status, SpecInput, StatusInput>(
  resource: Resource<Spec, Status, SpecInput, StatusInput>,
  object: ApiObject<Spec, Status>,
  finalizer: string,
  steps: FinalizerSteps<Spec, Status>,
): Promise<ReconcileResult> {
  const { name, namespace, uid, resourceVersion, finalizers = [], deletionTimestamp } = object.metadata;
  const has = finalizers.includes(finalizer);
  // Only on the very version that was looked at: another finalizer that came meanwhile must not be lost.
  const patch = (next: readonly string[]) =>
    resource.patch(name, { metadata: { finalizers: [...next] } }, { namespace, uid, resourceVersion });

  if (deletionTimestamp === undefined) {
    if (has) return steps.apply(object);
    return steps.apply(await patch([...finalizers, finalizer]));
  }
  if (!has) return undefined;
  const result = await steps.cleanup(object);
  if (result?.requeueAfterMs !== undefined) return result;
  // `NotFound` is not taken for success: it may come from an answer that is behind. The next reconcile knows.
  await patch(finalizers.filter((other) => other !== finalizer));
  return undefined;
}
