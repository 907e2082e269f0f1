/** A deadline for the registry: a client gets an answer although the store hangs. */
import { ApiError, type Clock } from '@ecsm/runtime';

/**
 * Throws `Timeout` if the work takes longer, after `onLate`. The work is not stopped: a write may still happen, which is
 * what `Timeout` means.
 */
export async function withDeadline<T>(
  clock: Clock,
  timeoutMs: number,
  work: Promise<T>,
  onLate: () => void = () => {},
): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(timeoutMs, () => {
      onLate();
      reject(new ApiError('Timeout', { what: 'the registry', timeoutMs }));
    });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
