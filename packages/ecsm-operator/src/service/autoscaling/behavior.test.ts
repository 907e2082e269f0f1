import { describe, expect, it } from 'vitest';
import { recommendationsMax, scaleEventsMax } from '../../apis/hpa-status-schema.ts';
import { behaviorOf, eventsAfter, recorded, stabilized } from './behavior.ts';
import type { Recommendation, ScaleEvent } from './model.ts';

const behavior = behaviorOf({});
const nowMs = 1_000_000;

describe('recorded recommendations', () => {
  it('do not change while the recommendation is the same', () => {
    const known = [{ replicas: 5, untilMs: nowMs - 10 }, { replicas: 3 }];
    expect(recorded(known, 3, behavior, nowMs)).toBe(known);
  });

  it('are removed after the longest window', () => {
    const known = [{ replicas: 5, untilMs: nowMs - 300_000 }, { replicas: 3 }];
    expect(recorded(known, 3, behavior, nowMs)).toEqual([{ replicas: 3 }]);
  });

  it('are removed if later ones are both larger and smaller', () => {
    const known = [{ replicas: 5, untilMs: nowMs - 9 }, { replicas: 8, untilMs: nowMs - 5 }, { replicas: 2 }];
    expect(recorded(known, 3, behavior, nowMs)).toEqual([
      { replicas: 8, untilMs: nowMs - 5 },
      { replicas: 2, untilMs: nowMs },
      { replicas: 3 },
    ]);
  });

  it('are bounded', () => {
    let known: readonly Recommendation[] = [{ replicas: 1_000 }];
    for (let step = 1; step < 200; step++) known = recorded(known, 1_000 - step, behavior, nowMs + step);
    expect(known).toHaveLength(recommendationsMax);
    expect(known.at(-1)).toEqual({ replicas: 801 });
  });

  it('have the same limits as a complete history', () => {
    // A list of every sample, as Kubernetes has it, beside ours.
    let known: readonly Recommendation[] = [{ replicas: 5 }];
    let every: readonly Recommendation[] = [{ replicas: 5 }];
    let [seed, current] = [7, 5];
    const both = { up: { ...behavior.up, windowMs: 120_000 }, down: behavior.down };
    for (let step = 1; step <= 500; step++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      const desired = 1 + (seed % 9);
      const time = step * 15_000;
      const question = { current, desired, nowMs: time };
      const expected = stabilized(every, both, question);
      expect(stabilized(known, both, question)).toBe(expected);
      known = recorded(known, desired, both, time);
      every = [...every.map(({ replicas, untilMs = time }) => ({ replicas, untilMs })), { replicas: desired }];
      current = expected;
    }
    expect(known.length).toBeLessThan(12);
  });
});

describe('scale events', () => {
  it('are removed after the longest period', () => {
    const events = [
      { timeMs: 0, change: 1 },
      { timeMs: 1, change: 2 },
    ];
    expect(eventsAfter(events, -1, 1_800_000)).toEqual([
      { timeMs: 1, change: 2 },
      { timeMs: 1_800_000, change: -1 },
    ]);
  });

  it('are bounded, and their sum is kept', () => {
    let events: readonly ScaleEvent[] = [];
    for (let step = 0; step < 200; step++) events = eventsAfter(events, step % 2 === 0 ? 2 : -1, step);
    expect(events).toHaveLength(scaleEventsMax);
    expect(events.reduce((sum, { change }) => sum + change, 0)).toBe(100);
  });
});
