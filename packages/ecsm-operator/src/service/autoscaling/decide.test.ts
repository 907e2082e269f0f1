/**
 * Goal: the rules of Kubernetes' controller for several metrics, windows, policies and limits. Method: a table in which
 * each case names the rule that it pins; `asking(n)` is a cpu usage that asks for n instances.
 */
import { describe, expect, it } from 'vitest';
import {
  asking,
  at,
  type Case,
  conditionIn,
  cpuMetric,
  cpuReading,
  decided,
  down,
  failed,
  free,
  policy,
  queueMetric,
  scheduleMetric,
  startMs,
  time,
  up,
  value,
} from './samples.kit.ts';

const cases: readonly [rule: string, given: Case, replicas: number][] = [
  ['more than maxReplicas is reduced without metrics', { current: 12, max: 8 }, 8],
  ['fewer than minReplicas is raised without metrics', { current: 2, min: 5 }, 5],
  ['the range is enforced without policies', { current: 2, min: 15, behavior: up({ selectPolicy: 'Disabled' }) }, 15],
  ['a target set to 0 stays there', { current: 0, min: 1, readings: asking(5) }, 0],
  [
    'a target at 0 with minReplicas 0 is scaled',
    { current: 0, min: 0, metrics: [scheduleMetric(3)], readings: [time], nowMs: at('06:00:00') },
    3,
  ],
  [
    'the largest of several metrics wins',
    { current: 3, metrics: [cpuMetric(50), queueMetric('AverageValue', '10')], readings: [...asking(4), value(50)] },
    5,
  ],
  [
    'the order of the metrics does not matter',
    { current: 3, metrics: [queueMetric('AverageValue', '10'), cpuMetric(50)], readings: [value(50), ...asking(4)] },
    5,
  ],
  [
    'a failed metric prevents a smaller number',
    { current: 5, ...free, metrics: [cpuMetric(50), queueMetric('Value', '10')], readings: [...asking(2), failed] },
    5,
  ],
  [
    'a failed metric does not prevent a larger number',
    { current: 3, metrics: [cpuMetric(50), queueMetric('Value', '10')], readings: [...asking(5), failed] },
    5,
  ],
  ['without any metric nothing is changed', { current: 3, ...free, readings: [failed] }, 3],
  ['a metric that is not read counts as failed', { current: 3, ...free, readings: [] }, 3],
  ['more than maxReplicas is not set', { current: 6, max: 8, readings: asking(10) }, 8],
  ['fewer than minReplicas is not set', { current: 6, min: 3, ...free, readings: asking(1) }, 3],
  ['a usage of 0 shrinks to the minimum, not to 0', { current: 6, ...free, readings: asking(0) }, 1],
  [
    'a tolerance of the behavior replaces 0.1',
    { current: 2, readings: [cpuReading(55, 55)], behavior: up({ tolerance: '0.05' }) },
    3,
  ],
  ['a target that was preempted is not scaled up', { current: 3, readings: asking(6), preemptedBy: 'default/bus' }, 3],
  ['a target that was preempted is not raised to the minimum', { current: 2, min: 4, preemptedBy: 'default/bus' }, 2],
  [
    'a target that was preempted may shrink',
    { current: 6, ...free, readings: asking(2), preemptedBy: 'default/bus' },
    2,
  ],
  [
    'an active schedule is a minimum',
    { current: 3, metrics: [cpuMetric(50), scheduleMetric(5)], readings: [...asking(2), time], nowMs: at('06:10:00') },
    5,
  ],
  [
    'an active schedule is not a maximum',
    { current: 5, metrics: [cpuMetric(50), scheduleMetric(5)], readings: [...asking(7), time], nowMs: at('06:10:00') },
    7,
  ],
  [
    'an inactive schedule asks for the minimum',
    { current: 5, min: 2, ...free, metrics: [scheduleMetric(5)], readings: [time] },
    2,
  ],
  [
    'a schedule alone can scale to 0',
    { current: 5, min: 0, ...free, metrics: [scheduleMetric(5)], readings: [time] },
    0,
  ],
  [
    'without instances a usage asks for none',
    { current: 0, min: 0, metrics: [cpuMetric(50), scheduleMetric(5)], readings: [cpuReading(), time] },
    0,
  ],
  [
    'a Value is compared with the ready instances',
    { current: 4, ready: 2, metrics: [queueMetric('Value', '10')], readings: [value(25)] },
    5,
  ],
  [
    'a Value exactly at the tolerance does not scale',
    { current: 4, metrics: [queueMetric('Value', '10')], readings: [value(11)] },
    4,
  ],
  [
    'a Value with no ready instance is not known',
    { current: 4, ready: 0, ...free, metrics: [queueMetric('Value', '10')], readings: [value(1)] },
    4,
  ],
  [
    'a Value from 0 instances is the ratio',
    { current: 0, min: 0, metrics: [queueMetric('Value', '10'), scheduleMetric(1)], readings: [value(25), time] },
    3,
  ],
  [
    'an AverageValue is the sum divided by the amount',
    { current: 4, metrics: [queueMetric('AverageValue', '10')], readings: [value(61)] },
    7,
  ],
  [
    'an AverageValue within the tolerance does not scale',
    { current: 4, metrics: [queueMetric('AverageValue', '10')], readings: [value(44)] },
    4,
  ],
];

describe('the decision of an autoscaler', () => {
  it.each(cases)('%s', (_, given, replicas) => {
    expect(decided(given).replicas).toBe(replicas);
  });
});

describe('the conditions of a decision', () => {
  const table: readonly [what: string, given: Case, type: string, expected: string | undefined][] = [
    ['a target at 0', { current: 0 }, 'ScalingActive', 'False ScalingDisabled'],
    ['a valid metric', { current: 3, readings: asking(5) }, 'ScalingActive', 'True ValidMetricFound'],
    ['no valid usage', { current: 3, readings: [failed] }, 'ScalingActive', 'False FailedGetResourceMetric'],
    [
      'no valid query',
      { current: 3, metrics: [queueMetric('Value', '1')], readings: [failed] },
      'ScalingActive',
      'False FailedGetPrometheusMetric',
    ],
    ['a change without limits', { current: 3, readings: asking(5) }, 'ScalingLimited', 'False DesiredWithinRange'],
    ['more than the maximum', { current: 6, max: 8, readings: asking(9) }, 'ScalingLimited', 'True TooManyReplicas'],
    [
      'fewer than the minimum',
      { current: 6, min: 3, ...free, readings: asking(1) },
      'ScalingLimited',
      'True TooFewReplicas',
    ],
    ['fast growth', { current: 2, readings: asking(15) }, 'ScalingLimited', 'True ScaleUpLimit'],
    [
      'a fast shrink',
      { current: 9, readings: asking(2), behavior: down({ policies: [policy('Pods', 1)] }) },
      'ScalingLimited',
      'True ScaleDownLimit',
    ],
    [
      'a preempted target',
      { current: 2, readings: asking(5), preemptedBy: 'a/b' },
      'ScalingLimited',
      'True TargetPreempted',
    ],
    ['no window', { current: 3, readings: asking(5) }, 'AbleToScale', 'True ReadyForNewScale'],
    ['a window of scaleDown', { current: 6, readings: asking(2) }, 'AbleToScale', 'True ScaleDownStabilized'],
    [
      'a window of scaleUp',
      { current: 3, readings: asking(6), behavior: up({ stabilizationWindowSeconds: 60 }) },
      'AbleToScale',
      'True ScaleUpStabilized',
    ],
    ['an unread metric', { current: 3, readings: [failed] }, 'AbleToScale', 'True SucceededGetScale'],
  ];

  it.each(table)('tell of %s', (_, given, type, expected) => {
    expect(conditionIn(decided(given), type)).toBe(expected);
  });
});

describe('a decision', () => {
  it('has a reason only if it changes the number', () => {
    expect(decided({ current: 3, readings: asking(5) }).reason).toBe('cpu resource utilization above target');
    expect(decided({ current: 5, ...free, readings: asking(2) }).reason).toBe('All metrics below target');
    expect(decided({ current: 3, readings: asking(3) }).reason).toBeUndefined();
    expect(decided({ current: 3, readings: asking(5), preemptedBy: 'a/b' }).reason).toBeUndefined();
  });

  it('stores recommendations as they were before any limit', () => {
    const { recommendations } = decided({ current: 2, max: 8, readings: asking(15) });
    expect(recommendations).toEqual([{ replicas: 2, untilMs: startMs }, { replicas: 15 }]);
  });

  it('leaves the recommendations as they are if a metric failed', () => {
    expect(decided({ current: 3, readings: [failed] }).recommendations).toEqual([{ replicas: 3 }]);
  });

  it('has an event for each failed metric', () => {
    const { events } = decided({ current: 3, readings: [failed] });
    expect(events).toEqual([{ type: 'Warning', reason: 'FailedGetResourceMetric', message: 'cpu: no answer' }]);
  });
});
