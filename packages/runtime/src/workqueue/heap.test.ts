import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap, type HeapItem } from './heap.ts';

const itemsOf = (orders: readonly number[]): HeapItem[] =>
  orders.map((order, sequence) => ({ order, sequence, slot: 0 }));

function emptied(heap: Heap<HeapItem>): HeapItem[] {
  const items: HeapItem[] = [];
  for (let first = heap.first; first; first = heap.first) {
    heap.remove(first);
    items.push(first);
  }
  return items;
}

describe('a heap', () => {
  const order = fc.integer({ min: 0, max: 20 });
  const changes = fc.array(fc.record({ which: fc.nat(), order, remove: fc.boolean() }));

  it('returns its items in order after any moves and removals', () => {
    fc.assert(
      fc.property(fc.array(order), changes, (orders, steps) => {
        const heap = new Heap<HeapItem>();
        let held = itemsOf(orders);
        for (const item of held) heap.push(item);
        for (const step of steps) {
          const item = held[step.which % held.length];
          if (!item) break;
          if (step.remove) {
            heap.remove(item);
            held = held.filter((other) => other !== item);
          } else {
            item.order = step.order;
            heap.reorder(item);
          }
          expect(heap.size).toBe(held.length);
        }
        expect(emptied(heap)).toEqual(held.sort((a, b) => a.order - b.order || a.sequence - b.sequence));
      }),
    );
  });

  it('keeps the order when the item that takes the place of a removed one is smaller than its parent', () => {
    const heap = new Heap<HeapItem>();
    const items = itemsOf([0, 10, 1, 11, 12, 20, 3]);
    for (const item of items) heap.push(item);
    const eleven = items.find((item) => item.order === 11);
    if (eleven) heap.remove(eleven);
    expect(emptied(heap).map((item) => item.order)).toEqual([0, 1, 3, 10, 12, 20]);
  });

  it('returns its items when it is cleared', () => {
    const heap = new Heap<HeapItem>();
    for (const item of itemsOf([3, 1, 2])) heap.push(item);
    expect(heap.clear()).toHaveLength(3);
    expect(heap.first).toBeUndefined();
  });

  it('rejects the removal of an item that is not in it', () => {
    const heap = new Heap<HeapItem>();
    const [mine, foreign] = itemsOf([1, 1]);
    if (!mine || !foreign) throw new Error('two items');
    heap.push(mine);
    expect(() => heap.remove(foreign)).toThrow(expect.objectContaining({ code: 'Internal' }));
    expect(emptied(heap)).toEqual([mine]);
  });
});
