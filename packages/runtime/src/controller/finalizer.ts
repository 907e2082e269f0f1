/**
 * Guaranteed clean-up before an object is deleted. The flow:
 *
 * 1. The object is new: the finalizer is added and stored before `apply` is called.
 * 2. The object exists: `apply` is called.
 * 3. The object has a deletion timestamp: `cleanup` undoes the effects of `apply`.
 * 4. `cleanup` has succeeded: the finalizer is removed, and the registry deletes the object.
 *
 * The guarantee: whenever a crash happens, if `apply` was ever called, the object is kept until `cleanup` has succeeded.
 * Both may be called again at any time.
 */
import type { ApiObject } from '../api/object.ts';
import type { Resource } from '../registry/contract.ts';
import type { ReconcileResult } from './outcome.ts';

export interface FinalizerSteps<Spec, Status> {
  apply(object: ApiObject<Spec, Status>): Promise<ReconcileResult>;
  /** Throw, or return `requeueAfterMs`, as long as the clean-up is incomplete. */
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
  // Only at the version that was read: a finalizer that was added since must not be lost.
  const patch = (next: readonly string[]) =>
    resource.patch(name, { metadata: { finalizers: [...next] } }, { namespace, uid, resourceVersion, known: object });

  if (deletionTimestamp === undefined) {
    if (has) return steps.apply(object);
    return steps.apply(await patch([...finalizers, finalizer]));
  }
  if (!has) return undefined;
  const result = await steps.cleanup(object);
  if (result?.requeueAfterMs !== undefined) return result;
  // `NotFound` is not success: it may be a stale read. The next reconcile decides.
  await patch(finalizers.filter((other) => other !== finalizer));
  return undefined;
}
