import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Bell } from './bell.ts';

describe('the bell', () => {
  it('wakes those who wait for an earlier revision, and keeps no listener on their signal', async () => {
    const bell = new Bell();
    const { signal } = new AbortController();
    const waiting = bell.wait(1, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    bell.ring(1);
    expect(bell.waiters).toBe(1);
    bell.ring(2);
    await waiting;
    expect(bell.waiters).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('does not let wait for a revision that has been rung', async () => {
    const bell = new Bell();
    bell.ring(2);
    await bell.wait(1, undefined);
    expect(bell.waiters).toBe(0);
  });
});
