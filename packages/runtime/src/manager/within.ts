import { ApiError } from '../api/errors.ts';
import type { Clock } from '../ports/clock.ts';

/**
 * Returns the result of the work, or throws `Timeout` after `timeoutMs`. The work is not stopped then; its later result
 * is dropped.
 */
export function within<T>(clock: Clock, timeoutMs: number, what: string, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => reject(new ApiError('Timeout', { what, timeoutMs })));
    void work().then(resolve, reject).finally(cancel);
  });
}

/** Resolves when the signal aborts, or immediately if it has. `stop` removes the listener. */
export function aborted(signal: AbortSignal): { readonly promise: Promise<void>; stop(): void } {
  let stop = () => {};
  const promise = new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => resolve();
    signal.addEventListener('abort', done, { once: true });
    stop = () => signal.removeEventListener('abort', done);
  });
  return { promise, stop: () => stop() };
}

/** Returns the result of the work, or undefined if the signal aborts first. The work is then no longer awaited. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  const abort = aborted(signal);
  // After an abort the work is not awaited any more, so its failure would be an unhandled rejection.
  work.catch(() => {});
  try {
    return await Promise.race([work, abort.promise.then(() => undefined)]);
  } finally {
    abort.stop();
  }
}

/** Whether an error was caused by the abort of the signal. */
export function isAbort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}
