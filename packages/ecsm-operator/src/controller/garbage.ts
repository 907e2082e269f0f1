/** Garbage collection as a runnable, for every program that serves or reconciles the kinds of the operator. */
import { type Clock, collectGarbage, isApiError, type Log, type Runnable, sleep } from '@ecsm/runtime';

const retryMs = 5_000;

/** Retries while the store cannot be read. */
export function garbageCollector(clock: Clock, log: Log): Runnable {
  return {
    name: 'garbage',
    run: async ({ registry, signal }) => {
      while (!signal.aborted) {
        try {
          await collectGarbage(registry, { signal, log });
        } catch (error) {
          if (!isApiError(error) || error.retry !== 'retry') throw error;
          log.write('warn', 'garbage collection failed; retrying', { error: error.message });
          await sleep(clock, retryMs, signal);
        }
      }
    },
  };
}
