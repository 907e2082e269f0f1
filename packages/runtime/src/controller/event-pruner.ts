/**
 * Keeps the events in a registry bounded in number and in age: after new ones by the recorder, and as a runnable for
 * programs whose clients write events, which nothing else removes.
 */
import { isApiError } from '../api/errors.ts';
import { timeMsOf } from '../lib/time.ts';
import type { Runnable } from '../manager/runnable.ts';
import { sleep } from '../ports/clock.ts';
import { type Log, silentLog } from '../ports/log.ts';
import type { Registry } from '../registry/contract.ts';
import { Event, lastSeenOf } from './event.ts';

export interface EventBounds {
  readonly eventsMax: number;
  readonly ageMsMax: number;
}

/** One hour, as in Kubernetes. */
export const eventBoundsDefault: EventBounds = { eventsMax: 5_000, ageMsMax: 3_600_000 };

/** Events checked and deleted concurrently: stores write such commits with one flush. */
const chunkEvents = 32;

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

/**
 * Removes events that are too old, and the oldest ones beyond the limit. An event that was written earlier has an older
 * version, so the oldest are found without reading the others.
 */
export async function pruneEvents(registry: Registry, { eventsMax, ageMsMax }: EventBounds): Promise<void> {
  const oldestMs = registry.clock.now() - ageMsMax;
  const page = await registry.resource(Event).versions();
  const events = page.keys.map((key, index) => ({ key, version: page.version(index) }));
  const surplus = events.length - eventsMax;
  // Often there is nothing to remove, and thousands of events take too long to sort while others wait.
  const oldest = events.reduce<(typeof events)[number] | undefined>(
    (found, one) => (found === undefined || registry.isNewer(found.version, one.version) ? one : found),
    undefined,
  );
  if (oldest === undefined || (surplus <= 0 && !(await isOlder(registry, oldest.key, oldestMs)))) return;
  const byAge = events.sort((one, other) => {
    if (registry.isNewer(one.version, other.version)) return 1;
    return registry.isNewer(other.version, one.version) ? -1 : 0;
  });
  for (let start = 0; start < byAge.length; ) {
    const chunk = byAge.slice(start, start + chunkEvents);
    const removed = await Promise.all(
      chunk.map(async ({ key, version }, index) => {
        if (start + index >= surplus && !(await isOlder(registry, key, oldestMs))) return false;
        await remove(registry, key, version);
        return true;
      }),
    );
    if (removed.includes(false)) return;
    start += chunk.length;
  }
}

async function isOlder(registry: Registry, key: string, oldestMs: number): Promise<boolean> {
  const { name = '', namespace = '' } = registry.locate(key) ?? {};
  try {
    const lastSeen = lastSeenOf(await registry.resource(Event).get(name, { namespace }));
    return (timeMsOf(lastSeen) ?? 0) < oldestMs;
  } catch (error) {
    // It was removed since, or cannot be read: continue with the next ones.
    if (isApiError(error, 'NotFound') || isApiError(error, 'Corrupt')) return true;
    throw error;
  }
}

async function remove(registry: Registry, key: string, resourceVersion: string): Promise<void> {
  const { name = '', namespace = '' } = registry.locate(key) ?? {};
  try {
    await registry.resource(Event).delete(name, { namespace, resourceVersion });
  } catch (error) {
    // An event that has just occurred again is not old any more. One whose file has an invalid edit cannot be removed.
    const isSkipped = (['Conflict', 'Corrupt', 'Forbidden'] as const).some((code) => isApiError(error, code));
    if (!isSkipped) throw error;
  }
}
