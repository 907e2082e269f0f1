import { describe, expect, it, vi } from 'vitest';
import { onAbort } from './on-abort.ts';

describe('onAbort', () => {
  it('calls all subscribed callbacks once', () => {
    const controller = new AbortController();
    const heard: string[] = [];
    const hear = (name: string) => () => void heard.push(name);
    onAbort(controller.signal, hear('a'));
    const letGo = onAbort(controller.signal, hear('b'));
    onAbort(controller.signal, hear('c'));
    letGo();
    letGo();
    controller.abort();
    controller.abort();
    expect(heard).toEqual(['a', 'c']);
    onAbort(controller.signal, hear('late'))();
    expect(heard).toEqual(['a', 'c', 'late']);
  });

  it('subscribes again after all were unsubscribed, even if one is unsubscribed twice', () => {
    const controller = new AbortController();
    const added = vi.spyOn(controller.signal, 'addEventListener');
    let heard = 0;
    const letGo = onAbort(controller.signal, () => heard++);
    letGo();
    onAbort(controller.signal, () => heard++);
    letGo();
    onAbort(controller.signal, () => heard++);
    expect(added).toHaveBeenCalledTimes(2);
    controller.abort();
    expect(heard).toBe(2);
  });

  it('can be unsubscribed within a callback', () => {
    const controller = new AbortController();
    const heard: string[] = [];
    const letGo: (() => void)[] = [];
    for (const name of ['a', 'b']) {
      letGo.push(
        onAbort(controller.signal, () => {
          heard.push(name);
          for (const release of letGo) release();
        }),
      );
    }
    controller.abort();
    expect(heard).toEqual(['a']);
  });
});
