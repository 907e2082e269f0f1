/**
 * The number of instances for a mean usage, or for the result of a query, by the rules of Kubernetes' replica calculator.
 * For a usage:
 *
 * - The ratio of usage and target is multiplied by the number of instances that were counted.
 * - Within the tolerance, the current number stays.
 * - Instances without a known usage are counted against the change: as idle if the number would grow, as fully used if it
 *   would shrink. If that turns the direction, the current number stays.
 * - An instance that has not been ready yet is left out, and counts as idle if the number would grow. That is so for cpu
 *   only: starting costs cpu that normal operation does not need.
 */
import type { InstanceSample, Tolerance } from './model.ts';

/** The relative difference between a metric and its target that causes no change: that of Kubernetes. */
export const toleranceDefault = 0.1;

/** Larger than an error of floating point arithmetic, smaller than any difference that matters. */
const epsilon = 1e-9;

/** Percent of the limits together, or a mean amount. */
export type UsageTarget =
  | { readonly type: 'Utilization'; readonly percent: number }
  | { readonly type: 'AverageValue'; readonly amount: number };

export interface UsageQuestion {
  readonly instances: readonly InstanceSample[];
  readonly usageOf: (instance: InstanceSample) => number | undefined;
  /** What 100 percent is. Used for Utilization only. */
  readonly limitOf: (instance: InstanceSample) => number | undefined;
  /** Whether instances that have not been ready yet are left out. */
  readonly needsReady: boolean;
  readonly target: UsageTarget;
  readonly current: number;
  readonly tolerance: Tolerance;
}

type UsageAnswer =
  | {
      readonly is: 'known';
      readonly replicas: number;
      /** Percent, rounded down, or the mean amount; of the counted instances. */
      readonly usage: number;
      readonly counted: number;
      readonly missing: number;
      readonly unready: number;
    }
  | { readonly is: 'unknown'; readonly why: 'no instances' | 'no usage' | 'no limit' };

interface Usage {
  readonly value: number;
  readonly limit: number;
}

interface Groups {
  readonly counted: readonly Usage[];
  readonly missing: readonly InstanceSample[];
  readonly unready: readonly InstanceSample[];
  readonly lacksLimit: boolean;
}

export function usageReplicas(question: UsageQuestion): UsageAnswer {
  const { instances, target, current, tolerance } = question;
  if (instances.every(({ phase }) => phase === 'gone')) return { is: 'unknown', why: 'no instances' };
  const { counted, missing, unready, lacksLimit } = grouped(question);
  if (lacksLimit) return { is: 'unknown', why: 'no limit' };
  if (counted.length === 0) return { is: 'unknown', why: 'no usage' };
  const usage = meanOf(counted, target);
  const ratio = usage / amountOf(target);
  const known = (replicas: number): UsageAnswer => ({
    is: 'known',
    replicas,
    usage,
    counted: counted.length,
    missing: missing.length,
    unready: unready.length,
  });
  const grows = ratio > 1;
  const assumed = [
    ...missing.map((one) => assumedUsage(one, question, counted, ratio)),
    ...(grows ? unready.map((one) => idle(limitOf(one, question, counted))) : []),
  ];
  if (assumed.length === 0) return known(isWithin(ratio, tolerance) ? current : roundUp(ratio * counted.length));
  const all = [...counted, ...assumed];
  const cautious = meanOf(all, target) / amountOf(target);
  const turns = (ratio < 1 && cautious > 1) || (grows && cautious < 1);
  if (isWithin(cautious, tolerance) || turns) return known(current);
  const replicas = roundUp(cautious * all.length);
  // More or fewer instances than the current number were counted: that must not turn the direction either.
  const isAgainst = cautious < 1 ? replicas > current : replicas < current;
  return known(isAgainst ? current : replicas);
}

function grouped(question: UsageQuestion): Groups {
  const { instances, usageOf, needsReady, target } = question;
  const counted: Usage[] = [];
  const missing: InstanceSample[] = [];
  const unready: InstanceSample[] = [];
  let lacksLimit = false;
  for (const instance of instances) {
    const { phase, isReady, wasReady } = instance;
    if (phase === 'gone') continue;
    const value = usageOf(instance);
    if (phase === 'pending') unready.push(instance);
    else if (value === undefined) missing.push(instance);
    else if (needsReady && !isReady && !wasReady) unready.push(instance);
    else {
      const limit = target.type === 'Utilization' ? question.limitOf(instance) : 1;
      if (limit === undefined || limit <= 0) lacksLimit = true;
      else counted.push({ value, limit });
    }
  }
  return { counted, missing, unready, lacksLimit };
}

/** What an instance without a known usage counts as. At the target itself it changes nothing. */
function assumedUsage(
  instance: InstanceSample,
  question: UsageQuestion,
  counted: readonly Usage[],
  ratio: number,
): Usage {
  const { target } = question;
  const limit = limitOf(instance, question, counted);
  if (ratio > 1) return idle(limit);
  if (target.type === 'AverageValue') return { value: target.amount, limit };
  const percent = ratio < 1 ? Math.max(100, target.percent) : target.percent;
  return { value: (limit * percent) / 100, limit };
}

const idle = (limit: number): Usage => ({ value: 0, limit });

/** An instance without a usage may have no limit in the answer of the platform either: then the mean of the others. */
function limitOf(instance: InstanceSample, question: UsageQuestion, counted: readonly Usage[]): number {
  return question.limitOf(instance) ?? sum(counted.map(({ limit }) => limit)) / counted.length;
}

/** Kubernetes rounds percentages down, so that the number shown is the number decided on. */
function meanOf(usages: readonly Usage[], { type }: UsageTarget): number {
  const total = sum(usages.map(({ value }) => value));
  if (type === 'AverageValue') return total / usages.length;
  return roundDown((total * 100) / sum(usages.map(({ limit }) => limit)));
}

function amountOf(target: UsageTarget): number {
  return target.type === 'Utilization' ? target.percent : target.amount;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

interface ValueQuestion {
  readonly value: number;
  readonly target:
    | { readonly type: 'Value'; readonly amount: number }
    | { readonly type: 'AverageValue'; readonly amount: number };
  readonly current: number;
  readonly ready: number;
  readonly tolerance: Tolerance;
}

/**
 * As Kubernetes computes it for external metrics. Returns undefined if it is not known: the value is compared with ready
 * instances, and there are none.
 */
export function valueReplicas({ value, target, current, ready, tolerance }: ValueQuestion): number | undefined {
  const { type, amount } = target;
  if (type === 'AverageValue') {
    return current > 0 && isWithin(value / (amount * current), tolerance) ? current : roundUp(value / amount);
  }
  const ratio = value / amount;
  if (current === 0) return roundUp(ratio);
  if (isWithin(ratio, tolerance)) return current;
  return ready === 0 ? undefined : roundUp(ratio * ready);
}

/** A ratio exactly at the limit is within it. */
function isWithin(ratio: number, { up, down }: Tolerance): boolean {
  return ratio >= 1 - down - epsilon && ratio <= 1 + up + epsilon;
}

/** Ignores errors of floating point arithmetic: 10 × 1.1 is 11, not a little more. */
export function roundUp(value: number): number {
  return safe(Math.ceil(precise(value)));
}

export function roundDown(value: number): number {
  return safe(Math.floor(precise(value)));
}

/** A metric may have any value. A status with a larger number could not be written. */
function safe(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

function precise(value: number): number {
  return Number(value.toPrecision(12));
}
