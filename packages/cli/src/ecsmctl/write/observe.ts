/** Looks at objects until each of them is as somebody waits for it to be. */

import type { Terminal } from '@ecsm/command-line';
import type { ApiObject } from '@ecsm/runtime';
import { follow } from '../shared/follow.ts';
import type { Session } from '../shared/session.ts';
import type { Item } from '../shared/targets.ts';

export type AnyObject = ApiObject<unknown, unknown>;

/**
 * Tells `see` of each object, now and whenever it changes; nothing is what is told of one that is gone (another of the
 * same name is another). Ends when `see` has said of each that it is done with it, or when the signal aborts.
 */
export async function observe(
  terminal: Terminal,
  session: Session,
  items: readonly Item[],
  signal: AbortSignal,
  see: (item: Item, object: AnyObject | undefined) => boolean,
): Promise<void> {
  const pending = new Map(items.map((item) => [item.object.metadata.uid, item]));
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted || pending.size === 0) stop.abort();
  const tell = (uid: string, object: AnyObject | undefined) => {
    const item = pending.get(uid);
    if (!item || stop.signal.aborted || !see(item, object)) return;
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
            tell(step.object.metadata.uid, step.type === 'Deleted' ? undefined : step.object);
            continue;
          }
          const found = new Map(step.objects.map((object) => [object.metadata.uid, object]));
          for (const [uid, item] of pending) if (placeOf(item) === place) tell(uid, found.get(uid));
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
