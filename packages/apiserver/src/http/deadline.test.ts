import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { Deadlines } from './deadline.ts';

const forever = () => new Promise<never>(() => {});
const outcomeOf = (work: Promise<unknown>) => {
  const outcome: { value?: unknown } = {};
  work.then(
    (value) => Object.assign(outcome, { value }),
    (error) => Object.assign(outcome, { value: error.code }),
  );
  return outcome;
};
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a deadline', () => {
  it('returns the result or the error of work that is in time', async () => {
    const deadlines = new Deadlines(new VirtualClock(), 1_000);
    expect(await deadlines.within(Promise.resolve(1))).toBe(1);
    await expect(deadlines.within(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('ends for each work at its own time', async () => {
    const clock = new VirtualClock();
    const deadlines = new Deadlines(clock, 1_000);
    const late: string[] = [];
    const first = outcomeOf(deadlines.within(forever(), () => late.push('first')));
    await clock.advance(400);
    const second = outcomeOf(deadlines.within(forever(), () => late.push('second')));
    await clock.advance(599);
    await settle();
    expect([first, second, late]).toEqual([{}, {}, []]);
    await clock.advance(1);
    await settle();
    expect([first, second, late]).toEqual([{ value: 'Timeout' }, {}, ['first']]);
    await clock.advance(400);
    await settle();
    expect([second, late]).toEqual([{ value: 'Timeout' }, ['first', 'second']]);
  });

  it('is that of the next work after a pause without any', async () => {
    const clock = new VirtualClock();
    const deadlines = new Deadlines(clock, 1_000);
    await deadlines.within(Promise.resolve());
    await clock.advance(5_500);
    const next = outcomeOf(deadlines.within(forever()));
    await clock.advance(999);
    await settle();
    expect(next).toEqual({});
    await clock.advance(1);
    await settle();
    expect(next).toEqual({ value: 'Timeout' });
  });

  it('has no timer when it is stopped', async () => {
    const clock = new VirtualClock();
    const deadlines = new Deadlines(clock, 1_000);
    const work = outcomeOf(deadlines.within(forever()));
    deadlines.stop();
    await clock.advance(10_000);
    await settle();
    expect(work).toEqual({});
  });
});
