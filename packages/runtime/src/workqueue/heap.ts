/**
 * A binary heap whose items store their own slot, so that any of them can be moved or removed in O(log n). An item is in
 * one heap at a time.
 */
import { ApiError } from '../api/errors.ts';

export interface HeapItem {
  /** The smallest is first. After a change, the caller must call `reorder` before anything else. */
  order: number;
  /** Orders items of equal `order`. */
  sequence: number;
  /** Managed by the heap. */
  slot: number;
}

export class Heap<T extends HeapItem> {
  #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    item.slot = this.#items.length;
    this.#items.push(item);
    this.#siftUp(item);
  }

  remove(item: T): void {
    this.#assertContains(item);
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    last.slot = item.slot;
    this.#items[last.slot] = last;
    this.reorder(last);
  }

  reorder(item: T): void {
    this.#assertContains(item);
    this.#siftUp(item);
    this.#siftDown(item);
  }

  /** Empties the heap and returns its items in no particular order. */
  clear(): readonly T[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  #assertContains(item: T): void {
    if (this.#items[item.slot] !== item) throw new ApiError('Internal', { reason: 'an item is not in this heap' });
  }

  #siftUp(item: T): void {
    let slot = item.slot;
    while (slot > 0) {
      const parentSlot = (slot - 1) >> 1;
      const parent = this.#items[parentSlot];
      if (parent === undefined || !isBefore(item, parent)) break;
      this.#put(parent, slot);
      slot = parentSlot;
    }
    this.#put(item, slot);
  }

  #siftDown(item: T): void {
    let slot = item.slot;
    for (;;) {
      const left = this.#items[2 * slot + 1];
      if (left === undefined) break;
      const right = this.#items[2 * slot + 2];
      const child = right !== undefined && isBefore(right, left) ? right : left;
      if (!isBefore(child, item)) break;
      const childSlot = child.slot;
      this.#put(child, slot);
      slot = childSlot;
    }
    this.#put(item, slot);
  }

  #put(item: T, slot: number): void {
    item.slot = slot;
    this.#items[slot] = item;
  }
}

function isBefore(a: HeapItem, b: HeapItem): boolean {
  return a.order < b.order || (a.order === b.order && a.sequence < b.sequence);
}
