/**
 * A doubly linked list: append at the end, removal of any item and access to the oldest, all in O(1). An item is in one
 * list at a time.
 *
 * A `Set` keeps the same order, but V8 leaves a hole for each deletion, and finding the first item walks over all holes.
 */
export interface LinkedListItem<T> {
  older: T | undefined;
  newer: T | undefined;
}

export class LinkedList<T extends LinkedListItem<T>> {
  #oldest: T | undefined;
  #newest: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get oldest(): T | undefined {
    return this.#oldest;
  }

  append(item: T): void {
    item.older = this.#newest;
    if (this.#newest) this.#newest.newer = item;
    else this.#oldest = item;
    this.#newest = item;
    this.#size++;
  }

  remove(item: T): void {
    if (item.older) item.older.newer = item.newer;
    else this.#oldest = item.newer;
    if (item.newer) item.newer.older = item.older;
    else this.#newest = item.older;
    // A removed item must not keep its former neighbours in memory.
    item.older = undefined;
    item.newer = undefined;
    this.#size--;
  }
}
