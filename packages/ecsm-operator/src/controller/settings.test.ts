import { describe, expect, it } from 'vitest';
import { type OperatorSettingsInput, operatorSettings } from './settings.ts';

it('has a default for every setting', () => {
  const { plan, ...settings } = operatorSettings();
  expect(settings).toEqual({
    observeMs: 60_000,
    linkBudgetBytesPerSecond: 8_000,
    inFlightMax: 16,
    workers: 16,
    callTimeoutMs: 10_000,
    outageMs: 10_000,
    autoscalingMs: 15_000,
    restoreMs: 60_000,
  });
  expect(plan.pollMs).toBe(2_000);
});

describe('an invalid setting is rejected with its name and value', () => {
  it.each<[OperatorSettingsInput, string]>([
    [{ observeMs: 0 }, 'observeMs has to be a whole number of milliseconds from 100 to 86400000, not 0'],
    [{ observeMs: 86_400_001 }, 'not 86400001'],
    [
      { linkBudgetBytesPerSecond: 0 },
      'linkBudgetBytesPerSecond has to be a whole number of bytes from 1 to 1000000000, not 0',
    ],
    [{ inFlightMax: 1_001 }, 'inFlightMax has to be a whole number of calls from 1 to 1000, not 1001'],
    [{ inFlightMax: 1.5 }, 'inFlightMax has to be a whole number of calls from 1 to 1000, not 1.5'],
    [{ workers: -1 }, 'workers has to be a whole number of workers from 1 to 1000, not -1'],
    [
      { callTimeoutMs: Number.NaN },
      'callTimeoutMs has to be a whole number of milliseconds from 10 to 3600000, not NaN',
    ],
    [{ outageMs: Number.POSITIVE_INFINITY }, 'not Infinity'],
    [{ plan: { pollMs: 0 } }, 'pollMs has to be'],
  ])('%o', (input, message) => {
    expect(() => operatorSettings(input)).toThrow(message);
  });
});
