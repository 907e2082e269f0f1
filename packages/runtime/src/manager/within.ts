import { ApiError } from '../api/errors.ts';
import type { Clock } from '../ports/clock.ts';

/**
 * What the work answers, or `Timeout` once `timeoutMs` have passed. The work is not stopped by that, only no longer
 * waited for; whatever it comes to later is dropped.
 */
export function within<T>(clock: Clock, timeoutMs: number, what: string, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => reject(new ApiError('Timeout', { what, timeoutMs })));
    void work().then(resolve, reject).finally(cancel);
  });
}

/** Resolves when the signal aborts; at once if it has. `stop` lets go of the signal. */
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

/** What the work answers, or nothing if the signal aborts first. The work is then no longer waited for. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  const abort = aborted(signal);
  // Nobody waits for the work any more after an abort, so nobody would take its failure.
  work.catch(() => {});
  try {
    return await Promise.race([work, abort.promise.then(() => undefined)]);
  } finally {
    abort.stop();
  }
}

/** Whether an error says no more than that its work was told to stop. */
export function isAbort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}
