/**
 * A binary heap whose items know their own slot, so that any of them, not only the first, can be moved or removed in
 * O(log n). An item lies in one heap at a time.
 */
import { ApiError } from '../api/errors.ts';

export interface HeapItem {
  /** The smallest comes first. Whoever changes it while the item is in a heap calls `reordered` at once. */
  order: number;
  /** Decides between equals: who came first. */
  sequence: number;
  /** Belongs to the heap. */
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
    this.#rise(item);
  }

  remove(item: T): void {
    this.#mustHold(item);
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    last.slot = item.slot;
    this.#items[last.slot] = last;
    this.reordered(last);
  }

  reordered(item: T): void {
    this.#mustHold(item);
    this.#rise(item);
    this.#sink(item);
  }

  /** Empties the heap and returns what was in it, in no order. */
  clear(): readonly T[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  #mustHold(item: T): void {
    if (this.#items[item.slot] !== item) throw new ApiError('Internal', { reason: 'an item is not in this heap' });
  }

  #rise(item: T): void {
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

  #sink(item: T): void {
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
