/** Pruning of events as a runnable, for programs whose clients write events: nothing else removes them. */
import { isApiError } from '../api/errors.ts';
import type { Runnable } from '../manager/runnable.ts';
import { sleep } from '../ports/clock.ts';
import { type Log, silentLog } from '../ports/log.ts';
import { type EventBounds, eventBoundsDefault, pruneEvents } from './event-bounds.ts';

export interface EventPrunerOptions extends Partial<EventBounds> {
  readonly log?: Log;
  /** Default 60,000. */
  readonly intervalMs?: number;
}

/** The registry has to be opened with the kind `Event`. A server that cleans up by itself also removes old events. */
export function eventPruner({ log = silentLog, intervalMs = 60_000, ...bounds }: EventPrunerOptions = {}): Runnable {
  return {
    name: 'events',
    run: async ({ registry, signal }) => {
      while (!signal.aborted && registry.capabilities.garbage) {
        try {
          await pruneEvents(registry, { ...eventBoundsDefault, ...bounds });
        } catch (error) {
          if (!isApiError(error) || error.retry !== 'retry') throw error;
          log.write('warn', 'old events could not be removed; retrying', { error: error.message });
        }
        await sleep(registry.clock, intervalMs, signal);
      }
    },
  };
}
