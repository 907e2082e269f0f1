/** Sends the events of a watch, one line of JSON each, as fast as the client reads them. */
import { once } from 'node:events';
import type { Kind } from '@ecsm/runtime';
import { partialOf, partialType } from '../response/partial.ts';
import { tableOfObject } from '../response/table.ts';
import type { SendEvents, ServerEvent } from '../verbs/watch.ts';
import type { Exchange } from './exchange.ts';
import type { HiddenSecrets } from './hidden-secrets.ts';
import type { View } from './respond.ts';

/** Ends when the events do, or when the signal aborts. A client that does not read then is disconnected. */
export async function stream(
  { response, headers }: Exchange,
  sendAll: SendEvents,
  kind: Kind,
  view: View,
  signal: AbortSignal,
): Promise<void> {
  headers.push('Content-Type', 'application/json', 'Cache-Control', 'no-cache, private');
  response.writeHead(200, headers);
  response.flushHeaders();
  // Events are divided into chunks here, once for all watches: Node.js would copy each of them for every watch.
  const isChunked = response.chunkedEncoding;
  response.chunkedEncoding = false;
  let columnDefinitions = true;
  try {
    await sendAll((event) => {
      const line = encoded(event, kind, view, { columnDefinitions, isChunked });
      if (event.type !== 'ERROR') columnDefinitions = false;
      return response.write(line) ? undefined : once(response, 'drain', { signal });
    });
  } catch (error) {
    // The client has gone, or the time of the watch is over.
    if (!signal.aborted) throw error;
  } finally {
    // What the client has not read would keep its connection open without end.
    if (response.writableNeedDrain) response.destroy();
    else response.end(isChunked ? lastChunk : undefined);
  }
}

/** Lines of objects that many watches send, by event type. They last as long as the registry keeps the object. */
const sharedLines = new WeakMap<object, Map<string, Buffer>>();

interface Form {
  readonly columnDefinitions: boolean;
  readonly isChunked: boolean;
}

function encoded(found: ServerEvent, kind: Kind, view: View, { columnDefinitions, isChunked }: Form): Buffer {
  const event = view.hidden ? withoutHidden(found, view.hidden) : found;
  const { type, object } = event;
  const isPlain = view.accept.as === undefined;
  if (type === 'BOOKMARK' || type === 'ERROR' || !isPlain || !event.isShared) {
    return lineOf(type, represented(event, kind, view, columnDefinitions), isChunked);
  }
  const lines = sharedLines.get(object) ?? new Map<string, Buffer>();
  const form = isChunked ? type : `${type} without chunks`;
  const known = lines.get(form);
  if (known) return known;
  const line = lineOf(type, object, isChunked);
  lines.set(form, line);
  sharedLines.set(object, lines);
  return line;
}

function withoutHidden(event: ServerEvent, hidden: HiddenSecrets): ServerEvent {
  if (event.type === 'BOOKMARK' || event.type === 'ERROR') return event;
  return { ...event, object: hidden.shown(event.object, event.isShared) };
}

const lastChunk = '0\r\n\r\n';

function lineOf(type: string, object: object, isChunked: boolean): Buffer {
  const line = `${JSON.stringify({ type, object })}\n`;
  return Buffer.from(isChunked ? `${Buffer.byteLength(line).toString(16)}\r\n${line}\r\n` : line);
}

function represented(event: ServerEvent, kind: Kind, view: View, columnDefinitions: boolean): object {
  const { accept, includeObject, clock } = view;
  if (event.type === 'ERROR' || accept.as === undefined) return event.object;
  // Clients of metadata know no other kind: a bookmark that they cannot decode would end their watch.
  if (event.type === 'BOOKMARK') return accept.as === 'Table' ? event.object : { ...event.object, ...partialType };
  if (accept.as !== 'Table') return partialOf(event.object);
  return tableOfObject(kind, event.object, { includeObject, nowMs: clock.now(), columnDefinitions });
}
