import { describe, expect, it } from 'vitest';
import { GarbageIndex } from './garbage-index.ts';

const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'Crate', name: uid, uid });
const owners = (...uids: string[]) => uids.map(owner);

describe('the dependents of an owner', () => {
  it('are those that refer to it, each once', () => {
    const index = new GarbageIndex();
    expect(index.track('a', owners('x', 'y'))).toBe(true);
    expect(index.track('a', owners('x'))).toBe(true);
    expect([index.track('b', owners('x')), index.track('c', []), index.track('d')]).toEqual([true, false, false]);
    index.track('e', owners('x'));
    expect([...index.dependentsOf('x')]).toEqual(['a', 'b', 'e']);
    expect([...index.dependentsOf('y')]).toEqual(['a']);
    expect([...index.dependentsOf('z')]).toEqual([]);
  });

  it('are forgotten one by one, and with the owner', () => {
    const index = new GarbageIndex();
    for (const key of ['a', 'b', 'c']) index.track(key, owners('x', 'y'));
    index.untrack('b', owners('x'));
    index.untrack('b');
    index.untrack('missing', owners('x', 'z'));
    expect([[...index.dependentsOf('x')], [...index.dependentsOf('y')]]).toEqual([
      ['a', 'c'],
      ['a', 'b', 'c'],
    ]);
    index.untrack('a', owners('x'));
    index.untrack('c', owners('x'));
    expect([...index.dependentsOf('x')]).toEqual([]);
    expect([...index.forget('y')]).toEqual(['a', 'b', 'c']);
    expect([...index.dependentsOf('y')]).toEqual([]);
  });

  it('of one are kept when another key is forgotten', () => {
    const index = new GarbageIndex();
    index.track('a', owners('x'));
    index.untrack('b', owners('x'));
    expect([...index.dependentsOf('x')]).toEqual(['a']);
    index.untrack('a', owners('x'));
    expect([...index.dependentsOf('x')]).toEqual([]);
  });
});

describe('the owners that wait', () => {
  it('are known by uid and by key until they are gone', () => {
    const index = new GarbageIndex();
    expect([index.hasWaiting, index.addWaiting('x', 'a'), index.addWaiting('x', 'a')]).toEqual([false, true, false]);
    index.addWaiting('y', 'b');
    expect([index.hasWaiting, index.isWaiting('a'), index.isWaiting('b'), index.isWaiting('c')]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect([index.waitingOwner('x'), index.waitingOwner('z')]).toEqual(['a', undefined]);
    index.removeWaiting('x');
    expect([index.isWaiting('a'), index.hasWaiting]).toEqual([false, true]);
    index.forget('y');
    expect([index.waitingOwner('y'), index.hasWaiting]).toEqual([undefined, false]);
  });
});
