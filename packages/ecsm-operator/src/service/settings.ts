/** The times of plans. Validated once: a NaN would make every comparison of times false. */
import { ApiError } from '@ecsm/runtime';
import type { PlanSettings } from './model.ts';

export const defaultPlanSettings: PlanSettings = {
  healGraceMs: 15_000,
  redeployMsMin: 10_000,
  redeployMsMax: 600_000,
  lostNodeGraceMs: 300_000,
  pollMs: 2_000,
};

/** The maximum delay of a timer: a longer one would fire immediately. */
const settingMsMax = 2 ** 31 - 1;

/** Fills in the defaults. Throws `BadRequest` with the name and value of an invalid setting. */
export function planSettings(chosen: Partial<PlanSettings> = {}): PlanSettings {
  const settings = { ...defaultPlanSettings, ...chosen };
  for (const [name, value] of Object.entries(settings)) {
    if (!Number.isSafeInteger(value) || value < 1 || value > settingMsMax) {
      throw invalid(name, `a whole number of milliseconds from 1 to ${settingMsMax}`, value);
    }
  }
  const { redeployMsMin, redeployMsMax } = settings;
  if (redeployMsMax < redeployMsMin) {
    throw invalid('redeployMsMax', `at least redeployMsMin (${redeployMsMin})`, redeployMsMax);
  }
  return settings;
}

function invalid(name: string, expected: string, value: unknown): ApiError {
  return new ApiError('BadRequest', { reason: `${name} has to be ${expected}, not ${String(value)}` });
}
