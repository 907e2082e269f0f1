/** Distinguishes errors of the platform from errors of the registry: both may be `Unavailable`. */
import { isLinkFailure } from '@ecsm/client';
import { type ApiError, isApiError } from '@ecsm/runtime';

export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  override readonly cause: ApiError;

  constructor(cause: ApiError) {
    super(cause.message);
    this.cause = cause;
  }

  /** Whether the platform may have performed the call although it failed. */
  get isUnanswered(): boolean {
    return isLinkFailure(this.cause);
  }
}

/**
 * Converts the error of a platform call to a `PlatformError`. `Fenced` is not converted: the registry rejected the call
 * before it was sent.
 */
export async function fromPlatform<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isApiError(error) && error.code !== 'Fenced' ? new PlatformError(error) : error;
  }
}
