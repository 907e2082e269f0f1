/**
 * The verb watch: a stream of events that a client can resume.
 *
 * The client pulls: the next change is taken from the log when the previous one has been sent, so a client that does not
 * read costs no memory. One that falls behind the log gets 410 and lists again. All watches of a kind receive the same
 * objects, because the registry reads its log once for all of them.
 */
import { type EventBatch, isApiError, type WatchEvent } from '@ecsm/runtime';
import { listOptionsOf } from '../request/options.ts';
import { resourceVersionTooLarge } from '../response/http-error.ts';
import { statusOf } from '../response/status.ts';
import type { AnyObject, Call, Json } from './call.ts';
import { badRequest } from './input.ts';
import { checkVersion, listed, selectionOf } from './read.ts';

export type ServerEvent =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: AnyObject;
      /** Other watches may receive the same object. */
      readonly isShared: boolean;
    }
  | { readonly type: 'BOOKMARK'; readonly object: object }
  | { readonly type: 'ERROR'; readonly object: object };

/** Interval between bookmarks, so that a client that reconnects does not have to list again. */
export const bookmarkMs = 30_000;
/** How long a watch lasts if the client sets no timeout. Clients reconnect from where they are. */
export const watchSecondsMax = 1_800;
/** A longer timer of Node.js would end at once. */
export const timerSecondsMax = 2_000_000;

const initialEventsEnd = 'k8s.io/initial-events-end';

const eventTypes = { Added: 'ADDED', Modified: 'MODIFIED', Deleted: 'DELETED' } as const;

/** Throws before the first event if the request is invalid or the version is gone; later errors are ERROR events. */
export async function watch(call: Call, markMs = bookmarkMs): Promise<AsyncGenerator<ServerEvent, void>> {
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
    return events(call, list.resourceVersion, initial, sendInitialEvents === true, markMs);
  }
  checkVersion(resourceVersion);
  return events(call, resourceVersion, [], false, markMs);
}

async function* events(
  call: Call,
  after: string,
  initial: readonly AnyObject[],
  marksEnd: boolean,
  markMs: number,
): AsyncGenerator<ServerEvent, void> {
  const { target, namespace, name, query, signal, clock } = call;
  const options = listOptionsOf(query);
  for (const object of initial) yield { type: 'ADDED', object, isShared: false };
  if (marksEnd) yield bookmark(call, after, { [initialEventsEnd]: 'true' });
  const progress = options.allowWatchBookmarks;
  let reached = after;
  let marked = after;
  let markedMs = clock.monotonicMs();
  const selection = { ...(namespace === undefined ? {} : { namespace }), ...selectionOf(options, name) };
  let batches: AsyncIterator<EventBatch<unknown, unknown>> | undefined;
  try {
    const watched = target.resource.watch({ ...selection, resourceVersion: after, progress, signal });
    batches = watched[Symbol.asyncIterator]();
    let next: Promise<IteratorResult<EventBatch<unknown, unknown>>> | undefined;
    while (true) {
      next ??= batches.next();
      const dueMs = Math.max(0, markedMs + markMs - clock.monotonicMs());
      // The last changes before a quiet time are marked, too: the history that the client resumes from can be short.
      const result = progress && reached !== marked ? await within(clock, dueMs, next) : await next;
      if (result?.done) return;
      if (result) {
        next = undefined;
        for (const event of result.value.events) {
          const sent = serverEvent(call, event);
          if (sent) yield sent;
        }
        reached = result.value.resourceVersion;
      }
      if (!progress || reached === marked || clock.monotonicMs() - markedMs < markMs) continue;
      marked = reached;
      markedMs = clock.monotonicMs();
      yield bookmark(call, marked);
    }
  } catch (error) {
    if (signal.aborted) return;
    yield { type: 'ERROR', object: errorStatus(error) };
  } finally {
    // Not awaited: a batch that is being waited for comes first.
    batches?.return?.().catch(() => {});
  }
}

/** Undefined if the result takes longer than `delayMs`. */
async function within<T>(clock: Call['clock'], delayMs: number, result: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(delayMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    cancel();
  }
}

function serverEvent({ warn }: Call, event: WatchEvent<unknown, unknown>): ServerEvent | undefined {
  if (event.type !== 'Problem') return { type: eventTypes[event.type], object: event.object, isShared: true };
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
