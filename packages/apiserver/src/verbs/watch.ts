/**
 * The verb watch: a stream of events that a client can resume.
 *
 * The client pulls: the next change is read from the log of the store when the previous one has been sent, so a client
 * that does not read costs no memory. One that falls behind the log gets 410 and lists again.
 */
import { isApiError, type WatchEvent } from '@ecsm/runtime';
import { listOptionsOf } from '../request/options.ts';
import { resourceVersionTooLarge } from '../response/http-error.ts';
import { statusOf } from '../response/status.ts';
import type { AnyObject, Call, Json } from './call.ts';
import { badRequest } from './input.ts';
import { checkVersion, listed, selectionOf } from './read.ts';

export type ServerEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: AnyObject }
  | { readonly type: 'BOOKMARK'; readonly object: object }
  | { readonly type: 'ERROR'; readonly object: object };

/** Interval between bookmarks, so that a client that reconnects does not have to list again. */
export const bookmarkMs = 30_000;
/** How long a watch lasts if the client sets no timeout. Clients reconnect from where they are. */
export const watchSecondsMax = 1_800;

const initialEventsEnd = 'k8s.io/initial-events-end';

const eventTypes = { Added: 'ADDED', Modified: 'MODIFIED', Deleted: 'DELETED' } as const;

/** Throws before the first event if the request is invalid or the version is gone; later errors are ERROR events. */
export async function watch(call: Call): Promise<AsyncGenerator<ServerEvent, void>> {
  const options = listOptionsOf(call.query);
  const { resourceVersion = '', sendInitialEvents } = options;
  if (options.continue !== undefined) throw badRequest('continue is not allowed for a watch');
  const isFromStart = sendInitialEvents === true || (sendInitialEvents === undefined && isAny(resourceVersion));
  if (isFromStart || isAny(resourceVersion)) {
    // The list of a watch has neither pages nor a version of its own.
    const query = new URLSearchParams(call.query);
    for (const name of ['resourceVersion', 'resourceVersionMatch', 'limit', 'sendInitialEvents']) query.delete(name);
    const list = await listed({ ...call, query });
    if (!isAny(resourceVersion) && call.registry.isNewer(resourceVersion, list.resourceVersion)) {
      throw resourceVersionTooLarge(resourceVersion, list.resourceVersion);
    }
    const initial = isFromStart ? list.items : [];
    return events(call, list.resourceVersion, initial, sendInitialEvents === true);
  }
  checkVersion(resourceVersion);
  return events(call, resourceVersion, [], false);
}

async function* events(
  call: Call,
  after: string,
  initial: readonly AnyObject[],
  marksEnd: boolean,
): AsyncGenerator<ServerEvent, void> {
  const { target, namespace, name, query, signal, clock } = call;
  const options = listOptionsOf(query);
  for (const object of initial) yield { type: 'ADDED', object };
  if (marksEnd) yield bookmark(call, after, { [initialEventsEnd]: 'true' });
  const progress = options.allowWatchBookmarks;
  let marked = after;
  let markedMs = clock.monotonicMs();
  try {
    const batches = target.resource.watch({
      ...(namespace === undefined ? {} : { namespace }),
      ...selectionOf(options, name),
      resourceVersion: after,
      progress,
      signal,
    });
    for await (const batch of batches) {
      for (const event of batch.events) {
        const sent = serverEvent(call, event);
        if (sent) yield sent;
      }
      const isDue = clock.monotonicMs() - markedMs >= bookmarkMs;
      if (!progress || !isDue || batch.resourceVersion === marked) continue;
      marked = batch.resourceVersion;
      markedMs = clock.monotonicMs();
      yield bookmark(call, marked);
    }
  } catch (error) {
    if (signal.aborted) return;
    yield { type: 'ERROR', object: errorStatus(error) };
  }
}

function serverEvent({ warn }: Call, event: WatchEvent<unknown, unknown>): ServerEvent | undefined {
  if (event.type !== 'Problem') return { type: eventTypes[event.type], object: event.object };
  // The other objects are more useful to the client than the end of its watch.
  warn(`${event.key} cannot be read: ${event.reason}`);
  return undefined;
}

function bookmark({ target: { kind } }: Call, resourceVersion: string, annotations?: Json): ServerEvent {
  const metadata = { resourceVersion, creationTimestamp: null, ...(annotations ? { annotations } : {}) };
  return { type: 'BOOKMARK', object: { apiVersion: kind.apiVersion, kind: kind.kind, metadata } };
}

/** Clients list again after 410. A history that is shorter than what the client has seen is such a case, too. */
function errorStatus(error: unknown): object {
  const { body } = statusOf(error);
  if (!isApiError(error, 'BadRequest')) return body;
  return { ...body, code: 410, reason: 'Expired', message: `too old resource version: ${error.message}` };
}

function isAny(resourceVersion: string): boolean {
  return resourceVersion === '' || resourceVersion === '0';
}
