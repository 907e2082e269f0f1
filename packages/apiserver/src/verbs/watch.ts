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

/** Sends an event. Returns a promise if the client has to read before the next one, and nothing otherwise. */
type SendEvent = (event: ServerEvent) => Promise<unknown> | undefined;

/** Sends the events of a watch until it ends. */
export type SendEvents = (send: SendEvent) => Promise<void>;

interface WatchCall extends Call {
  /** A watch that begins with a list is a request in flight until the list is sent. Returns its end. Throws 429. */
  enterList(): () => void;
}

/** Throws before the first event if the request is invalid or the version is gone; later errors are ERROR events. */
export async function watch(call: WatchCall, markMs = bookmarkMs): Promise<SendEvents> {
  const options = listOptionsOf(call.query);
  const { resourceVersion = '', sendInitialEvents } = options;
  if (options.continue !== undefined) throw badRequest('continue is not allowed for a watch');
  const isFromStart = sendInitialEvents === true || (sendInitialEvents === undefined && isAny(resourceVersion));
  if (isFromStart || isAny(resourceVersion)) {
    // The list of a watch has neither pages nor a version of its own.
    const query = new URLSearchParams(call.query);
    for (const name of ['resourceVersion', 'resourceVersionMatch', 'limit', 'sendInitialEvents']) query.delete(name);
    const leaveList = call.enterList();
    const { items, resourceVersion: newest } = await listed({ ...call, query });
    if (!isAny(resourceVersion) && call.registry.isNewer(resourceVersion, newest)) {
      throw resourceVersionTooLarge(resourceVersion, newest);
    }
    const initial = isFromStart ? [...items] : [];
    return async (send) => {
      await sendInitial(initial, send, call.signal);
      leaveList();
      await sendAll(call, newest, sendInitialEvents === true, markMs, send);
    };
  }
  checkVersion(resourceVersion);
  return (send) => sendAll(call, resourceVersion, false, markMs, send);
}

async function sendAll(call: Call, after: string, marksEnd: boolean, markMs: number, send: SendEvent): Promise<void> {
  const { signal } = call;
  if (signal.aborted) return;
  if (marksEnd) await send(bookmark(call, after, { [initialEventsEnd]: 'true' }));
  try {
    await follow(call, after, markMs, send);
  } catch (error) {
    if (!signal.aborted) await send({ type: 'ERROR', object: errorStatus(error) });
  }
}

/** Empties the list: a watch lasts long, and would keep a copy of every object until its end. */
async function sendInitial(initial: AnyObject[], send: SendEvent, signal: AbortSignal): Promise<void> {
  for (const object of initial) {
    await send({ type: 'ADDED', object, isShared: false });
    if (signal.aborted) break;
  }
  initial.length = 0;
}

/** With many watches, each await and each read of the signal takes noticeable time: an event is sent without either. */
async function follow(call: Call, after: string, markMs: number, send: SendEvent): Promise<void> {
  const { target, namespace, name, query, signal, clock } = call;
  const options = listOptionsOf(query);
  const progress = options.allowWatchBookmarks;
  let reached = after;
  let marked = after;
  let markedMs = clock.monotonicMs();
  const selection = { ...(namespace === undefined ? {} : { namespace }), ...selectionOf(options, name) };
  const watched = target.resource.watch({ ...selection, resourceVersion: after, progress, signal });
  const batches = watched[Symbol.asyncIterator]();
  try {
    let next: Promise<IteratorResult<EventBatch<unknown, unknown>>> | undefined;
    while (true) {
      next ??= batches.next();
      // The last changes before a quiet time are marked, too: the history that the client resumes from can be short.
      const isDue = progress && reached !== marked;
      const result = isDue ? await within(clock, markedMs + markMs - clock.monotonicMs(), next) : await next;
      if (result?.done) return;
      if (result) {
        next = undefined;
        for (const event of result.value.events) {
          const sent = serverEvent(call, event);
          const reading = sent && send(sent);
          if (reading !== undefined) await reading;
        }
        reached = result.value.resourceVersion;
      }
      if (!progress || reached === marked || clock.monotonicMs() - markedMs < markMs) continue;
      marked = reached;
      markedMs = clock.monotonicMs();
      await send(bookmark(call, marked));
    }
  } finally {
    // Not awaited: a batch that is being waited for comes first.
    batches.return?.().catch(() => {});
  }
}

/** Undefined if the result takes longer than `delayMs`. */
async function within<T>(clock: Call['clock'], delayMs: number, result: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(Math.max(0, delayMs), () => resolve(undefined));
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
