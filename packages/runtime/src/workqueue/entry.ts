/** What the queue knows about one key, from its first add until it neither waits nor runs. */
import type { HeapItem } from './heap.ts';
import type { LineItem } from './line.ts';

/**
 * Where the next run of a key is. There is at most one next run, whatever was added how often.
 *
 * - `none`: nobody asked for one (the key is in flight, or it is about to leave the queue).
 * - `delayed`: its time has not come. The key may be in flight meanwhile.
 * - `dirty`: asked for while the key is in flight; ready as soon as that run is done.
 * - `ready`: the next free taker may have it. Such a key is never in flight.
 */
export type NextRun = 'none' | 'delayed' | 'dirty' | 'ready';

/**
 * One object serves both heaps and both lines: a key is ready or delayed, never both (`order`, `slot`), and ready or in
 * flight, never both (`since`, `older`, `newer`).
 */
export interface Entry extends HeapItem, LineItem<Entry> {
  readonly key: string;
  next: NextRun;
  inFlight: boolean;
  /** Of the next run, or of the one in flight while there is no next. */
  priority: number;
  reason: string;
  /** Since when it is ready, or in flight, monotonic. */
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

/** A reason is often an error's message, and a queue full of failures must not hold megabytes of text. */
export function boundedReason(reason: string): string {
  if (reason.length <= reasonCharactersMax) return reason;
  // V8 keeps the whole text alive behind a slice of it. Through bytes, the short text is a copy.
  return `${Buffer.from(reason.slice(0, reasonCharactersMax - 1)).toString()}…`;
}
