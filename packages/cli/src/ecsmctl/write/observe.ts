/** Watches objects until each of them meets a condition. */

import type { Terminal } from '@ecsm/command-line';
import type { ApiObject } from '@ecsm/runtime';
import { follow } from '../shared/follow.ts';
import type { Session } from '../shared/session.ts';
import type { Item } from '../shared/targets.ts';

export type AnyObject = ApiObject<unknown, unknown>;

/**
 * Calls `isDone` with the state of each object, now and after every change; undefined for one that was deleted, also if
 * another object has its name now. Ends when `isDone` has returned true for every object, or when the signal aborts.
 */
export async function observe(
  terminal: Terminal,
  session: Session,
  items: readonly Item[],
  signal: AbortSignal,
  isDone: (item: Item, object: AnyObject | undefined) => boolean,
): Promise<void> {
  const pending = new Map(items.map((item) => [item.object.metadata.uid, item]));
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted || pending.size === 0) stop.abort();
  const check = (uid: string, object: AnyObject | undefined) => {
    const item = pending.get(uid);
    if (!item || stop.signal.aborted || !isDone(item, object)) return;
    pending.delete(uid);
    if (pending.size === 0) stop.abort();
  };
  const places = new Map(items.map((item) => [placeOf(item), item]));
  try {
    await Promise.all(
      [...places].map(async ([place, { kind, object: first }]) => {
        const { namespace } = first.metadata;
        for await (const step of follow(terminal, session, kind, { namespace, signal: stop.signal })) {
          if (step.type !== 'Listed') {
            check(step.object.metadata.uid, step.type === 'Deleted' ? undefined : step.object);
            continue;
          }
          const found = new Map(step.objects.map((object) => [object.metadata.uid, object]));
          for (const [uid, item] of pending) if (placeOf(item) === place) check(uid, found.get(uid));
        }
      }),
    );
  } finally {
    stop.abort();
    signal.removeEventListener('abort', onAbort);
  }
}

function placeOf({ kind, object }: Item): string {
  return `${kind.plural}.${kind.group}/${object.metadata.namespace}`;
}
