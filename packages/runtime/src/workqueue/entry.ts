/** The state of one key, from its first add until it neither waits nor runs. */
import type { HeapItem } from './heap.ts';
import type { LinkedListItem } from './linked-list.ts';

/**
 * The state of the next run of a key. There is at most one next run, however often the key was added.
 *
 * - `none`: no run was requested (the key is in flight, or it is about to leave the queue).
 * - `delayed`: its delay is not over. The key may be in flight.
 * - `dirty`: added while the key is in flight; ready when that run is done.
 * - `ready`: may be taken. Such a key is never in flight.
 */
type NextRun = 'none' | 'delayed' | 'dirty' | 'ready';

/**
 * One object is an item of both heaps and both linked lists: a key is never both ready and delayed (`order`, `slot`),
 * and never both ready and in flight (`since`, `older`, `newer`).
 */
export interface Entry extends HeapItem, LinkedListItem<Entry> {
  readonly key: string;
  next: NextRun;
  inFlight: boolean;
  /** Of the next run, or of the run in flight if there is no next run. */
  priority: number;
  reason: string;
  /** When the key became ready or in flight, monotonic. */
  since: number;
  failures: number;
}

export function createEntry(key: string, failures: number): Entry {
  return {
    key,
    next: 'none',
    inFlight: false,
    priority: 0,
    reason: '',
    since: 0,
    failures,
    order: 0,
    sequence: 0,
    slot: 0,
    older: undefined,
    newer: undefined,
  };
}

export const reasonCharactersMax = 256;

/** A reason is often an error message. The limit bounds the memory of a queue full of failures. */
export function boundedReason(reason: string): string {
  if (reason.length <= reasonCharactersMax) return reason;
  // V8 keeps the whole string alive behind a slice of it. The conversion to bytes and back makes a copy.
  return `${Buffer.from(reason.slice(0, reasonCharactersMax - 1)).toString()}…`;
}
