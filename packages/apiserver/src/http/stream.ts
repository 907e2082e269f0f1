/** Sends the events of a watch, one line of JSON each, as fast as the client reads them. */
import { once } from 'node:events';
import type { Kind } from '@ecsm/runtime';
import { partialOf } from '../response/partial.ts';
import { tableOfObject } from '../response/table.ts';
import type { ServerEvent } from '../verbs/watch.ts';
import type { Exchange } from './exchange.ts';
import type { View } from './respond.ts';

/** Ends when the events do, or when the signal aborts. A client that does not read then is disconnected. */
export async function stream(
  { response, headers }: Exchange,
  events: AsyncGenerator<ServerEvent, void>,
  kind: Kind,
  view: View,
  signal: AbortSignal,
): Promise<void> {
  headers.push('Content-Type', 'application/json', 'Cache-Control', 'no-cache, private');
  response.writeHead(200, headers);
  response.flushHeaders();
  let columnDefinitions = true;
  try {
    for await (const event of events) {
      const line = encoded(event, kind, view, columnDefinitions);
      if (event.type !== 'ERROR') columnDefinitions = false;
      if (signal.aborted) break;
      if (!response.write(line)) await once(response, 'drain', { signal });
    }
  } catch (error) {
    // The client has gone, or the time of the watch is over.
    if (!signal.aborted) throw error;
  } finally {
    // What the client has not read would keep its connection open without end.
    if (response.writableNeedDrain) response.destroy();
    else response.end();
  }
}

/** Lines of objects that many watches send, by event type. They last as long as the registry keeps the object. */
const sharedLines = new WeakMap<object, Map<string, Buffer>>();

function encoded(event: ServerEvent, kind: Kind, view: View, columnDefinitions: boolean): Buffer | string {
  const { type, object } = event;
  const isPlain = view.accept.as === undefined;
  if (type === 'BOOKMARK' || type === 'ERROR' || !isPlain || !event.isShared) {
    return lineOf(type, represented(event, kind, view, columnDefinitions));
  }
  const lines = sharedLines.get(object) ?? new Map<string, Buffer>();
  const known = lines.get(type);
  if (known) return known;
  const line = Buffer.from(lineOf(type, object));
  lines.set(type, line);
  sharedLines.set(object, lines);
  return line;
}

function lineOf(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

function represented(event: ServerEvent, kind: Kind, view: View, columnDefinitions: boolean): object {
  const { accept, includeObject, nowMs } = view;
  if (event.type === 'ERROR' || event.type === 'BOOKMARK' || accept.as === undefined) return event.object;
  if (accept.as !== 'Table') return partialOf(event.object);
  return tableOfObject(kind, event.object, { includeObject, nowMs, columnDefinitions });
}
