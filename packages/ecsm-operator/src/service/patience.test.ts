import { describe, expect, it } from 'vitest';
import { attempted, noticed, patienceMs } from './patience.ts';
import { defaultPlanSettings } from './settings.ts';

const nowMs = Date.UTC(2026, 0, 1);

describe('the patience with a trouble', () => {
  it('counts from when it was first noticed, until something is done about it', () => {
    const first = noticed(undefined, 'InstanceStopped', nowMs);
    expect(first).toEqual({ reason: 'InstanceStopped', attempts: 0, lastTime: '2026-01-01T00:00:00Z' });
    expect(noticed(first, 'InstanceStopped', nowMs + 60_000)).toBe(first);
  });

  it('starts over when another trouble is noticed and nothing was done about the first', () => {
    const first = noticed(undefined, 'InstanceStopped', nowMs);
    expect(noticed(first, 'DeploymentFailed', nowMs + 60_000)).toEqual({
      reason: 'DeploymentFailed',
      attempts: 0,
      lastTime: '2026-01-01T00:01:00Z',
    });
  });

  it('keeps its attempts when a trouble that was acted upon takes another form', () => {
    const tried = attempted(attempted(noticed(undefined, 'InstanceStopped', nowMs), nowMs), nowMs);
    const other = noticed(tried, 'DeploymentFailed', nowMs + 60_000);
    expect(other).toEqual({ ...tried, reason: 'DeploymentFailed' });
    expect(patienceMs('DeploymentFailed', other.attempts, defaultPlanSettings)).toBeGreaterThan(
      patienceMs('DeploymentFailed', 0, defaultPlanSettings),
    );
  });
});
