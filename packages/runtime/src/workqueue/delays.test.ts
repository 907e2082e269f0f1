import { describe, expect, it } from 'vitest';
import { timerMsMax } from './delays.ts';
import { setUp } from './queue.kit.ts';

describe('a delayed key', () => {
  it('is ready when its delay has passed, with one timer for all', async () => {
    const { clock, queue, takeAll } = setUp();
    for (const [key, afterMs] of Object.entries({ late: 300, early: 100, middle: 200 })) queue.add(key, { afterMs });
    expect(clock.timers).toBe(1);
    clock.advanceSync(99);
    expect([queue.depth, queue.delayed]).toEqual([0, 3]);
    clock.advanceSync(1);
    expect(await takeAll()).toEqual(['early']);
    clock.advanceSync(200);
    expect(await takeAll()).toEqual(['middle', 'late']);
    expect(clock.timers).toBe(0);
  });

  it('is moved forward by an earlier add, with its reason, and not back by a later one', async () => {
    const { clock, queue } = setUp();
    queue.add('a', { afterMs: 500, reason: 'resync' });
    queue.add('a', { afterMs: 50, reason: 'settle' });
    queue.add('a', { afterMs: 900, reason: 'later', priority: 3 });
    expect(queue.delayed).toBe(1);
    clock.advanceSync(50);
    expect(await queue.take()).toMatchObject({ key: 'a', reason: 'settle', priority: 3, waitedMs: 0 });
    queue.done('a');
    clock.advanceSync(1_000);
    expect([queue.depth, queue.delayed]).toEqual([0, 0]);
  });

  it('is ready immediately when it is added without a delay, and only once', async () => {
    const { clock, queue } = setUp();
    queue.add('a', { afterMs: 500, reason: 'resync' });
    queue.add('a', { reason: 'changed' });
    expect([queue.depth, queue.delayed, clock.timers]).toEqual([1, 0, 0]);
    expect(await queue.take()).toMatchObject({ reason: 'changed' });
    queue.done('a');
    clock.advanceSync(1_000);
    expect(queue.depth).toBe(0);
  });

  it('with a negative delay is ready immediately', () => {
    const { queue } = setUp();
    queue.add('a', { afterMs: -5 });
    expect([queue.depth, queue.delayed]).toEqual([1, 0]);
  });

  it('with a delay longer than any timer is ready on time', () => {
    const { clock, queue } = setUp();
    const days40Ms = 40 * 24 * 3_600_000;
    expect(days40Ms).toBeGreaterThan(2 ** 31);
    queue.add('a', { afterMs: days40Ms });
    clock.advanceSync(days40Ms - 1);
    expect([queue.depth, queue.delayed]).toEqual([0, 1]);
    clock.advanceSync(1);
    expect([queue.depth, queue.delayed]).toEqual([1, 0]);
  });

  it('is ready on time when the clock is set back', () => {
    const { clock, queue } = setUp();
    queue.add('a', { afterMs: 500 });
    clock.step(-86_400_000);
    clock.advanceSync(500);
    expect(queue.depth).toBe(1);
  });

  it('is late by less than one round of the timer when the clock is set back and the timer is replaced', () => {
    const { clock, queue } = setUp();
    const afterMs = 10 * timerMsMax;
    queue.add('a', { afterMs });
    clock.advanceSync(2 * timerMsMax - 1);
    clock.step(-86_400_000);
    queue.add('b', { afterMs: 1 });
    clock.advanceSync(afterMs - timerMsMax);
    expect([queue.depth, queue.delayed]).toEqual([2, 0]);
  });

  it('is ready no later when the clock is set forward', () => {
    const { clock, queue } = setUp();
    queue.add('a', { afterMs: 500 });
    clock.step(86_400_000);
    queue.add('b', { afterMs: 500 });
    clock.advanceSync(500);
    expect(queue.depth).toBe(2);
  });
});
