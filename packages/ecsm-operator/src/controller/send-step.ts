/** Sends one step of a plan, and returns its result. A step that may have been performed is never repeated blindly. */
import { isLinkFailure } from '@ecsm/client';
import { type ApiError, isApiError } from '@ecsm/runtime';
import { isOfPlatform } from '../observe/platform-error.ts';
import type { ServiceManager } from '../resource/manager.ts';
import type { Step } from '../service/model.ts';

export type StepResult =
  /** With the id of a service that was created or updated: an update may change the id. */
  | { readonly is: 'done'; readonly writtenId?: string }
  /** The platform is not in the state that the plan assumed. */
  | { readonly is: 'overtaken'; readonly error: ApiError }
  | { readonly is: 'unanswered'; readonly error: ApiError }
  | { readonly is: 'refused'; readonly error: ApiError };

type Manager = Pick<
  ServiceManager,
  'create' | 'update' | 'delete' | 'start' | 'unpause' | 'startInstance' | 'unpauseInstance' | 'redeploy'
>;

export async function sendStep(step: Step, manager: Manager, signal: AbortSignal): Promise<StepResult> {
  try {
    const writtenId = await call(step, manager, signal);
    return { is: 'done', ...(writtenId === undefined ? {} : { writtenId }) };
  } catch (error) {
    if (!isOfPlatform(error)) throw error;
    if (isLinkFailure(error)) return { is: 'unanswered', error };
    return { is: isOvertaken(step, error) ? 'overtaken' : 'refused', error };
  }
}

/**
 * Created, deleted or changed since it was read: the next reconcile decides by the mark. What is missing for a creation is
 * something else, such as the image, and a missing path is none of the platform: reading again would not change that.
 */
function isOvertaken({ do: action }: Step, error: ApiError): boolean {
  if (isApiError(error, 'NotFound')) return action !== 'create' && error.details.kind !== 'path';
  return isApiError(error, 'AlreadyExists') || isApiError(error, 'Conflict');
}

/** Returns the id of the service that was created or updated, if any. */
async function call(step: Step, manager: Manager, signal: AbortSignal): Promise<string | undefined> {
  switch (step.do) {
    case 'create':
      return (await manager.create(step.body, { signal })).id;
    case 'update':
      try {
        return (await manager.update(step.id, step.body, { signal })).id;
      } catch (error) {
        if (step.ifRefused !== 'delete' || !isApiError(error, 'Rejected')) throw error;
        await manager.delete(step.id, { signal, name: step.body.name });
        return undefined;
      }
    case 'delete':
      await manager.delete(step.id, { signal, name: step.name });
      return undefined;
    case 'start':
    case 'unpause':
    case 'redeploy':
      await manager[step.do](step.id, { signal });
      return undefined;
    case 'startInstance':
    case 'unpauseInstance':
      await manager[step.do](step.instance, { signal });
      return undefined;
  }
}
