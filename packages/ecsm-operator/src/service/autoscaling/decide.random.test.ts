/** Goal: guarantees that hold for every input. Method: random autoscalers, targets and readings, decided over many syncs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventsAfter } from './behavior.ts';
import type { MetricReading } from './model.ts';
import { type Case, cpuMetric, decided, instance, queueMetric, type Short, startMs } from './samples.kit.ts';

const percent = fc.integer({ min: 0, max: 300 });
const short: fc.Arbitrary<Short> = fc.oneof(
  { weight: 6, arbitrary: percent },
  fc.constantFrom<Short>('missing', 'pending', 'gone', 'not ready, missing'),
  percent.map((value): Short => `new ${value}`),
  percent.map((value): Short => `again ${value}`),
);
const usage = fc
  .array(short, { maxLength: 12 })
  .map((shorts): MetricReading => ({ is: 'usage', instances: shorts.map(instance) }));
const failed = fc.constant<MetricReading>({ is: 'failed', message: 'x' });
const value = fc.integer({ min: 0, max: 500 }).map((one): MetricReading => ({ is: 'value', value: one }));
const seconds = fc.constantFrom(0, 30, 300);
const policy = fc.record({
  type: fc.constantFrom('Pods' as const, 'Percent' as const),
  value: fc.integer({ min: 1, max: 200 }),
  periodSeconds: fc.constantFrom(15, 60),
});
const rules = fc.record({
  stabilizationWindowSeconds: seconds,
  policies: fc.array(policy, { minLength: 1, maxLength: 3 }),
  selectPolicy: fc.constantFrom('Max' as const, 'Min' as const, 'Disabled' as const),
});
const scene = fc.record({
  min: fc.integer({ min: 1, max: 5 }),
  more: fc.integer({ min: 0, max: 15 }),
  current: fc.integer({ min: 0, max: 25 }),
  behavior: fc.option(fc.record({ scaleUp: rules, scaleDown: rules }), { nil: undefined }),
  syncs: fc.array(fc.tuple(fc.oneof(usage, usage, failed), fc.oneof(value, failed)), { minLength: 1, maxLength: 20 }),
});

describe('any sequence of decisions', () => {
  it('stays within the range, and never shrinks on missing data', () => {
    fc.assert(
      fc.property(scene, ({ min, more, current: first, behavior, syncs }) => {
        const max = min + more;
        let [current, nowMs] = [first, startMs];
        let memory: Pick<Case, 'recommendations' | 'events'> = {};
        for (const readings of syncs) {
          const metrics = [cpuMetric(50), queueMetric('AverageValue', '10')];
          const given = { current, min, max, metrics, readings, nowMs, ...(behavior && { behavior }), ...memory };
          const { replicas, recommendations, reason } = decided(given);
          const isInRange = current >= min && current <= max;
          if (current === 0) expect(replicas).toBe(0);
          else expect(replicas >= min && replicas <= max).toBe(true);
          if (isInRange && readings.some(({ is }) => is === 'failed')) expect(replicas).toBeGreaterThanOrEqual(current);
          expect(reason !== undefined).toBe(replicas !== current);
          expect(decided({ ...given, preemptedBy: 'a/b' }).replicas).toBeLessThanOrEqual(Math.max(current, 0));
          const events =
            replicas === current ? (memory.events ?? []) : eventsAfter(memory.events ?? [], replicas - current, nowMs);
          memory = { recommendations, events };
          [current, nowMs] = [replicas, nowMs + 15_000];
        }
      }),
      { numRuns: 200 },
    );
  });

  it('comes to rest: the same readings end in the same number, without a change of what is stored', () => {
    fc.assert(
      fc.property(scene, ({ min, more, current: first, syncs }) => {
        const [readings] = syncs;
        let [current, nowMs] = [first, startMs];
        let memory: Pick<Case, 'recommendations' | 'events'> = {};
        const sync = () => {
          const metrics = [queueMetric('AverageValue', '10'), queueMetric('AverageValue', '20')];
          const both = readings === undefined ? [] : [readings[1], readings[1]];
          const decision = decided({ current, min, max: min + more, metrics, readings: both, nowMs, ...memory });
          const { replicas, recommendations } = decision;
          const events =
            replicas === current ? (memory.events ?? []) : eventsAfter(memory.events ?? [], replicas - current, nowMs);
          memory = { recommendations, events };
          [current, nowMs] = [replicas, nowMs + 15_000];
        };
        // Longer than the window of 300 s, and than growth at the default policies needs.
        for (let count = 0; count < 60; count++) sync();
        const [restingAt, stored] = [current, memory.recommendations];
        for (let count = 0; count < 5; count++) sync();
        expect([current, memory.recommendations]).toEqual([restingAt, stored]);
      }),
      { numRuns: 200 },
    );
  });
});
