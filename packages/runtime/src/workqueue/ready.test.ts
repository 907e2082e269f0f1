import { describe, expect, it } from 'vitest';
import { setUp } from './queue.kit.ts';

describe('order', () => {
  it('is first come, first served among equals', async () => {
    const { queue, takeAll } = setUp();
    for (const key of ['c', 'a', 'b']) queue.add(key);
    expect(await takeAll()).toEqual(['c', 'a', 'b']);
  });

  it('is by priority, and an add may raise it but not lower it', async () => {
    const { queue, takeAll } = setUp();
    queue.add('low', { priority: -1 });
    queue.add('normal');
    queue.add('raised', { priority: -1 });
    queue.add('high', { priority: 2 });
    queue.add('raised', { priority: 5, afterMs: 1_000 });
    queue.add('high', { priority: -9 });
    expect(await takeAll()).toEqual(['raised', 'high', 'normal', 'low']);
  });

  it('puts a key that has waited long enough before newer ones of a higher priority', async () => {
    const { clock, queue, takeAll } = setUp({ ageingMs: 100 });
    queue.add('old', { priority: -1 });
    clock.advanceSync(99);
    queue.add('just in time');
    clock.advanceSync(1);
    queue.add('too late');
    expect(await takeAll()).toEqual(['just in time', 'old', 'too late']);
  });

  it('starves no key beside a stream of urgent keys', async () => {
    const { clock, queue, takeKey } = setUp();
    queue.add('patient', { priority: -3 });
    let rounds = 0;
    for (let key: string | undefined; key !== 'patient'; rounds++) {
      queue.add(`urgent-${rounds}`, { priority: 1 });
      clock.advanceSync(1_000);
      key = await takeKey();
    }
    expect(rounds).toBe(41);
  });
});
