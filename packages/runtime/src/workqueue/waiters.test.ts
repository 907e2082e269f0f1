import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Waiters } from './waiters.ts';

describe('Waiters', () => {
  it('serves waiters in the order of their calls', async () => {
    const waiters = new Waiters<string>();
    const waiting = [waiters.wait(undefined), waiters.wait(undefined)];
    waiters.deliver('first');
    waiters.deliver('second');
    expect(await Promise.all(waiting)).toEqual(['first', 'second']);
    expect(waiters.size).toBe(0);
  });

  it('resolves only the waiters whose signal aborted with undefined', async () => {
    const waiters = new Waiters<string>();
    const stop = new AbortController();
    const abortedWaits = [waiters.wait(stop.signal), waiters.wait(stop.signal)];
    const pending = waiters.wait(new AbortController().signal);
    stop.abort();
    expect(await Promise.all(abortedWaits)).toEqual([undefined, undefined]);
    waiters.deliver('next');
    expect(await pending).toBe('next');
  });

  it('adds one listener per signal and removes it after the last waiter', async () => {
    const waiters = new Waiters<string>();
    const { signal } = new AbortController();
    const waiting = Array.from({ length: 50 }, () => waiters.wait(signal));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    waiters.deliver('one');
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    waiters.releaseAll();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(await Promise.all(waiting)).toEqual(['one', ...Array.from({ length: 49 }, () => undefined)]);
  });
});
