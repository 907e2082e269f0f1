/** Tells a failure of the platform from one of the registry: both may be `Unavailable`, and mean different things. */
import { isLinkFailure } from '@ecsm/client';
import { type ApiError, isApiError } from '@ecsm/runtime';

export class PlatformTrouble extends Error {
  override readonly name = 'PlatformTrouble';
  override readonly cause: ApiError;

  constructor(cause: ApiError) {
    super(cause.message);
    this.cause = cause;
  }

  /** Whether the call may have been carried out although it failed. */
  get isUnanswered(): boolean {
    return isLinkFailure(this.cause);
  }
}

/**
 * What a call to the platform comes to; its failure is marked as the platform's. `Fenced` is not: the registry refused
 * the call before it was sent.
 */
export async function fromPlatform<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isApiError(error) && error.code !== 'Fenced' ? new PlatformTrouble(error) : error;
  }
}
