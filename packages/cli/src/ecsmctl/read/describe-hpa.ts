/** The part of `describe` that is specific to autoscalers: what was last decided, and why. */
import { plural } from '@ecsm/command-line';
import { ECSMHpa } from '@ecsm/operator/kinds';
import { type ApiObject, findCondition } from '@ecsm/runtime';
import { ageOf } from '../shared/columns.ts';
import type { Item } from '../shared/targets.ts';
import type { DescribeContext } from './describe-service.ts';
import { type Fact, factsText, sectionText } from './describe-text.ts';

/** Returns undefined for other kinds. */
export function describeHpa({ kind, object }: Item, { paint, nowMs }: DescribeContext): string | undefined {
  if (kind !== ECSMHpa || !isHpa(object)) return undefined;
  return sectionText('Status', factsText(statusFacts(object, nowMs), paint), paint);
}

/** The registry validates every object against the schema of its kind, so comparing the kind is enough. */
function isHpa(object: ApiObject<unknown, unknown>): object is ECSMHpa {
  return object.kind === ECSMHpa.kind && object.apiVersion === ECSMHpa.apiVersion;
}

type Spec = ECSMHpa['spec'];
type Status = NonNullable<ECSMHpa['status']>;
type CurrentMetric = Status['currentMetrics'][number];

function statusFacts({ spec, status }: ECSMHpa, nowMs: number): readonly Fact[] {
  if (!status) return [['Observed', 'no: the operator has not observed the autoscaler yet']];
  const { currentReplicas, desiredReplicas, lastScaleTime, lastScaleReason } = status;
  const scaled = lastScaleTime === undefined ? 'never' : `${ageOf(lastScaleTime, nowMs)} ago: ${lastScaleReason}`;
  return [
    ['Instances', `${currentReplicas} current, ${desiredReplicas} desired, ${spec.minReplicas} to ${spec.maxReplicas}`],
    ['Metrics', status.currentMetrics.map((current, index) => metricText(spec, current, index))],
    ['Decision', decisionText(spec, status)],
    ['Last scaled', scaled],
  ];
}

/** `cpu: 90% of a target of 70%, 3 instances counted: asks for 4` */
function metricText({ metrics }: Spec, current: CurrentMetric, index: number): string {
  const { name, error, desiredReplicas, active } = current;
  if (error !== undefined) return `${name}: unknown: ${error}`;
  const asks = desiredReplicas === undefined ? '' : `: asks for ${desiredReplicas}`;
  if (active !== undefined) return `${name}: ${active ? 'active' : 'not active'}${asks}`;
  const wanted = targetText(metrics[index]);
  const seen = percentText(current.averageUtilization) ?? current.averageValue ?? current.value;
  const measured = seen === undefined ? 'not measured' : `${seen} of a target of ${wanted ?? 'unknown'}`;
  return `${name}: ${measured}${instancesText(current)}${asks}`;
}

function targetText(metric: Spec['metrics'][number] | undefined): string | undefined {
  const { resource, prometheus } = metric ?? {};
  const { averageUtilization, averageValue } = resource?.target ?? {};
  return percentText(averageUtilization) ?? averageValue ?? prometheus?.target.averageValue ?? prometheus?.target.value;
}

function percentText(percent: number | undefined): string | undefined {
  return percent === undefined ? undefined : `${percent}%`;
}

function instancesText({ counted, missing = 0, unready = 0 }: CurrentMetric): string {
  if (counted === undefined) return '';
  const without = missing === 0 ? '' : `, ${missing} without a known usage`;
  const starting = unready === 0 ? '' : `, ${unready} starting`;
  return `, ${plural(counted, 'instance')} counted${without}${starting}`;
}

/** In words: what is done, and what prevents more. */
function decisionText({ minReplicas, maxReplicas }: Spec, { currentReplicas, conditions }: Status): string {
  const [able, active, limited] = ['AbleToScale', 'ScalingActive', 'ScalingLimited'].map((type) =>
    findCondition(conditions, type),
  );
  if (able?.status === 'False') return `not scaled: ${able.message}`;
  if (active?.status === 'False') return `${currentReplicas} kept: ${active.message}`;
  if (able?.reason === 'ScaleDownStabilized') {
    return `${currentReplicas} kept: more were recommended within the stabilization window of scaleDown`;
  }
  if (able?.reason === 'ScaleUpStabilized') {
    return `${currentReplicas} kept: fewer were recommended within the stabilization window of scaleUp`;
  }
  if (limited?.reason === 'TooManyReplicas') return `${maxReplicas}: the metrics ask for more than the maximum`;
  if (limited?.reason === 'TooFewReplicas') return `${minReplicas}: the metrics ask for fewer than the minimum`;
  if (limited?.status === 'True') return `${currentReplicas}: ${limited.message}`;
  return `${currentReplicas}: as the metrics ask for`;
}
