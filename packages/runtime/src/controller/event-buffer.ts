/**
 * Events that wait to be written, merged and bounded. Occurrences of one Event object are one entry with a count; beyond
 * `BUFFERED_EVENTS_MAX` entries, new ones are rejected.
 *
 * Which occurrences are one object is the rule of the correlator of client-go. Events with the same message are one
 * object. Events of one object, type, reason and source with different messages are similar: from the tenth message on,
 * they are combined into one object, until none of them has occurred for ten minutes. So a message with a changing number
 * costs ten objects, not thousands.
 */
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import type { ApiObject } from '../api/object.ts';
import { BoundedMap } from '../lib/bounded-map.ts';

/** Maximum number of entries: two events for each of 2,000 objects. With 1,000 characters each, that is 8 MB. */
export const BUFFERED_EVENTS_MAX = 4_000;
/** Events in one commit: the limit of a store, less one write for the fence. */
export const BATCH_EVENTS_MAX = 127;
const messageCharactersMax = 1024;
/** Maximum number of objects of similar events, including the combined one. As in client-go. */
const similarEventsMax = 10;
/** Similar events are distinguished again if none occurred for longer than this. As in client-go. */
const similarMs = 600_000;
/** Groups of similar events that are remembered, at most 3 MB. The one that has not occurred for the longest is forgotten. */
export const SIMILAR_GROUPS_MAX = 4_096;
const combinedPrefix = '(combined from similar events): ';

export type Regarding = Pick<ApiObject<unknown, unknown>, 'apiVersion' | 'kind'> & {
  /** A cluster-scoped object has no namespace; its events are in `default`, as in Kubernetes. */
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string };
};

interface Occurrence {
  readonly regarding: Regarding;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly source: string;
  readonly timeMs: number;
}

export interface BufferedEvent {
  /** Derived from the content, so that the count continues after a restart; unique in its namespace. */
  readonly name: string;
  readonly namespace: string;
  /** The newest occurrence, whose message is written. */
  readonly last: Occurrence;
  readonly firstMs: number;
  readonly count: number;
  /** Increases with each new entry. */
  readonly sequence: number;
}

interface SimilarEvents {
  /** Digests of the messages with an object of their own. */
  readonly messages: readonly string[];
  readonly lastMs: number;
}

export class EventBuffer {
  /** In the order in which they first occurred. */
  readonly #events = new Map<string, BufferedEvent>();
  /** By the digest of their combined object. */
  readonly #similar = new BoundedMap<string, SimilarEvents>(SIMILAR_GROUPS_MAX);
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
    const { regarding, timeMs } = occurrence;
    const { namespace = NAMESPACE_DEFAULT } = regarding.metadata;
    const { name, message } = this.#correlate(occurrence);
    const key = `${namespace}/${name}`;
    const known = this.#events.get(key);
    if (!known && this.#events.size >= BUFFERED_EVENTS_MAX) return false;
    this.#events.set(key, {
      name,
      namespace,
      last: { ...occurrence, message },
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

  /** The name of the object that counts the occurrence, and its message. */
  #correlate({ regarding: { metadata }, type, reason, source, message, timeMs }: Occurrence) {
    const idOf = (text: string) => digest([metadata.uid, type, reason, source, text].join('\n'));
    const own = message.slice(0, messageCharactersMax);
    const [ownId, combinedId] = [idOf(own), idOf(combinedPrefix)];
    const known = this.#similar.get(combinedId);
    const messages = known !== undefined && timeMs - known.lastMs <= similarMs ? known.messages : [];
    const isNew = !messages.includes(ownId);
    const isCombined = isNew && messages.length >= similarEventsMax - 1;
    const isAdded = isNew && !isCombined;
    this.#similar.set(combinedId, { messages: isAdded ? [...messages, ownId] : messages, lastMs: timeMs });
    return {
      name: nameOf(metadata.name, isCombined ? combinedId : ownId),
      message: isCombined ? `${combinedPrefix}${own}`.slice(0, messageCharactersMax) : own,
    };
  }
}

/** Names of some kinds have characters that the name of an event cannot have, or not before a hyphen. */
function nameOf(objectName: string, id: string): string {
  const prefix = objectName
    .slice(0, 40)
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-');
  return `${prefix}-${id}`.replace(/^-+/u, '');
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
