/** Garbage collection as a runnable, for every program that serves or reconciles a registry. */
import { isApiError } from '../api/errors.ts';
import { sleep } from '../ports/clock.ts';
import { type Log, silentLog } from '../ports/log.ts';
import { collectGarbage } from '../registry/garbage.ts';
import type { Runnable } from './runnable.ts';

const retryMs = 5_000;

/** Retries while the store cannot be read. */
export function garbageCollector(log: Log = silentLog): Runnable {
  return {
    name: 'garbage',
    run: async ({ registry, signal }) => {
      while (!signal.aborted) {
        try {
          await collectGarbage(registry, { signal, log });
        } catch (error) {
          if (!isApiError(error) || error.retry !== 'retry') throw error;
          log.write('warn', 'garbage collection failed; retrying', { error: error.message });
          await sleep(registry.clock, retryMs, signal);
        }
      }
    },
  };
}
