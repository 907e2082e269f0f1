/** The table of reasons, and the small files around a plan. */
import { isApiError } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { formatPlan } from './format-plan.ts';
import { dynamic, image, PlanHarness, rolling, spec } from './plan-harness.kit.ts';
import { condition, reasons } from './reasons.ts';
import { defaultPlanSettings, planSettings } from './settings.ts';
import { remainingMs, statusTime } from './times.ts';

describe('reasons', () => {
  it('are single words with whole sentences', () => {
    for (const [reason, { sentence, in: places }] of Object.entries(reasons)) {
      expect(reason).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(places.length).toBeGreaterThan(0);
    }
  });
});

describe('a formatted plan', () => {
  const secret = 'hunter2-very-secret';

  it('contains the steps and their reasons, and no secret', () => {
    const withPassword = (password: string) => ({ image: 'worker@1.0.0', vsoa: { port: 0, password } });
    const harness = new PlanHarness(spec({ template: withPassword('other-secret') }));
    const create = formatPlan(harness.reconcile());
    harness.settle();
    harness.edit({ template: withPassword(secret), deploymentStrategy: dynamic(3) });
    const update = formatPlan(harness.plan());
    expect(create).toMatch(/^1\. create worker: worker@1\.0\.0#sylixos, 2 among n1, n2/);
    expect(update).toMatch(/1\. update worker: .*3 among/);
    expect(update).toContain('factor: 2 → 3');
    expect(create + update).not.toContain('secret');
    expect(JSON.stringify(harness.plan().events)).not.toContain('secret');
  });

  it('contains "nothing to do" if there are no steps', () => {
    const harness = new PlanHarness();
    harness.settle();
    const text = formatPlan(harness.plan());
    expect(text).toContain('nothing to do');
    expect(text).toContain('Progressing=True (Complete)');
    expect(text).not.toContain('requeue after');
  });

  it('shows both halves of a rolling update', () => {
    const harness = new PlanHarness(spec({ updateStrategy: rolling() }));
    harness.settle();
    harness.edit({ template: image(2) });
    const text = formatPlan(harness.plan());
    expect(text).toMatch(/1\. create worker-[0-9a-f]{8}/);
    expect(text).toMatch(/2\. update worker:/);
    expect(text).toContain('requeue after 2 s');
  });
});

describe('settings of plans', () => {
  it('have defaults', () => {
    expect(planSettings()).toEqual(defaultPlanSettings);
    expect(planSettings({ pollMs: 500 }).pollMs).toBe(500);
  });

  it.each([
    [{ pollMs: 0 }, /pollMs has to be .* not 0/],
    [{ healGraceMs: Number.NaN }, /healGraceMs has to be .* not NaN/],
    [{ lostNodeGraceMs: 1.5 }, /lostNodeGraceMs has to be .* not 1.5/],
    [
      { redeployMsMin: 60_000, redeployMsMax: 1_000 },
      /redeployMsMax has to be at least redeployMsMin \(60000\), not 1000/,
    ],
  ])('reject %o with the name and the value', (settings, message) => {
    try {
      planSettings(settings);
      expect.unreachable();
    } catch (error) {
      expect(isApiError(error, 'BadRequest')).toBe(true);
      expect(String(error)).toMatch(message);
    }
  });
});

describe('a condition', () => {
  it('has a message that a status can have', () => {
    const { message } = condition('Degraded', 'True', 'NodeLost', 'node, '.repeat(10_000));
    expect(message).toHaveLength(32_768);
    expect(message).toMatch(/^node, .*…$/u);
    expect(condition('Degraded', 'True', 'NodeLost', 'x'.repeat(32_768)).message).toBe('x'.repeat(32_768));
  });
});

describe('waits', () => {
  it('are never shorter than requested, and restart when the clock is set back', () => {
    const nowMs = 1_767_225_600_250;
    expect(statusTime(nowMs)).toBe('2026-01-01T00:00:01Z');
    expect(remainingMs(statusTime(nowMs), 10_000, nowMs)).toBe(10_000);
    expect(remainingMs(statusTime(nowMs), 10_000, nowMs + 10_000)).toBe(750);
    expect(remainingMs(statusTime(nowMs), 10_000, nowMs + 10_750)).toBe(0);
    expect(remainingMs(statusTime(nowMs), 10_000, nowMs - 3_600_000)).toBe(10_000);
  });
});
