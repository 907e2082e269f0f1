/** How patient plans are. Checked once at the border: a NaN in here would make every comparison of times false. */
import { ApiError } from '@ecsm/runtime';
import type { PlanSettings } from './model.ts';

export const defaultPlanSettings: PlanSettings = {
  healGraceMs: 15_000,
  redeployMsMin: 10_000,
  redeployMsMax: 600_000,
  lostNodeGraceMs: 300_000,
  pollMs: 2_000,
};

/** A timer cannot wait longer, and a plan that asks for more would be woken at once. */
const settingMsMax = 2 ** 31 - 1;

/** Fills in the defaults. Throws `BadRequest` with the name of the setting that is wrong, and what it was. */
export function planSettings(chosen: Partial<PlanSettings> = {}): PlanSettings {
  const settings = { ...defaultPlanSettings, ...chosen };
  for (const [name, value] of Object.entries(settings)) {
    if (!Number.isSafeInteger(value) || value < 1 || value > settingMsMax) {
      throw refused(name, `a whole number of milliseconds from 1 to ${settingMsMax}`, value);
    }
  }
  const { redeployMsMin, redeployMsMax } = settings;
  if (redeployMsMax < redeployMsMin) {
    throw refused('redeployMsMax', `at least redeployMsMin (${redeployMsMin})`, redeployMsMax);
  }
  return settings;
}

function refused(name: string, expected: string, value: unknown): ApiError {
  return new ApiError('BadRequest', { reason: `${name} has to be ${expected}, not ${String(value)}` });
}
