/**
 * A line of people waiting: one joins at the end and may leave from anywhere, both in O(1), and the oldest is always
 * known. An item stands in one line at a time.
 *
 * A `Set` keeps the same order, but V8 leaves a hole for each deletion, and finding its first item walks over them all.
 */
export interface LineItem<T> {
  older: T | undefined;
  newer: T | undefined;
}

export class Line<T extends LineItem<T>> {
  #oldest: T | undefined;
  #newest: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get oldest(): T | undefined {
    return this.#oldest;
  }

  join(item: T): void {
    item.older = this.#newest;
    if (this.#newest) this.#newest.newer = item;
    else this.#oldest = item;
    this.#newest = item;
    this.#size++;
  }

  leave(item: T): void {
    if (item.older) item.older.newer = item.newer;
    else this.#oldest = item.newer;
    if (item.newer) item.newer.older = item.older;
    else this.#newest = item.older;
    // An item that left must not keep its old neighbours in memory.
    item.older = undefined;
    item.newer = undefined;
    this.#size--;
  }
}
