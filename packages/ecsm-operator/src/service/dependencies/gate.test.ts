/**
 * Goal: a service starts only after its dependencies, goes on without them, and stops only if it is told to. Method: plans
 * on the model of a platform, with other services whose state is set by hand.
 */

import { timestampAt } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { dynamic, fixed, image, PlanHarness, rolling, type SpecInput, spec } from '../plan-harness.kit.ts';

const preempted = { by: 'default/camera', replicas: 1 };
const gone = { isReportedAvailable: false, readyCount: 0, existingCount: 0 };

function needing(...dependsOn: NonNullable<SpecInput['dependsOn']>) {
  return (changes: Partial<SpecInput> = {}) => new PlanHarness(spec({ dependsOn, ...changes }));
}

const needsBus = needing({ name: 'bus' });
const stopsWithBus = needing({ name: 'bus', onLost: 'Stop' });

/** `False DependencyMissing: default/bus does not exist` */
function readiness(harness: PlanHarness, type = 'DependenciesReady'): string {
  const found = harness.condition(type);
  return found === undefined ? 'none' : `${found.status} ${found.reason}: ${found.message}`;
}

const reasons = ({ events }: { readonly events: readonly { readonly reason: string }[] }) =>
  events.map(({ reason }) => reason);

describe('a service that does not run', () => {
  it('is created after its dependency is available, and waits without requeueing', () => {
    const harness = needsBus();
    expect(harness.reconcile()).toMatchObject({ steps: [] });
    expect(harness.plan().requeueAfterMs).toBeUndefined();
    expect(readiness(harness)).toBe('False DependencyMissing: default/bus does not exist');
    expect(readiness(harness, 'Available')).toBe('False DependencyMissing: default/bus does not exist');
    harness.other('bus', gone);
    harness.reconcile();
    expect(harness.platform.services).toEqual([]);
    expect(readiness(harness)).toBe('False DependencyWaiting: default/bus is not available');
    harness.other('bus');
    harness.settle();
    expect(harness.platform.ready).toHaveLength(2);
    expect(readiness(harness)).toBe('True DependenciesMet: met: default/bus');
    expect(harness.service.status).toMatchObject({ dependencies: [{ name: 'default/bus', state: 'Met' }] });
  });

  it('needs all of its dependencies, each with its own condition', () => {
    const harness = needing({ name: 'bus' }, { name: 'clock', namespace: 'default', condition: 'Exists' })();
    harness.other('bus');
    harness.reconcile();
    expect(readiness(harness)).toBe('False DependencyMissing: default/clock does not exist');
    harness.other('clock', { isReportedAvailable: false, readyCount: 0 });
    harness.settle();
    expect(harness.platform.ready).toHaveLength(2);
  });

  it('is not complete, not overdue and not available while it waits', () => {
    const harness = needsBus();
    for (let hour = 0; hour < 3; hour++) {
      harness.reconcile();
      harness.platform.advance(3_600_000);
    }
    expect(harness.service.status).toMatchObject({ unavailableReplicas: 2 });
    expect(harness.service.status?.currentRevision).toBeUndefined();
    expect(readiness(harness, 'Progressing')).toBe('Unknown DependencyMissing: default/bus does not exist');
    harness.other('bus');
    harness.reconcile();
    // The deadline of the rollout starts with the end of the wait.
    expect(harness.condition('Progressing')).toMatchObject({ status: 'True', reason: 'Creating' });
  });

  it('records an event for each change, and none if nothing was ever missing', () => {
    const harness = needsBus();
    expect(reasons(harness.reconcile())).toEqual(['DependencyMissing']);
    expect(reasons(harness.reconcile())).toEqual([]);
    harness.other('bus', gone);
    expect(reasons(harness.reconcile())).toEqual(['DependencyWaiting']);
    harness.other('bus');
    expect(reasons(harness.reconcile())).toEqual(['Created', 'DependenciesMet']);
    const other = needsBus();
    other.other('bus');
    expect(reasons(other.reconcile())).toEqual(['Created']);
  });

  it('waits also when it is scaled from 0, or recreated', () => {
    const harness = needsBus();
    harness.other('bus');
    harness.settle();
    harness.edit({ deploymentStrategy: dynamic(0) });
    harness.settle();
    harness.other('bus', gone);
    harness.edit({ deploymentStrategy: dynamic(2) });
    harness.settle();
    expect(harness.platform.containers).toEqual([]);
    harness.other('bus');
    harness.settle();
    expect(harness.platform.ready).toHaveLength(2);
    harness.other('bus', gone);
    harness.platform.services.length = 0;
    harness.settle();
    expect(harness.platform.services).toEqual([]);
    expect(readiness(harness)).toBe('False DependencyLost: default/bus is not available');
  });

  it('does not start while its dependency is preempted', () => {
    const harness = needsBus();
    harness.other('bus', { ...gone, preempted });
    harness.settle();
    expect(harness.platform.services).toEqual([]);
    expect(readiness(harness)).toBe('False DependencyWaiting: default/bus is preempted');
  });
});

describe('a running service', () => {
  const running = (create: ReturnType<typeof needing>, changes: Partial<SpecInput> = {}) => {
    const harness = create(changes);
    harness.other('bus');
    harness.settle();
    return harness;
  };

  it('is not changed by the loss of a dependency, and says so', () => {
    const harness = running(needsBus);
    harness.other('bus', null);
    const made = harness.reconcile();
    expect(made).toMatchObject({ steps: [] });
    expect(reasons(made)).toEqual(['DependencyLost']);
    expect(readiness(harness)).toBe('False DependencyLost: default/bus does not exist');
    expect(readiness(harness, 'Available')).toMatch(/^True EnoughReady/);
    harness.other('bus');
    expect(reasons(harness.reconcile())).toEqual(['DependenciesMet']);
  });

  it('is rolled out, scaled and healed without its dependency', () => {
    const harness = running(needsBus, { updateStrategy: rolling() });
    harness.other('bus', null);
    harness.edit({ template: image(2), deploymentStrategy: dynamic(3) });
    harness.settle();
    expect(harness.platform.ready).toHaveLength(3);
    expect(harness.condition('Progressing')?.reason).toBe('Complete');
  });

  it('with onLost Stop is scaled to 0 until the dependency is met again', () => {
    const harness = running(stopsWithBus);
    harness.other('bus', gone);
    harness.settle();
    expect(harness.platform.containers).toEqual([]);
    expect(readiness(harness, 'Available')).toBe('False DependencyLost: default/bus is not available');
    expect(harness.plan()).toMatchObject({ steps: [] });
    harness.other('bus');
    harness.settle();
    expect(harness.platform.ready).toHaveLength(2);
  });

  it('with onLost Stop is not stopped by a deletion before those that are deleted together are marked', () => {
    const harness = running(stopsWithBus);
    const bus = { isBeingDeleted: true, deletionTime: timestampAt(harness.platform.nowMs) };
    harness.other('bus', bus);
    const made = harness.reconcile();
    expect(made).toMatchObject({ steps: [], events: [] });
    expect(readiness(harness)).toBe('True DependenciesMet: met: default/bus');
    // It is marked, and the plan is of an older version of it.
    harness.other('worker', bus);
    harness.platform.advance(600_000);
    expect(harness.plan()).toMatchObject({ steps: [], events: [] });
    harness.other('worker');
    harness.settle();
    expect(harness.platform.containers).toEqual([]);
    expect(readiness(harness)).toBe('False DependencyLost: default/bus is being deleted');
  });

  it('with onLost Stop is stopped by a deletion without another change', () => {
    const harness = running(stopsWithBus);
    harness.other('bus', { isBeingDeleted: true, deletionTime: timestampAt(harness.platform.nowMs) });
    harness.settle();
    expect(harness.platform.containers).toEqual([]);
  });

  it('with onLost Stop and one instance on each node is deleted from the platform and recreated', () => {
    const harness = running(stopsWithBus, { deploymentStrategy: fixed(3) });
    harness.other('bus', gone);
    harness.settle();
    expect(harness.platform.services).toEqual([]);
    harness.other('bus');
    harness.settle();
    expect(harness.platform.ready).toHaveLength(3);
  });

  it('with onLost Stop stops in the middle of a rollout too', () => {
    const harness = running(stopsWithBus, { updateStrategy: rolling() });
    harness.edit({ template: image(2) });
    harness.reconcile();
    harness.other('bus', gone);
    harness.settle();
    expect(harness.platform.containers).toEqual([]);
    harness.other('bus');
    harness.settle();
    expect(harness.platform.ready).toHaveLength(2);
  });

  it('with onLost Stop keeps running while its dependency is preempted, and stops if it is lost then', () => {
    const harness = running(stopsWithBus);
    harness.other('bus', { ...gone, preempted });
    harness.settle();
    expect(harness.platform.ready).toHaveLength(2);
    expect(readiness(harness)).toMatch(/^True/);
    harness.other('bus', gone);
    harness.settle();
    expect(harness.platform.containers).toEqual([]);
  });

  it('with onLost Stop keeps running while an instance of its dependency is ready, as after an increase of its replicas', () => {
    const harness = running(stopsWithBus);
    harness.other('bus', { isReportedAvailable: false, existingCount: 8 });
    harness.settle();
    expect(harness.platform.ready).toHaveLength(2);
    expect(readiness(harness)).toMatch(/^True/);
    harness.platform.services.length = 0;
    harness.settle();
    expect(harness.platform.services).toEqual([]);
    expect(readiness(harness)).toBe('False DependencyWaiting: default/bus is not available');
  });

  it('with onLost Stop is not stopped by a dependency that was never met', () => {
    const harness = new PlanHarness();
    harness.settle();
    harness.edit({ dependsOn: [{ name: 'buss', onLost: 'Stop' }] });
    harness.settle();
    expect(harness.platform.ready).toHaveLength(2);
    expect(readiness(harness)).toBe('False DependencyMissing: default/buss does not exist');
    harness.edit({ dependsOn: [] });
    harness.settle();
    expect(readiness(harness)).toBe('True DependenciesMet: no dependencies');
  });
});

describe('a service in a cycle', () => {
  const edge = { condition: 'Available', onLost: 'Ignore' } as const;
  const cycle = { dependsOn: [{ ...edge, key: 'ecsm.sh/v1/ecsmservices/default/worker' }] };
  const path = 'default/worker -> default/bus -> default/worker';

  it('is not started, although its dependency is met', () => {
    const harness = needsBus();
    harness.other('bus', cycle);
    const made = harness.reconcile();
    harness.settle();
    expect(harness.platform.services).toEqual([]);
    expect(readiness(harness)).toBe(`False DependencyCycle: ${path}: it is not started`);
    expect(reasons(made)).toEqual(['DependencyCycle']);
    harness.other('bus');
    harness.settle();
    expect(harness.platform.ready).toHaveLength(2);
  });

  it('keeps running, with onLost Stop too', () => {
    const harness = stopsWithBus();
    harness.other('bus');
    harness.settle();
    harness.other('bus', { ...cycle, ...gone });
    harness.settle();
    expect(harness.platform.ready).toHaveLength(2);
    expect(readiness(harness)).toBe(`False DependencyCycle: ${path}: it keeps running`);
  });
});
