/**
 * A watch that continues after lost connections, from the last version that it has seen. It misses and repeats nothing:
 * the server sends every change after a version, in order, and bookmarks advance the version in between.
 *
 *     connecting ──▶ streaming ──(ended, cut, refused for now)──▶ backing off ──▶ connecting
 *          │             │
 *          └─────────────┴──(Expired, or an error that stays)──▶ thrown
 *
 *     any state ──(signal)──▶ ended
 */
import { ApiError, Backoff, type Clock, isApiError, type Log, type Random, shape, sleep } from '@ecsm/runtime';
import type { RestClient, RestRequest } from '../rest/client.ts';
import type { Subject } from '../rest/status.ts';

interface WatchRequest {
  readonly path: string;
  readonly accept?: string;
  readonly selectors: Readonly<Record<string, string | undefined>>;
  readonly subject: Subject;
  readonly resourceVersion: string;
  readonly signal?: AbortSignal | undefined;
}

export interface WatchDependencies {
  readonly client: RestClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface RawEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly resourceVersion: string;
  readonly object: unknown;
}

/** The server ends a watch after this time; a random part avoids that all of them reconnect at once. */
const serverTimeoutSecondsMin = 240;
const serverTimeoutSecondsSpread = 120;
/** After the server should have ended it, a connection is dead. */
const graceMs = 30_000;
/** A watch that lasted this long was not refused. */
const stableMs = 10_000;
/** Without a connection for this long, the error is thrown, so that it becomes visible. */
const outageMsMax = 60_000;
const backoffMsMax = 5_000;

const { exactly, object, string } = shape;
const eventShape = object({
  type: exactly('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'),
  object: object({ metadata: object({ resourceVersion: string() }) }),
});

export async function* watchEvents(
  { client, clock, random, log }: WatchDependencies,
  { path, accept, selectors, subject, resourceVersion, signal }: WatchRequest,
): AsyncGenerator<RawEvent, void> {
  if (!/^\d+$/.test(resourceVersion)) {
    throw new ApiError('BadRequest', { reason: `"${resourceVersion.slice(0, 100)}" is not a resource version` });
  }
  const backoff = new Backoff(random, 100, backoffMsMax);
  let position = resourceVersion;
  let outageStartMs: number | undefined;
  while (!signal?.aborted) {
    const timeoutSeconds = Math.round(serverTimeoutSecondsMin + random.next() * serverTimeoutSecondsSpread);
    const request: RestRequest = {
      method: 'GET',
      path,
      query: {
        ...selectors,
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: position,
        timeoutSeconds: String(timeoutSeconds),
      },
      subject,
      ...(accept === undefined ? {} : { accept }),
      ...(signal && { signal }),
    };
    const startMs = clock.monotonicMs();
    try {
      for await (const received of client.stream(request, timeoutSeconds * 1_000 + graceMs)) {
        const event = eventOf(received, client, request);
        position = event.resourceVersion;
        outageStartMs = undefined;
        backoff.reset();
        yield event;
      }
      outageStartMs = undefined;
    } catch (error) {
      if (signal?.aborted) return;
      if (!isTransient(error)) throw error;
      const nowMs = clock.monotonicMs();
      outageStartMs ??= nowMs;
      if (nowMs - outageStartMs >= outageMsMax) throw error;
      log.write('info', 'watch of the API server was interrupted; reconnecting', {
        path,
        resourceVersion: position,
        error: error instanceof Error ? error.message : String(error),
      });
    }
    if (clock.monotonicMs() - startMs >= stableMs) backoff.reset();
    await sleep(clock, backoff.next(), signal);
  }
}

function isTransient(error: unknown): boolean {
  return isApiError(error, 'Unavailable') || isApiError(error, 'Timeout') || isApiError(error, 'BadAnswer');
}

/** Throws the error of an ERROR event; that of a version which is too old is `Expired`. */
function eventOf(received: unknown, client: RestClient, request: RestRequest): RawEvent {
  if (shape.isObject(received) && received['type'] === 'ERROR') throw client.errorOf(received['object'], request);
  if (!isEvent(received)) {
    const reason = shape.complaint(eventShape, received, 'the event') ?? 'the event is invalid';
    throw new ApiError('BadAnswer', { what: `GET ${request.path}`, reason });
  }
  return { type: received.type, resourceVersion: received.object.metadata.resourceVersion, object: received.object };
}

function isEvent(value: unknown): value is shape.Shaped<typeof eventShape> {
  return eventShape.check(value) === undefined;
}
