import { describe, expect, it } from 'vitest';
import { healingDelayMs, healingFor, withAttempt } from './healing-backoff.ts';
import { defaultPlanSettings } from './settings.ts';

const nowMs = Date.UTC(2026, 0, 1);

describe('the backoff of a problem', () => {
  it('starts when the problem is first observed', () => {
    const first = healingFor(undefined, 'InstanceStopped', nowMs);
    expect(first).toEqual({ reason: 'InstanceStopped', attempts: 0, lastTime: '2026-01-01T00:00:00Z' });
    expect(healingFor(first, 'InstanceStopped', nowMs + 60_000)).toBe(first);
  });

  it('starts over when the reason changes before an attempt', () => {
    const first = healingFor(undefined, 'InstanceStopped', nowMs);
    expect(healingFor(first, 'DeploymentFailed', nowMs + 60_000)).toEqual({
      reason: 'DeploymentFailed',
      attempts: 0,
      lastTime: '2026-01-01T00:01:00Z',
    });
  });

  it('keeps its attempts when the reason changes after an attempt', () => {
    const tried = withAttempt(withAttempt(healingFor(undefined, 'InstanceStopped', nowMs), nowMs), nowMs);
    const other = healingFor(tried, 'DeploymentFailed', nowMs + 60_000);
    expect(other).toEqual({ ...tried, reason: 'DeploymentFailed' });
    expect(healingDelayMs('DeploymentFailed', other.attempts, defaultPlanSettings)).toBeGreaterThan(
      healingDelayMs('DeploymentFailed', 0, defaultPlanSettings),
    );
  });
});
