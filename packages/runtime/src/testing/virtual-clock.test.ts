import { describe, expect, it } from 'vitest';
import { sleep } from '../ports/clock.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('VirtualClock', () => {
  it('fires timers in order of their time, those of one time in the order in which they were set', async () => {
    const clock = new VirtualClock(1_000);
    const fired: string[] = [];
    const note = (name: string) => () => void fired.push(`${name} ${clock.now()}`);
    clock.after(20, note('c'));
    clock.after(10, note('a'));
    clock.after(10, note('b'));
    clock.after(31, note('late'));
    clock.after(5, note('cancelled'))();
    await clock.advance(30);
    expect(fired).toEqual(['a 1010', 'b 1010', 'c 1020']);
    expect([clock.now(), clock.monotonicMs(), clock.timers]).toEqual([1_030, 30, 1]);
  });

  it('sets wall time without effect on timers and monotonic time', () => {
    const clock = new VirtualClock();
    let hasFired = false;
    clock.after(10, () => {
      hasFired = true;
    });
    clock.step(-3_600_000);
    clock.advanceSync(9);
    expect([hasFired, clock.monotonicMs()]).toEqual([false, 9]);
    clock.advanceSync(1);
    expect(hasFired).toBe(true);
  });

  it('runs work to its end, and fails for work that waits for nothing', async () => {
    const clock = new VirtualClock();
    const work = async () => {
      await sleep(clock, 1_000);
      await sleep(clock, 2_000);
      return clock.monotonicMs();
    };
    expect(await clock.run(work())).toBe(3_000);
    await expect(clock.run(new Promise(() => {}))).rejects.toThrow('no timer is pending');
  });

  it('advances until a condition holds, and fails after a limit', async () => {
    const clock = new VirtualClock();
    expect(await clock.until(() => clock.monotonicMs() >= 120)).toBe(150);
    await expect(clock.until(() => false, 1_000)).rejects.toThrow('does not hold after 1000 ms');
  });

  it('refuses a timer that Node.js would fire at once', () => {
    expect(() => new VirtualClock().after(2 ** 31, () => {})).toThrow(RangeError);
  });
});
