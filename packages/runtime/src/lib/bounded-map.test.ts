import { describe, expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

describe('BoundedMap', () => {
  it('evicts the entry that was set first when there are too many', () => {
    const evicted: unknown[] = [];
    const map = new BoundedMap<string, number>(2, (key, value) => evicted.push([key, value]));
    map.set('a', 1).set('b', 2);
    expect(evicted).toEqual([]);
    map.set('c', 3);
    expect([...map]).toEqual([
      ['b', 2],
      ['c', 3],
    ]);
    expect(evicted).toEqual([['a', 1]]);
  });

  it('makes an entry that is set again the newest, and evicts none for it', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2).set('a', 3);
    expect(map.size).toBe(2);
    map.set('c', 4);
    expect([...map.keys()]).toEqual(['a', 'c']);
  });
});
