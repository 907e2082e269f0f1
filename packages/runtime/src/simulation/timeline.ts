/**
 * What is still to happen, soonest first. Of things due at the same moment the one with the smaller `tie` goes first;
 * ties are drawn from the seed, and that is how a seed chooses among all that are ready.
 */
export interface Happening {
  /** Whom it happens to. It is dropped if they do not live to see it. */
  readonly owner: Mortal | undefined;
  readonly dueMs: number;
  readonly tie: number;
  /** Later entries come later where even the ties are equal. */
  readonly order: number;
  /** Taken away when it is cancelled. It stays in the heap until its time, which is cheaper than looking for it. */
  run: (() => void) | undefined;
}

export interface Mortal {
  readonly alive: boolean;
}

/** A binary heap. */
export class Timeline {
  readonly #heap: Happening[] = [];
  #order = 0;

  add(dueMs: number, tie: number, run: () => void, owner?: Mortal): Happening {
    const happening: Happening = { owner, dueMs, tie, order: this.#order++, run };
    this.#rise(this.#heap.push(happening) - 1, happening);
    return happening;
  }

  /** The next that can still happen. It stays where it is. */
  peek(): Happening | undefined {
    while (this.#heap[0] && !canHappen(this.#heap[0])) this.#removeFirst();
    return this.#heap[0];
  }

  take(): Happening | undefined {
    const first = this.peek();
    if (first) this.#removeFirst();
    return first;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) this.#sink(last);
  }

  #rise(start: number, happening: Happening): void {
    let index = start;
    while (index > 0) {
      const above = (index - 1) >>> 1;
      const parent = this.#heap[above] as Happening;
      if (!isBefore(happening, parent)) break;
      this.#heap[index] = parent;
      index = above;
    }
    this.#heap[index] = happening;
  }

  #sink(happening: Happening): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Happening, heap[below] as Happening)) below++;
      const child = heap[below] as Happening;
      if (!isBefore(child, happening)) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = happening;
  }
}

function canHappen({ run, owner }: Happening): boolean {
  return run !== undefined && owner?.alive !== false;
}

function isBefore(one: Happening, other: Happening): boolean {
  if (one.dueMs !== other.dueMs) return one.dueMs < other.dueMs;
  return one.tie !== other.tie ? one.tie < other.tie : one.order < other.order;
}
