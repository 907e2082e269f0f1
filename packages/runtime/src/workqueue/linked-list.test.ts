import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinkedList, type LinkedListItem } from './linked-list.ts';

interface Item extends LinkedListItem<Item> {
  readonly name: string;
}

describe('LinkedList', () => {
  it('keeps the oldest item first when any item is removed', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat())), (steps) => {
        const list = new LinkedList<Item>();
        let expected: Item[] = [];
        for (const [number, step] of steps.entries()) {
          const removed = step === null ? undefined : expected[step % expected.length];
          if (removed) {
            list.remove(removed);
            expected = expected.filter((item) => item !== removed);
            expect([removed.older, removed.newer]).toEqual([undefined, undefined]);
          } else {
            const item: Item = { name: `${number}`, older: undefined, newer: undefined };
            list.append(item);
            expected.push(item);
          }
          expect(list.oldest).toBe(expected[0]);
          expect(list.size).toBe(expected.length);
        }
      }),
    );
  });
});
