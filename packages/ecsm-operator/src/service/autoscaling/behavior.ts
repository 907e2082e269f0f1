/** The behavior of an autoscaler, with the defaults of autoscaling/v2. */
import type { HpaSpec } from '../../apis/hpa.ts';
import { parseMetricQuantity } from '../../apis/metric-quantity.ts';
import type { Tolerance } from './model.ts';
import { toleranceDefault } from './tolerance.ts';

export interface ScalingPolicy {
  readonly type: 'Pods' | 'Percent';
  readonly value: number;
  readonly periodSeconds: number;
}

export interface ScalingRules {
  readonly windowMs: number;
  readonly policies: readonly ScalingPolicy[];
  readonly selectPolicy: 'Max' | 'Min' | 'Disabled';
}

export interface Behavior {
  readonly up: ScalingRules;
  readonly down: ScalingRules;
  readonly tolerance: Tolerance;
}

const upDefault: ScalingRules = {
  windowMs: 0,
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
  selectPolicy: 'Max',
};

const downDefault: ScalingRules = {
  windowMs: 300_000,
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  selectPolicy: 'Max',
};

type RulesInput = NonNullable<NonNullable<HpaSpec['behavior']>['scaleUp']>;

export function behaviorOf({ behavior }: Pick<HpaSpec, 'behavior'>): Behavior {
  const { scaleUp, scaleDown } = behavior ?? {};
  return {
    up: rulesOf(scaleUp, upDefault),
    down: rulesOf(scaleDown, downDefault),
    tolerance: { up: toleranceOf(scaleUp), down: toleranceOf(scaleDown) },
  };
}

function rulesOf(input: RulesInput | undefined, defaults: ScalingRules): ScalingRules {
  if (input === undefined) return defaults;
  const { stabilizationWindowSeconds, policies = defaults.policies, selectPolicy } = input;
  const windowMs = stabilizationWindowSeconds === undefined ? defaults.windowMs : stabilizationWindowSeconds * 1_000;
  return { windowMs, policies, selectPolicy };
}

function toleranceOf(input: RulesInput | undefined): number {
  return (input?.tolerance === undefined ? undefined : parseMetricQuantity(input.tolerance)) ?? toleranceDefault;
}
