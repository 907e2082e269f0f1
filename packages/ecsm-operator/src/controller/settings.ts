/** The settings of an operator, validated once. An error contains the name and the value of the setting. */
import { ApiError } from '@ecsm/runtime';
import type { PlanSettings } from '../service/model.ts';
import { planSettings } from '../service/settings.ts';

export interface OperatorSettings {
  /** Maximum interval between polls of the platform. Default 60,000. A shorter one detects changes sooner and uses more bandwidth. */
  readonly observeMs: number;
  /**
   * Bandwidth for observing the platform at rest. Default 8,000. A higher one allows more polls after a change; the maximum
   * interval is kept even if its polls need more.
   */
  readonly linkBudgetBytesPerSecond: number;
  /** Maximum number of concurrent platform calls. Default 16. The limit in use follows the link up to it. */
  readonly inFlightMax: number;
  /** Maximum number of concurrent reconciles. Default 16. More than `inFlightMax` keeps the link busy while some wait for the disk. */
  readonly workers: number;
  /** Timeout of one attempt of one call. Default 10,000. */
  readonly callTimeoutMs: number;
  /** A shorter outage is not written into the status of every service. Default 10,000. */
  readonly outageMs: number;
  /** Time from one sync of an autoscaler to the next. Default 15,000, as in Kubernetes. */
  readonly autoscalingMs: number;
  /**
   * How long there has to be room before instances that were given up for a higher priority are restored. Default 60,000.
   * A shorter time restores sooner; a longer one avoids that they are given up again soon.
   */
  readonly restoreMs: number;
  /** Times of plans; see `PlanSettings`. */
  readonly plan: PlanSettings;
}

export type OperatorSettingsInput = Partial<Omit<OperatorSettings, 'plan'>> & {
  readonly plan?: Partial<PlanSettings>;
};

/** How long reconciles in flight may continue after a stop, or after the loss of the lease. */
export const stopGraceMs = 4_000;

interface Range {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
  readonly unit: string;
}

const dayMs = 86_400_000;
const ranges: Readonly<Record<Exclude<keyof OperatorSettings, 'plan'>, Range>> = {
  observeMs: { fallback: 60_000, min: 100, max: dayMs, unit: 'milliseconds' },
  linkBudgetBytesPerSecond: { fallback: 8_000, min: 1, max: 1_000_000_000, unit: 'bytes' },
  inFlightMax: { fallback: 16, min: 1, max: 1_000, unit: 'calls' },
  workers: { fallback: 16, min: 1, max: 1_000, unit: 'workers' },
  callTimeoutMs: { fallback: 10_000, min: 10, max: 3_600_000, unit: 'milliseconds' },
  outageMs: { fallback: 10_000, min: 1, max: dayMs, unit: 'milliseconds' },
  autoscalingMs: { fallback: 15_000, min: 100, max: dayMs, unit: 'milliseconds' },
  restoreMs: { fallback: 60_000, min: 1, max: dayMs, unit: 'milliseconds' },
};

/** Fills in the defaults. Throws `BadRequest`. */
export function operatorSettings(input: OperatorSettingsInput = {}): OperatorSettings {
  const { plan, ...numbers } = input;
  const of = (name: keyof typeof ranges) => inRange(name, numbers[name], ranges[name]);
  return {
    observeMs: of('observeMs'),
    linkBudgetBytesPerSecond: of('linkBudgetBytesPerSecond'),
    inFlightMax: of('inFlightMax'),
    workers: of('workers'),
    callTimeoutMs: of('callTimeoutMs'),
    outageMs: of('outageMs'),
    autoscalingMs: of('autoscalingMs'),
    restoreMs: of('restoreMs'),
    plan: planSettings(plan),
  };
}

function inRange(name: string, value: number | undefined, { fallback, min, max, unit }: Range): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new ApiError('BadRequest', {
    reason: `${name} has to be a whole number of ${unit} from ${min} to ${max}, not ${String(value)}`,
  });
}
