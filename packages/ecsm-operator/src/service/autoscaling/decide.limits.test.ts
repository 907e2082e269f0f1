/**
 * Goal: the rules of windows and policies. Method: a table in which each case names the rule that it pins; `asking(n)` is a
 * cpu usage that asks for n instances.
 */
import { describe, expect, it } from 'vitest';
import {
  ago,
  asking,
  at,
  type Case,
  decided,
  down,
  free,
  policy,
  rules,
  scheduleMetric,
  time,
  up,
} from './samples.kit.ts';

const cases: readonly [rule: string, given: Case, replicas: number][] = [
  ['growth is the larger of 100 percent and 4 instances by default: 4', { current: 2, readings: asking(15) }, 6],
  [
    'growth is the larger of 100 percent and 4 instances by default: 100 percent',
    { current: 6, readings: asking(20) },
    12,
  ],
  ['a shrink is not limited by default, after its window', { current: 20, ...free, readings: asking(1) }, 1],
  ['a shrink waits 300 s by default: the first sync stores the current number', { current: 6, readings: asking(2) }, 6],
  [
    'a higher recommendation of 299 s ago holds the number',
    { current: 6, readings: asking(2), recommendations: [{ replicas: 6, untilMs: ago(299) }, { replicas: 2 }] },
    6,
  ],
  [
    'a higher recommendation of 300 s ago does not',
    { current: 6, readings: asking(2), recommendations: [{ replicas: 6, untilMs: ago(300) }, { replicas: 2 }] },
    2,
  ],
  [
    'the highest recommendation within the window counts',
    {
      current: 9,
      readings: asking(2),
      recommendations: [{ replicas: 4, untilMs: ago(100) }, { replicas: 5, untilMs: ago(50) }, { replicas: 3 }],
    },
    5,
  ],
  [
    'a window of scaleDown never raises the number',
    { current: 4, readings: asking(2), recommendations: [{ replicas: 9, untilMs: ago(10) }, { replicas: 2 }] },
    4,
  ],
  ['growth does not wait by default', { current: 3, readings: asking(5), recommendations: [{ replicas: 1 }] }, 5],
  [
    'a lower recommendation within the window of scaleUp holds the number',
    {
      current: 3,
      readings: asking(6),
      behavior: up({ stabilizationWindowSeconds: 60 }),
      recommendations: [{ replicas: 3, untilMs: ago(59) }, { replicas: 6 }],
    },
    3,
  ],
  [
    'the lowest recommendation within the window of scaleUp counts',
    {
      current: 3,
      readings: asking(6),
      behavior: up({ stabilizationWindowSeconds: 60 }),
      recommendations: [{ replicas: 5, untilMs: ago(59) }, { replicas: 6 }],
    },
    5,
  ],
  [
    'a window of scaleUp never lowers the number',
    {
      current: 5,
      readings: asking(6),
      behavior: up({ stabilizationWindowSeconds: 60 }),
      recommendations: [{ replicas: 2, untilMs: ago(5) }],
    },
    5,
  ],
  [
    'both windows clamp around the current number',
    {
      current: 5,
      readings: asking(5),
      behavior: { ...up({ stabilizationWindowSeconds: 60 }), ...{ scaleDown: rules({}) } },
      recommendations: [{ replicas: 2, untilMs: ago(9) }, { replicas: 9, untilMs: ago(5) }, { replicas: 5 }],
    },
    5,
  ],
  [
    'a restart keeps the windows: an open recommendation counts until now',
    { current: 6, readings: asking(2), recommendations: [{ replicas: 6 }] },
    6,
  ],
  [
    'a policy of instances limits growth',
    { current: 3, readings: asking(20), behavior: up({ policies: [policy('Pods', 2)] }) },
    5,
  ],
  [
    'a policy of percent limits growth, rounded up',
    { current: 3, readings: asking(20), behavior: up({ policies: [policy('Percent', 10)] }) },
    4,
  ],
  [
    '10 percent of 10 is 1, whatever floating point makes of it',
    { current: 10, readings: asking(20), behavior: up({ policies: [policy('Percent', 10)] }) },
    11,
  ],
  [
    'the policy of the largest change applies by default',
    { current: 3, readings: asking(20), behavior: up({ policies: [policy('Pods', 1), policy('Percent', 200)] }) },
    9,
  ],
  [
    'Min applies the policy of the smallest change',
    {
      current: 3,
      readings: asking(20),
      behavior: up({ policies: [policy('Pods', 1), policy('Percent', 200)], selectPolicy: 'Min' }),
    },
    4,
  ],
  ['Disabled allows no growth', { current: 3, readings: asking(20), behavior: up({ selectPolicy: 'Disabled' }) }, 3],
  ['Disabled allows no shrink', { current: 9, readings: asking(2), behavior: down({ selectPolicy: 'Disabled' }) }, 9],
  [
    'a policy of instances limits a shrink',
    { current: 9, readings: asking(2), behavior: down({ policies: [policy('Pods', 3)] }) },
    6,
  ],
  [
    'a policy of percent limits a shrink, rounded down',
    { current: 9, readings: asking(2), behavior: down({ policies: [policy('Percent', 10)] }) },
    8,
  ],
  [
    'Max of a shrink is the smallest number',
    { current: 10, readings: asking(1), behavior: down({ policies: [policy('Pods', 1), policy('Percent', 50)] }) },
    5,
  ],
  [
    'Min of a shrink is the largest number',
    {
      current: 10,
      readings: asking(1),
      behavior: down({ policies: [policy('Pods', 1), policy('Percent', 50)], selectPolicy: 'Min' }),
    },
    9,
  ],
  [
    'changes within the period count',
    {
      current: 5,
      readings: asking(20),
      behavior: up({ policies: [policy('Pods', 4)] }),
      events: [{ timeMs: ago(59), change: 2 }],
    },
    7,
  ],
  [
    'changes before the period do not count',
    {
      current: 5,
      readings: asking(20),
      behavior: up({ policies: [policy('Pods', 4)] }),
      events: [{ timeMs: ago(60), change: 2 }],
    },
    9,
  ],
  [
    'an exhausted policy keeps the number',
    {
      current: 9,
      readings: asking(20),
      behavior: up({ policies: [policy('Pods', 4)] }),
      events: [{ timeMs: ago(5), change: 6 }],
    },
    9,
  ],
  [
    'changes in the opposite direction count too',
    {
      current: 5,
      readings: asking(20),
      behavior: up({ policies: [policy('Pods', 2)] }),
      events: [
        { timeMs: ago(9), change: 1 },
        { timeMs: ago(5), change: -3 },
      ],
    },
    9,
  ],
  [
    'growth within the period allows more of a shrink',
    {
      current: 8,
      readings: asking(1),
      behavior: down({ policies: [policy('Pods', 2)] }),
      events: [{ timeMs: ago(5), change: 3 }],
    },
    3,
  ],
  [
    'a percent policy alone never leaves zero',
    {
      current: 0,
      min: 0,
      metrics: [scheduleMetric(3)],
      readings: [time],
      nowMs: at('06:00:00'),
      behavior: up({ policies: [policy('Percent', 900)] }),
    },
    0,
  ],
];

describe('the limits of a decision', () => {
  it.each(cases)('%s', (_, given, replicas) => {
    expect(decided(given).replicas).toBe(replicas);
  });
});
