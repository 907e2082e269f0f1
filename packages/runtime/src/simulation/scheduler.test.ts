import { setTimeout as realTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MachineClock } from './clock.ts';
import { draw } from './random.ts';
import { Scheduler } from './scheduler.ts';

const limits = { endMs: 1000, stepsMax: 1000 };

describe('the scheduler', () => {
  it('runs all processes until all of them wait before the next event', async () => {
    const scheduler = new Scheduler();
    const seen: string[] = [];
    const longWinded = async (name: string) => {
      for (let times = 0; times < 1000; times++) await null;
      seen.push(`${name} waits`);
    };
    scheduler.schedule(1, 0, () => void longWinded('first'));
    scheduler.schedule(1, 1, () => seen.push('second happens'));
    await scheduler.run(limits, () => {});
    expect(seen).toEqual(['first waits', 'second happens']);
  });

  it('orders by time, then by tie, then by creation', async () => {
    const scheduler = new Scheduler();
    const seen: string[] = [];
    const add = (name: string, delayMs: number, tie: number) => scheduler.schedule(delayMs, tie, () => seen.push(name));
    add('late', 2, 0);
    add('tie 1', 1, 0.5);
    add('tie 0', 1, 0.1);
    add('tie 1 again', 1, 0.5);
    add('now', 0, 1);
    expect(await scheduler.run(limits, () => {})).toBe('quiet');
    expect(seen).toEqual(['now', 'tie 0', 'tie 1', 'tie 1 again', 'late']);
    expect(scheduler.nowMs).toBe(2);
  });

  it('keeps a thousand events in order', async () => {
    const scheduler = new Scheduler();
    const seen: number[] = [];
    for (let number = 0; number < 1000; number++) {
      const delayMs = Math.floor(draw(1, 1, number, 1) * 300);
      const event = scheduler.schedule(delayMs, draw(1, 1, number, 2), () => seen.push(delayMs));
      if (number % 7 === 0) event.run = undefined;
    }
    await scheduler.run(limits, () => {});
    expect(seen).toHaveLength(857);
    expect(seen).toEqual([...seen].sort((one, other) => one - other));
  });

  it('drops events of an owner that has ended, without waiting for them', async () => {
    const scheduler = new Scheduler();
    const owner = { alive: true };
    scheduler.schedule(500, 0, () => expect.unreachable(), owner);
    scheduler.schedule(5, 0, () => {
      owner.alive = false;
    });
    expect(await scheduler.run(limits, () => {})).toBe('quiet');
    expect(scheduler.nowMs).toBe(5);
  });

  it('ends at the time limit, at the step limit, and when it is stopped', async () => {
    const forever = (delayMs: number) => {
      const scheduler = new Scheduler();
      const again = () => void scheduler.schedule(delayMs, 0, again);
      again();
      return scheduler;
    };
    const slow = forever(10);
    expect([await slow.run(limits, () => {}), slow.nowMs, slow.steps]).toEqual(['time', 1000, 100]);
    const fast = forever(0);
    expect([await fast.run(limits, () => {}), fast.nowMs, fast.steps]).toEqual(['steps', 0, 1000]);
    const stopped = forever(1);
    expect(await stopped.run(limits, () => stopped.nowMs >= 7 && stopped.stop())).toBe('stopped');
    expect(stopped.nowMs).toBe(7);
  });

  it('rejects with what a check throws', async () => {
    const scheduler = new Scheduler();
    const run = scheduler.run(limits, () => {
      throw new RangeError('no');
    });
    await expect(run).rejects.toThrow('no');
  });

  it('lets Node report unhandled rejections on request', async () => {
    const scheduler = new Scheduler();
    const turns: string[] = [];
    scheduler.schedule(1, 0, () => {
      void realTimeout(0).then(() => turns.push('a turn of the event loop'));
      scheduler.reportRejections();
    });
    for (let number = 0; number < 50; number++) scheduler.schedule(2 + number, 0, () => scheduler.reportRejections());
    scheduler.schedule(100, 0, () => turns.push('the end'));
    await scheduler.run(limits, () => {});
    expect(turns.at(-1)).toBe('the end');
  });
});

describe('the virtual clock', () => {
  const owner = { alive: true, tie: () => 0, failed: () => {} };

  it('waits as Node does: whole milliseconds, at least one, and one if the delay is too long', async () => {
    const scheduler = new Scheduler();
    const clock = new MachineClock(scheduler, owner);
    const fired: number[] = [];
    for (const delayMs of [0, 1.9, -5, Number.NaN, 2 ** 31, 30])
      clock.after(delayMs, () => fired.push(scheduler.nowMs));
    await scheduler.run(limits, () => {});
    expect(fired).toEqual([1, 1, 1, 1, 1, 30]);
  });

  it('can be set forwards and back without disturbing timers', async () => {
    const scheduler = new Scheduler();
    const clock = new MachineClock(scheduler, owner);
    const startMs = clock.now();
    const seen: number[] = [];
    clock.after(10, () => clock.step(-5000));
    clock.after(20, () => seen.push(clock.now() - startMs));
    clock.after(30, () => clock.step(90_000));
    clock.after(40, () => seen.push(clock.now() - startMs));
    await scheduler.run(limits, () => {});
    expect(seen).toEqual([-4980, 85_040]);
  });

  it('drops a cancelled timer, also if it is cancelled twice', async () => {
    const scheduler = new Scheduler();
    const cancel = new MachineClock(scheduler, owner).after(10, () => expect.unreachable());
    cancel();
    cancel();
    expect(await scheduler.run(limits, () => {})).toBe('quiet');
    expect(scheduler.nowMs).toBe(0);
  });
});
