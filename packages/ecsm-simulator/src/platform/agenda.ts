/** What will happen, the earliest first; of two at the same moment, the one that was planned first. A binary heap. */
import type { Appointment } from './model.ts';

export class Agenda {
  readonly #heap: Appointment[] = [];

  get first(): Appointment | undefined {
    return this.#heap[0];
  }

  get size(): number {
    return this.#heap.length;
  }

  add(appointment: Appointment): void {
    let slot = this.#heap.length;
    while (slot > 0) {
      const parentSlot = (slot - 1) >> 1;
      const parent = this.#heap[parentSlot];
      if (parent === undefined || !isBefore(appointment, parent)) break;
      this.#heap[slot] = parent;
      slot = parentSlot;
    }
    this.#heap[slot] = appointment;
  }

  /** The next one that is due at this moment, which leaves the agenda. */
  takeDue(nowMs: number): Appointment | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.atMs > nowMs) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first;
  }

  /** All of them in the order in which they will happen. */
  inOrder(): Appointment[] {
    return [...this.#heap].sort((a, b) => a.atMs - b.atMs || a.number - b.number);
  }

  #sink(appointment: Appointment): void {
    let slot = 0;
    for (;;) {
      const left = this.#heap[2 * slot + 1];
      if (left === undefined) break;
      const right = this.#heap[2 * slot + 2];
      const useRight = right !== undefined && isBefore(right, left);
      const child = useRight ? right : left;
      if (!isBefore(child, appointment)) break;
      this.#heap[slot] = child;
      slot = 2 * slot + (useRight ? 2 : 1);
    }
    this.#heap[slot] = appointment;
  }
}

function isBefore(a: Appointment, b: Appointment): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.number < b.number);
}
