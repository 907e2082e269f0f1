import { describe, expect, it } from 'vitest';
import { recommendationsMax } from '../../apis/hpa-status-schema.ts';
import { behaviorOf } from './behavior.ts';
import type { Recommendation } from './model.ts';
import { recorded, stabilized } from './stabilization.ts';

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
