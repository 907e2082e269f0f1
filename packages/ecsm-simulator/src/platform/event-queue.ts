/** A queue of scheduled events, ordered by time and then by number. A binary heap. */
import type { ScheduledEvent } from './model.ts';

export class EventQueue {
  readonly #heap: ScheduledEvent[] = [];

  get first(): ScheduledEvent | undefined {
    return this.#heap[0];
  }

  get size(): number {
    return this.#heap.length;
  }

  add(event: ScheduledEvent): void {
    let slot = this.#heap.length;
    while (slot > 0) {
      const parentSlot = (slot - 1) >> 1;
      const parent = this.#heap[parentSlot];
      if (parent === undefined || !isBefore(event, parent)) break;
      this.#heap[slot] = parent;
      slot = parentSlot;
    }
    this.#heap[slot] = event;
  }

  /** Removes and returns the next event that is due. */
  takeDue(nowMs: number): ScheduledEvent | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.atMs > nowMs) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first;
  }

  /** All events in order. */
  inOrder(): ScheduledEvent[] {
    return [...this.#heap].sort((a, b) => a.atMs - b.atMs || a.number - b.number);
  }

  #sink(event: ScheduledEvent): void {
    let slot = 0;
    for (;;) {
      const left = this.#heap[2 * slot + 1];
      if (left === undefined) break;
      const right = this.#heap[2 * slot + 2];
      const useRight = right !== undefined && isBefore(right, left);
      const child = useRight ? right : left;
      if (!isBefore(child, event)) break;
      this.#heap[slot] = child;
      slot = 2 * slot + (useRight ? 2 : 1);
    }
    this.#heap[slot] = event;
  }
}

function isBefore(a: ScheduledEvent, b: ScheduledEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.number < b.number);
}
