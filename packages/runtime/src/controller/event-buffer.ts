/**
 * Events that wait to be written, merged and bounded. Repeated events are one entry with a count; beyond
 * `BUFFERED_EVENTS_MAX` entries, new ones are rejected.
 */
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import type { ApiObject } from '../api/object.ts';

/** Maximum number of entries: two events for each of 2,000 objects. With 1,000 characters each, that is 8 MB. */
export const BUFFERED_EVENTS_MAX = 4_000;
/** Events in one commit: the limit of a store, less one write for the fence. */
export const BATCH_EVENTS_MAX = 127;
export const MESSAGE_CHARACTERS_MAX = 1024;

export type Regarding = Pick<ApiObject<unknown, unknown>, 'apiVersion' | 'kind'> & {
  /** A cluster-scoped object has no namespace; its events are in `default`, as in Kubernetes. */
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string };
};

export interface Occurrence {
  readonly regarding: Regarding;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly source: string;
  readonly timeMs: number;
}

export interface BufferedEvent {
  /** The same for near-identical occurrences, and unique in its namespace. */
  readonly name: string;
  readonly namespace: string;
  /** The newest occurrence, whose message is written. */
  readonly last: Occurrence;
  readonly firstMs: number;
  readonly count: number;
  /** Increases with each new entry. */
  readonly sequence: number;
}

export class EventBuffer {
  /** In the order in which they first occurred. */
  readonly #events = new Map<string, BufferedEvent>();
  #sequence = 0;

  get size(): number {
    return this.#events.size;
  }

  /** The sequence of the newest entry, including those taken. */
  get newest(): number {
    return this.#sequence;
  }

  /** The sequence of the oldest entry in the buffer; infinite if it is empty. */
  get oldest(): number {
    for (const { sequence } of this.#events.values()) return sequence;
    return Number.POSITIVE_INFINITY;
  }

  /** Returns false if the buffer is full. */
  add(occurrence: Occurrence): boolean {
    const { regarding, message, timeMs } = occurrence;
    const { namespace = NAMESPACE_DEFAULT } = regarding.metadata;
    const name = nameOf(occurrence);
    const key = `${namespace}/${name}`;
    const known = this.#events.get(key);
    if (!known && this.#events.size >= BUFFERED_EVENTS_MAX) return false;
    this.#events.set(key, {
      name,
      namespace,
      last: { ...occurrence, message: message.slice(0, MESSAGE_CHARACTERS_MAX) },
      firstMs: known?.firstMs ?? timeMs,
      count: (known?.count ?? 0) + 1,
      sequence: known?.sequence ?? ++this.#sequence,
    });
    return true;
  }

  /**
   * Removes and returns the next batch to write, with at most one event for each object: all events of a commit have one
   * revision, and the events of an object are shown in the order of their revisions.
   */
  take(): readonly BufferedEvent[] {
    const batch: BufferedEvent[] = [];
    const objects = new Set<string>();
    for (const [key, event] of this.#events) {
      const { uid } = event.last.regarding.metadata;
      if (objects.has(uid)) continue;
      objects.add(uid);
      batch.push(event);
      this.#events.delete(key);
      if (batch.length === BATCH_EVENTS_MAX) break;
    }
    return batch;
  }
}

/**
 * Messages that differ only in numbers, such as retries or sizes, are the same event. A number that is part of a name, as in
 * `main-1`, is not: the event of one member would overwrite that of another.
 */
function nameOf({ regarding: { metadata }, type, reason, message, source }: Occurrence): string {
  const identity = [
    metadata.uid,
    type,
    reason,
    source,
    message.slice(0, MESSAGE_CHARACTERS_MAX).replace(/(?<![\w./-])[0-9]+(?![\w/-])/gu, '#'),
  ];
  // Names of some kinds have characters that the name of an event cannot have, or not before a hyphen.
  const prefix = metadata.name
    .slice(0, 40)
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-');
  return `${prefix}-${digest(identity.join('\n'))}`.replace(/^-+/u, '');
}

/** FNV-1a, twice with different seeds, as 14 characters of a name: enough to distinguish thousands of events. */
function digest(text: string): string {
  const halves = [0x811c9dc5, 0x01000193].map((start) => {
    let hash = start;
    for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    return (hash >>> 0).toString(36).padStart(7, '0');
  });
  return halves.join('');
}
