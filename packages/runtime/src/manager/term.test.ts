import { settled, VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { Term } from './term.ts';

const deadlineMs = 10_000;

function started() {
  const clock = new VirtualClock();
  const term = new Term(clock, deadlineMs);
  const answerAfter = (delayMs: number, answer: boolean | Error) => () =>
    new Promise<boolean>((resolve, reject) => {
      clock.after(delayMs, () => (answer instanceof Error ? reject(answer) : resolve(answer)));
    });
  return { clock, term, answerAfter };
}

describe('the term of a leader', () => {
  it('ends after the deadline without a renewal, with the reason', async () => {
    const { clock, term } = started();
    await clock.advance(deadlineMs - 1);
    expect(term.signal.aborted).toBe(false);
    await clock.advance(1);
    expect([term.signal.aborted, term.reason]).toEqual([true, 'not renewed within 10000 ms']);
    expect(clock.timers).toBe(0);
  });

  it('counts from the start of a slow renewal, not from its response', async () => {
    const { clock, term, answerAfter } = started();
    await clock.advance(1_000);
    const renewal = term.extendedBy(answerAfter(5_000, true));
    await clock.advance(5_000);
    expect(await renewal).toBe(true);
    await clock.advance(1_000 + deadlineMs - clock.monotonicMs() - 1);
    expect(term.signal.aborted).toBe(false);
    await clock.advance(1);
    expect([clock.monotonicMs(), term.signal.aborted]).toEqual([11_000, true]);
  });

  it('ends during a renewal that takes too long', async () => {
    const { clock, term, answerAfter } = started();
    await clock.advance(8_000);
    void term.extendedBy(answerAfter(3_000, true));
    await clock.advance(2_000);
    expect(term.signal.aborted).toBe(true);
    await clock.advance(20_000);
    expect(clock.timers).toBe(0);
  });

  it.each([
    ['answers no', false],
    ['fails', new Error('no link')],
  ])('keeps its end when a renewal %s', async (_, answer) => {
    const { clock, term, answerAfter } = started();
    await clock.advance(4_000);
    const renewal = term.extendedBy(answerAfter(1_000, answer)).catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await renewal).toBe(answer);
    await clock.advance(deadlineMs - clock.monotonicMs() - 1);
    expect(term.signal.aborted).toBe(false);
    await clock.advance(1);
    await settled();
    expect(term.signal.aborted).toBe(true);
  });

  it('holds one timer however often it was renewed, and stops each of them once', async () => {
    const { clock } = started();
    let cancelled = 0;
    const counting = {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      after: (delayMs: number, callback: () => void) => {
        const cancel = clock.after(delayMs, callback);
        return () => {
          cancelled++;
          cancel();
        };
      },
    };
    const timersBefore = clock.timers;
    const term = new Term(counting, deadlineMs);
    for (let renewals = 0; renewals < 10; renewals++) await term.extendedBy(async () => true);
    expect([cancelled, clock.timers - timersBefore]).toEqual([10, 1]);
    term.end('over');
    expect([cancelled, clock.timers - timersBefore, term.reason]).toEqual([11, 0, 'over']);
  });
});
