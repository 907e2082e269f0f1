import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Takers } from './takers.ts';

describe('takers', () => {
  it('are served in the order in which they came', async () => {
    const takers = new Takers<string>();
    const waiting = [takers.wait(undefined), takers.wait(undefined)];
    takers.hand('first');
    takers.hand('second');
    expect(await Promise.all(waiting)).toEqual(['first', 'second']);
    expect(takers.size).toBe(0);
  });

  it('leave when their signal aborts, and only they', async () => {
    const takers = new Takers<string>();
    const stop = new AbortController();
    const leaving = [takers.wait(stop.signal), takers.wait(stop.signal)];
    const staying = takers.wait(new AbortController().signal);
    stop.abort();
    expect(await Promise.all(leaving)).toEqual([undefined, undefined]);
    takers.hand('next');
    expect(await staying).toBe('next');
  });

  it('share one listener a signal, and leave none behind', async () => {
    const takers = new Takers<string>();
    const { signal } = new AbortController();
    const waiting = Array.from({ length: 50 }, () => takers.wait(signal));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    takers.hand('one');
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    takers.sendHome();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(await Promise.all(waiting)).toEqual(['one', ...Array.from({ length: 49 }, () => undefined)]);
  });
});
