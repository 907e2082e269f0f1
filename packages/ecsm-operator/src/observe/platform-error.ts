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

/** Whether a platform call failed on the platform. With `Fenced` the registry rejected it before it was sent. */
export function isOfPlatform(error: unknown): error is ApiError {
  return isApiError(error) && error.code !== 'Fenced';
}

/** Converts the error of a platform call. Returns any other error unchanged. */
export function platformError(error: unknown): unknown {
  return isOfPlatform(error) ? new PlatformError(error) : error;
}
