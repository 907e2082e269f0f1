import { describe, expect, it, vi } from 'vitest';
import { onAbort } from './on-abort.ts';

describe('onAbort', () => {
  it('calls all subscribed callbacks once', () => {
    const controller = new AbortController();
    const called: string[] = [];
    const callback = (name: string) => () => void called.push(name);
    onAbort(controller.signal, callback('a'));
    const unsubscribe = onAbort(controller.signal, callback('b'));
    onAbort(controller.signal, callback('c'));
    unsubscribe();
    unsubscribe();
    controller.abort();
    controller.abort();
    expect(called).toEqual(['a', 'c']);
    onAbort(controller.signal, callback('late'))();
    expect(called).toEqual(['a', 'c', 'late']);
  });

  it('subscribes again after all were unsubscribed, even if one is unsubscribed twice', () => {
    const controller = new AbortController();
    const added = vi.spyOn(controller.signal, 'addEventListener');
    let called = 0;
    const unsubscribe = onAbort(controller.signal, () => called++);
    unsubscribe();
    onAbort(controller.signal, () => called++);
    unsubscribe();
    onAbort(controller.signal, () => called++);
    expect(added).toHaveBeenCalledTimes(2);
    controller.abort();
    expect(called).toBe(2);
  });

  it('can be unsubscribed within a callback', () => {
    const controller = new AbortController();
    const called: string[] = [];
    const unsubscribe: (() => void)[] = [];
    for (const name of ['a', 'b']) {
      unsubscribe.push(
        onAbort(controller.signal, () => {
          called.push(name);
          for (const release of unsubscribe) release();
        }),
      );
    }
    controller.abort();
    expect(called).toEqual(['a']);
  });
});
