/** Goal: the rules of Kubernetes' replica calculator. Method: a table in which each case names the rule that it pins. */
import { describe, expect, it } from 'vitest';
import { type UsageQuestion, usageReplicas } from './metric-replicas.ts';
import type { InstanceSample } from './model.ts';
import { instance, type Short, using } from './samples.kit.ts';

const tolerance = { up: 0.1, down: 0.1 };

const cpu = (percent: number, shorts: readonly Short[], current = shorts.length): UsageQuestion => ({
  instances: shorts.map(instance),
  usageOf: ({ usage }) => usage.cpuPercent,
  limitOf: () => 100,
  needsReady: true,
  target: { type: 'Utilization', percent },
  current,
  tolerance,
});

const memory = (percent: number, instances: readonly InstanceSample[], current = instances.length): UsageQuestion => ({
  instances,
  usageOf: ({ usage }) => usage.memoryBytes,
  limitOf: ({ usage }) => usage.memoryLimitBytes,
  needsReady: false,
  target: { type: 'Utilization', percent },
  current,
  tolerance,
});

const amount = (mean: number, shorts: readonly Short[], current = shorts.length): UsageQuestion => ({
  ...cpu(1, shorts, current),
  usageOf: ({ usage }) => usage.cpuPercent,
  target: { type: 'AverageValue', amount: mean },
});

const of = (memoryBytes: number, memoryLimitBytes: number) => using({ memoryBytes, memoryLimitBytes });
const starting = { isReady: false, wasReady: false };

const cases: readonly [rule: string, question: UsageQuestion, expected: number | string][] = [
  ['the number is the ratio times the instances, rounded up', cpu(50, [90, 90, 90]), 6],
  ['a smaller ratio gives a smaller number', cpu(50, [10, 10, 10, 10]), 1],
  ['rounding is up, also when the number shrinks', cpu(50, [30, 30, 30]), 2],
  ['an exact multiple is not rounded up', cpu(50, [100, 100]), 4],
  ['usage at the target changes nothing', cpu(50, [50, 50]), 2],
  ['a ratio of exactly 1.1 does not scale', cpu(50, [55, 55]), 2],
  ['a ratio of exactly 0.9 does not scale', cpu(50, [45, 45, 45]), 3],
  ['a ratio just above 1.1 scales', cpu(50, [56, 56]), 3],
  ['a ratio just below 0.9 scales', cpu(100, [89, 89, 89, 89, 89, 89, 89, 89, 89, 89]), 9],
  ['77 of 70 percent is exactly at the tolerance', cpu(70, [77]), 1],
  [
    'the tolerance of up does not apply to down',
    { ...cpu(50, [40, 40, 40, 40, 40]), tolerance: { up: 0.5, down: 0 } },
    4,
  ],
  ['a tolerance of 0 scales at any difference', { ...cpu(50, [51]), tolerance: { up: 0, down: 0 } }, 2],
  ['the mean is rounded down to whole percent', cpu(70, [77.9, 77.9]), 2],
  ['usage differs between instances: the mean counts', cpu(50, [100, 0, 50, 50]), 4],
  ['the ratio is multiplied by the counted instances, not by the current number', cpu(50, [100, 100], 10), 4],
  ['more instances than the current number are counted, as during a rollout', cpu(50, [60, 60, 60, 60], 3), 5],
  ['a missing one counts as 0 percent when growing', cpu(50, [90, 90, 'missing']), 4],
  ['a missing one that takes the growth away leaves the number', cpu(50, [60, 'missing']), 2],
  ['a missing one counts as 100 percent when shrinking', cpu(50, [10, 10, 10, 10, 'missing']), 3],
  ['a missing one counts as the target if that is above 100 when shrinking', cpu(200, [20, 20, 20, 'missing']), 2],
  ['missing ones that turn the direction leave the number', cpu(50, [20, 'missing', 'missing']), 3],
  ['missing ones at the target change nothing', cpu(50, [50, 50, 'missing', 'missing']), 4],
  ['not ready and without a usage is missing', cpu(50, [10, 10, 10, 10, 'not ready, missing']), 3],
  ['one that was never ready is left out when shrinking', cpu(50, [10, 10, 10, 10, 'new 90']), 1],
  ['one that was never ready counts as 0 percent when growing', cpu(50, [90, 90, 'new 90']), 4],
  ['ready once and not ready now still counts', cpu(50, [90, 90, 'again 90']), 6],
  ['a pending one counts as 0 percent when growing', cpu(50, [90, 90, 'pending']), 4],
  ['a pending one is left out when shrinking', cpu(50, [10, 10, 10, 10, 'pending']), 1],
  ['growth that pending ones take away leaves the number', cpu(50, [70, 'pending']), 2],
  ['a failed or deleted one is ignored', cpu(50, [50, 50, 'gone'], 2), 2],
  ['no usage at all is unknown', cpu(50, ['missing', 'missing']), 'no usage'],
  ['only instances that are not ready are unknown', cpu(50, ['new 90', 'pending']), 'no usage'],
  ['no instances are unknown', cpu(50, [], 3), 'no instances'],
  ['only deleted instances are none', cpu(50, ['gone']), 'no instances'],
  ['cautious growth never ends below the current number', cpu(50, [90, 90, 'missing'], 10), 10],
  ['a cautious shrink never ends above the current number', cpu(50, [20, 20, 20, 'missing'], 2), 2],
  ['memory is the sum of usage by the sum of limits', memory(50, [of(90, 100), of(30, 300)]), 2],
  ['memory above its target grows', memory(50, [of(90, 100), of(90, 100)]), 4],
  ['readiness matters for cpu only', memory(50, [of(90, 100), { ...of(90, 100), ...starting }]), 4],
  ['an instance without a limit is unknown', memory(50, [using({ memoryBytes: 5 })]), 'no limit'],
  ['a limit of 0 is no limit', memory(50, [of(5, 0)]), 'no limit'],
  ['a missing one without a limit counts with the mean of the others', memory(50, [of(10, 100), using({})], 2), 2],
  [
    'a mean amount needs no limit',
    { ...memory(50, [using({ memoryBytes: 9 })]), target: { type: 'AverageValue', amount: 3 } },
    3,
  ],
  ['a mean amount is not rounded', amount(10, [11.5, 11.5, 11.5]), 4],
  ['a missing one counts as the amount when shrinking', amount(10, [2, 2, 2, 2, 'missing']), 2],
  ['a missing one counts as nothing when growing by an amount', amount(10, [20, 20, 'missing']), 4],
  ['a missing one at exactly the amount does not shrink', amount(10, [10, 'missing', 'missing']), 3],
  ['floating point errors do not round up', amount(0.1, [0.3], 2), 3],
];

describe('the number for a usage', () => {
  it.each(cases)('%s', (_, question, expected) => {
    const answer = usageReplicas(question);
    expect(answer.is === 'known' ? answer.replicas : answer.why).toBe(expected);
  });

  it('comes with the mean of the counted instances, and with those that were not counted', () => {
    expect(usageReplicas(cpu(50, [90, 91, 'missing', 'pending', 'new 5', 'gone']))).toEqual({
      is: 'known',
      replicas: 6,
      usage: 90,
      counted: 2,
      missing: 1,
      unready: 2,
    });
  });
});
