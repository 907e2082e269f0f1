/**
 * The scheduled events, soonest first. Of events due at the same time, the one with the smallest `tie` is first. Ties are
 * drawn from the seed, so the seed decides the order of concurrent events.
 */
export interface ScheduledEvent {
  /** The event is dropped if its owner has ended. */
  readonly owner: EventOwner | undefined;
  readonly dueMs: number;
  readonly tie: number;
  /** Orders events with equal ties by insertion. */
  readonly order: number;
  /** Undefined if cancelled. The event stays in the heap until its time, which is cheaper than a search. */
  run: (() => void) | undefined;
}

export interface EventOwner {
  readonly alive: boolean;
}

/** A binary heap. */
export class Timeline {
  readonly #heap: ScheduledEvent[] = [];
  #order = 0;

  add(dueMs: number, tie: number, run: () => void, owner?: EventOwner): ScheduledEvent {
    const event: ScheduledEvent = { owner, dueMs, tie, order: this.#order++, run };
    this.#siftUp(this.#heap.push(event) - 1, event);
    return event;
  }

  /** The next event that is not cancelled or dropped. It is not removed. */
  peek(): ScheduledEvent | undefined {
    while (this.#heap[0] && !isPending(this.#heap[0])) this.#removeFirst();
    return this.#heap[0];
  }

  take(): ScheduledEvent | undefined {
    const first = this.peek();
    if (first) this.#removeFirst();
    return first;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) this.#siftDown(last);
  }

  #siftUp(start: number, event: ScheduledEvent): void {
    let index = start;
    while (index > 0) {
      const above = (index - 1) >>> 1;
      const parent = this.#heap[above] as ScheduledEvent;
      if (!isBefore(event, parent)) break;
      this.#heap[index] = parent;
      index = above;
    }
    this.#heap[index] = event;
  }

  #siftDown(event: ScheduledEvent): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1] as ScheduledEvent, heap[below] as ScheduledEvent))
        below++;
      const child = heap[below] as ScheduledEvent;
      if (!isBefore(child, event)) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = event;
  }
}

function isPending({ run, owner }: ScheduledEvent): boolean {
  return run !== undefined && owner?.alive !== false;
}

function isBefore(one: ScheduledEvent, other: ScheduledEvent): boolean {
  if (one.dueMs !== other.dueMs) return one.dueMs < other.dueMs;
  return one.tie !== other.tie ? one.tie < other.tie : one.order < other.order;
}
