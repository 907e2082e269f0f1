/** What a pass over a service does with what it has found, and what it says about its steps. */
import type { Decision, Ended } from '@ecsm/runtime';
import { findCondition } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import type { ECSMService, ServiceStatus } from '../apis/ecsm-service.ts';
import { platformFinalizer } from '../apis/well-known.ts';
import { decideService, isInProgress, reportService, type ServiceFacts, type ServiceStep } from './decide.ts';
import { dynamic, image, PlanHarness, rolling, spec } from './plan-harness.kit.ts';

type ServiceDecision = Decision<ServiceStatus, ServiceStep>;

const requeueMs = 16_000;
const retryMs = 40_000;
const error = new Error('not now');

function observed(
  harness: PlanHarness,
  changes: Partial<Extract<ServiceFacts, { is: 'observed' }>> = {},
): ServiceFacts {
  const common = { isAssumed: false, isOnlyRevision: false, beingDeleted: new Set<string>(), requeueMs, retryMs };
  return { is: 'observed', input: harness.input(), ...common, ...changes };
}

function leaving(harness: PlanHarness, lateCreationMs = 0): ServiceFacts {
  return { is: 'leaving', input: harness.input(), lateCreationMs, beingDeleted: new Set(), requeueMs, retryMs };
}

const decided = (harness: PlanHarness, facts: ServiceFacts): ServiceDecision =>
  decideService(harness.service, facts, harness.platform.nowMs);

/** The object as the loop stores it before the first step. */
function stored({ service }: PlanHarness, { status }: ServiceDecision): ECSMService {
  return { ...service, ...(status && { status }) };
}

function settled(input = spec()): PlanHarness {
  const harness = new PlanHarness(input);
  harness.settle();
  return harness;
}

function deleted(harness: PlanHarness): PlanHarness {
  const { metadata } = harness.service;
  const deletion = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [platformFinalizer] };
  harness.service = { ...harness.service, metadata: { ...metadata, ...deletion } };
  return harness;
}

const nothingRead: readonly ServiceFacts[] = [
  { is: 'unreachable', isLong: false },
  { is: 'unreachable', isLong: true },
  { is: 'stale', error, retryMs },
  { is: 'unanswered', error, retryMs },
  { is: 'refused', error, retryMs },
];

describe('without a current observation', () => {
  it.each(nothingRead)('nothing is sent, and a deleted object is not released: $is', (facts) => {
    const { steps = [], hold = true, requeueAfterMs } = decided(deleted(settled()), facts);
    expect({ steps, hold }).toEqual({ steps: [], hold: true });
    expect(requeueAfterMs).toBeGreaterThan(0);
  });

  it.each(nothingRead)('a new object gets its finalizer only together with a status: $is', (facts) => {
    const { status, hold = true } = decided(new PlanHarness(), facts);
    expect(hold).toBe(status !== undefined);
  });

  it('the status says that the platform cannot be reached only after a while', () => {
    const reached = (facts: ServiceFacts) =>
      findCondition(decided(settled(), facts).status?.conditions, 'PlatformReachable')?.status;
    expect(reached({ is: 'unreachable', isLong: false })).toBeUndefined();
    expect(reached({ is: 'unreachable', isLong: true })).toBe('False');
    expect(reached({ is: 'resting' })).toBe('True');
  });

  it('a refused read is named, and is the only one that is', () => {
    for (const facts of nothingRead) {
      const { status, events = [] } = decided(settled(), facts);
      const isRefused = facts.is === 'refused';
      expect(events.map(({ reason }) => reason)).toEqual(isRefused ? ['PlatformRefused'] : []);
      expect(findCondition(status?.conditions, 'Degraded')?.reason).toBe(isRefused ? 'PlatformRefused' : 'AsExpected');
    }
  });
});

describe('the status', () => {
  it('is not written for restarts alone, which a sweep finds late', () => {
    const harness = settled();
    harness.service = stored(harness, decided(harness, observed(harness)));
    const { status = expect.fail() } = harness.service;
    const [first = expect.fail(), ...rest] = status.instances ?? [];
    const having = (one: typeof first) => ({ ...harness.service, status: { ...status, instances: [one, ...rest] } });
    harness.service = having({ ...first, restarts: first.restarts + 1 });
    expect(decided(harness, observed(harness)).status).toBe(harness.service.status);
    harness.service = having({ ...first, state: 'Stopped' });
    expect(decided(harness, observed(harness)).status).toEqual(status);
  });
});

describe('steps', () => {
  it('have their events, and the other events are those of the decision', () => {
    const { steps = [], events } = decided(new PlanHarness(), observed(new PlanHarness()));
    expect(steps).toMatchObject([{ do: 'create', event: { reason: 'Created' } }]);
    expect(events).toEqual([]);
  });

  it('do not repeat a deletion that is in progress', () => {
    const harness = deleted(settled());
    const { id } = harness.platform.named('worker');
    const facts = leaving(harness);
    expect(decided(harness, facts).steps).toMatchObject([{ do: 'delete', id, event: { reason: 'Removed' } }]);
    const again = decided(harness, { ...facts, beingDeleted: new Set([id]) } as ServiceFacts);
    expect(again).toMatchObject({ steps: [], events: [], requeueAfterMs: requeueMs });
    expect(again.hold).not.toBe(false);
    expect(isInProgress(again, facts)).toBe(true);
  });

  it('are awaited by the poller, unless a wait of the plan ends before', () => {
    const harness = new PlanHarness();
    const facts = observed(harness);
    expect(decided(harness, facts).requeueAfterMs).toBe(requeueMs);
    expect(isInProgress(decided(harness, facts), facts)).toBe(true);
    const atRest = settled();
    expect(decided(atRest, observed(atRest)).requeueAfterMs).toBeUndefined();
    expect(isInProgress(decided(atRest, observed(atRest)), observed(atRest))).toBe(false);
  });
});

describe('the revision', () => {
  it('is recorded with the status; others are deleted only when nothing is left to do', () => {
    const harness = new PlanHarness();
    expect(decided(harness, observed(harness)).records).toEqual([{ do: 'record revision' }]);
    const atRest = settled();
    const inUse = new Set([atRest.revision.hash]);
    expect(decided(atRest, observed(atRest)).records).toEqual([{ do: 'record revision', inUse }]);
    expect(decided(atRest, observed(atRest, { isOnlyRevision: true })).records).toEqual([]);
  });
});

describe('a deleted object', () => {
  it('is released when nothing is left on the platform and nothing can appear late', () => {
    const harness = deleted(settled());
    expect(decided(harness, leaving(harness)).hold).not.toBe(false);
    harness.platform.services.splice(0);
    expect(decided(harness, leaving(harness, 3_000))).toEqual({
      status: harness.service.status,
      requeueAfterMs: 3_000,
    });
    expect(decided(harness, leaving(harness)).hold).toBe(false);
  });

  it('that is orphaned is released at once', () => {
    const { steps = [], hold } = decided(deleted(settled()), { is: 'orphaned' });
    expect({ steps, hold }).toEqual({ steps: [], hold: false });
  });
});

describe('a report', () => {
  /** A rolling update that is about to delete the old service, and what happened to that step. */
  function reported(is: Ended<ServiceStatus, ServiceStep, ServiceFacts>['is'], refusal?: ServiceStatus['refusal']) {
    const harness = new PlanHarness(spec({ deploymentStrategy: dynamic(3), updateStrategy: rolling(1, 1) }));
    harness.settle();
    harness.edit({ template: image(2) });
    let facts = observed(harness);
    let decision = decided(harness, facts);
    const indexOfDeletion = () => (decision.steps ?? []).findIndex((one) => one.do === 'delete');
    for (let round = 0; round < 20 && indexOfDeletion() < 0; round++) {
      harness.reconcile();
      harness.platform.advance(2_000);
      facts = observed(harness);
      decision = decided(harness, facts);
    }
    const { status = expect.fail(), steps = [] } = decision;
    const before = steps.slice(0, indexOfDeletion());
    const step = steps[before.length] ?? expect.fail();
    expect(status.removals).toHaveLength(1);
    const service = { ...harness.service, status: { ...status, ...(refusal && { refusal }) } };
    const outcome =
      is === 'done' ? { done: steps, message: '' } : { done: before, step, message: '"no" (code 7)', code: 7 };
    return reportService(service, { is, facts, decision, ...outcome }, harness.platform.nowMs);
  }

  it('about a refusal names it, withdraws the deletion that was not started, and waits', () => {
    const { status, events, requeueAfterMs } = reported('refused') ?? expect.fail();
    expect(status?.removals).toBeUndefined();
    expect(status?.refusal).toMatchObject({
      code: 7,
      message: expect.stringMatching(/^the platform refused to delete/u),
    });
    expect(findCondition(status?.conditions, 'Degraded')).toMatchObject({ status: 'True', reason: 'PlatformRefused' });
    expect(events).toMatchObject([{ type: 'Warning', reason: 'PlatformRefused', message: status?.refusal?.message }]);
    expect(requeueAfterMs).toBe(retryMs);
  });

  it('about a step without an answer keeps the deletion, which may have started', () => {
    const { status, events, requeueAfterMs } = reported('unknown') ?? expect.fail();
    expect(status?.removals).toHaveLength(1);
    expect(events).toBeUndefined();
    expect(requeueAfterMs).toBe(2_000);
  });

  it('about a step that was accepted ends a refusal, and says nothing without one', () => {
    expect(reported('done')).toBeUndefined();
    const { status } = reported('done', { message: 'no', observedGeneration: 2 }) ?? expect.fail();
    expect(status?.refusal).toBeUndefined();
    expect(findCondition(status?.conditions, 'Degraded')).toMatchObject({ status: 'False', reason: 'AsExpected' });
  });

  it('about an invalid spec is none: what is on the platform keeps running', () => {
    expect(reportService(settled().service, { is: 'invalid', errors: [] }, 0)).toBeUndefined();
  });
});
