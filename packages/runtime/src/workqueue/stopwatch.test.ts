import { describe, expect, it } from 'vitest';
import { Stopwatch } from './stopwatch.ts';
import { VirtualClock } from './virtual-clock.kit.ts';

describe('a stopwatch', () => {
  it('counts what passes', () => {
    const clock = new VirtualClock();
    const stopwatch = new Stopwatch(clock);
    clock.advance(70);
    expect(stopwatch.elapsedMs()).toBe(70);
  });

  it('does not go back when the clock does, and goes on from there', () => {
    const clock = new VirtualClock();
    const stopwatch = new Stopwatch(clock);
    clock.advance(70);
    stopwatch.elapsedMs();
    clock.step(-1_000_000);
    expect(stopwatch.elapsedMs()).toBe(70);
    clock.advance(5);
    expect(stopwatch.elapsedMs()).toBe(75);
  });

  it('takes the word of a timer over that of the clock', () => {
    const clock = new VirtualClock();
    const stopwatch = new Stopwatch(clock);
    clock.step(-1_000_000);
    expect(stopwatch.atLeast(30)).toBe(30);
    expect(stopwatch.elapsedMs()).toBe(30);
    clock.advance(50);
    expect(stopwatch.atLeast(40)).toBe(80);
  });
});
