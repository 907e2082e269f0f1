/** How an operator behaves. Checked once at the border, with the name and the value of what is wrong. */
import { ApiError } from '@ecsm/runtime';
import type { PlanSettings } from '../service/model.ts';
import { planSettings } from '../service/settings.ts';

export interface OperatorSettings {
  /** From one look at the platform to the next. Default 15,000. Shorter notices sooner and costs more of the link. */
  readonly observeMs: number;
  /** Calls to the platform at once. Default 4. */
  readonly inFlightMax: number;
  /** Services that are worked on at once. Default 16. More than `inFlightMax` keeps the link busy while some wait for the disk. */
  readonly workers: number;
  /** For one attempt of one call. Default 10,000. */
  readonly callTimeoutMs: number;
  /** An outage that lasts no longer is not written into the status of every service. Default 10,000. */
  readonly outageMs: number;
  /** How patient decisions are; see `PlanSettings`. */
  readonly plan: PlanSettings;
}

export type OperatorSettingsInput = Partial<Omit<OperatorSettings, 'plan'>> & {
  readonly plan?: Partial<PlanSettings>;
};

/** How long reconciles in flight may go on after a stop, or after the loss of the lease. */
export const stopGraceMs = 4_000;

interface Range {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
  readonly unit: string;
}

const dayMs = 86_400_000;
const ranges: Readonly<Record<Exclude<keyof OperatorSettings, 'plan'>, Range>> = {
  observeMs: { fallback: 15_000, min: 100, max: dayMs, unit: 'milliseconds' },
  inFlightMax: { fallback: 4, min: 1, max: 1_000, unit: 'calls' },
  workers: { fallback: 16, min: 1, max: 1_000, unit: 'workers' },
  callTimeoutMs: { fallback: 10_000, min: 10, max: 3_600_000, unit: 'milliseconds' },
  outageMs: { fallback: 10_000, min: 1, max: dayMs, unit: 'milliseconds' },
};

/** Fills in the defaults. Throws `BadRequest`. */
export function operatorSettings(input: OperatorSettingsInput = {}): OperatorSettings {
  const { plan, ...numbers } = input;
  const of = (name: keyof typeof ranges) => inRange(name, numbers[name], ranges[name]);
  return {
    observeMs: of('observeMs'),
    inFlightMax: of('inFlightMax'),
    workers: of('workers'),
    callTimeoutMs: of('callTimeoutMs'),
    outageMs: of('outageMs'),
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
