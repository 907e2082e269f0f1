/** Goal: a plan follows what the placement allows, and says so. Method: a service on a model of the platform. */
import { describe, expect, it } from 'vitest';
import { allocationOfStatus } from './allocation.ts';
import { dynamic, fixed, image, nodes, PlanHarness, rolling, spec } from './plan-harness.kit.ts';

const hold = { by: 'default/high', allowed: 1 };

function running(strategy = dynamic(3)): PlanHarness {
  const harness = new PlanHarness(spec({ deploymentStrategy: strategy }));
  harness.settle();
  return harness;
}

const shown = (harness: PlanHarness, type: string) => {
  const found = harness.condition(type);
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
};

describe('a plan with an allocation', () => {
  it('shrinks to the allowed number and says who has the room', () => {
    const harness = running();
    harness.allocation = { placement: { allowed: 1, surge: 0, hold } };
    const events = harness.settle().flatMap((made) => made.events);
    expect(harness.platform.observe().map(({ factor }) => factor)).toEqual([1]);
    expect(harness.service.status).toMatchObject({
      replicas: 1,
      unavailableReplicas: 2,
      preempted: { by: 'default/high', replicas: 2 },
    });
    expect(shown(harness, 'Preempted')).toBe('True Preempted: 2 of 3 instances are held back for default/high');
    expect(events).toContainEqual({
      type: 'Warning',
      reason: 'Preempted',
      message: 'gave up 2 instances for default/high, which has a higher priority',
    });
  });

  it('compares readiness with what the user wants', () => {
    const harness = running();
    harness.allocation = { placement: { allowed: 1, surge: 0, hold } };
    harness.settle();
    expect(shown(harness, 'Available')).toBe('False NotEnoughReady: 1 of 3 instances are ready, 3 required');
    expect(harness.condition('Progressing')?.reason).toBe('Complete');
  });

  it('grows again when it is restored, also from no instance, with one event', () => {
    for (const allowed of [0, 1]) {
      const harness = running();
      harness.allocation = { placement: { allowed, surge: 0, hold: { by: 'default/high', allowed } } };
      harness.settle();
      expect(harness.service.status?.replicas).toBe(allowed);
      harness.allocation = { placement: { allowed: 3, surge: 0 } };
      const events = harness.settle().flatMap((made) => made.events);
      expect(harness.service.status).toMatchObject({ readyReplicas: 3 });
      expect(harness.service.status?.preempted).toBeUndefined();
      expect(shown(harness, 'Preempted')).toBe('False Restored: no instance is held back');
      expect(events.filter(({ reason }) => reason === 'Restored')).toHaveLength(1);
      expect(harness.condition('Available')?.status).toBe('True');
    }
  });

  it('gives up the instances of a static service on particular nodes', () => {
    const harness = running(fixed(3));
    const left = [nodes[0], nodes[2]];
    harness.allocation = { placement: { allowed: 2, surge: 0, nodeNames: left, hold: { ...hold, allowed: 2 } } };
    harness.settle();
    const on = harness.platform.observe().flatMap(({ instances }) => instances.map(({ nodeName }) => nodeName));
    expect(on.sort()).toEqual(left);
    harness.allocation = { placement: { allowed: 0, surge: 0, nodeNames: [], hold: { ...hold, allowed: 0 } } };
    harness.settle();
    expect(harness.service.status).toMatchObject({ replicas: 0, preempted: { replicas: 3 } });
  });

  it('creates nothing for a service without room, and says why when that lasts', () => {
    const harness = new PlanHarness(spec({ deploymentStrategy: dynamic(2) }));
    const unschedulable = 'needs 512Mi on n1: free 64Mi; 0 of 2 instances fit';
    harness.allocation = { placement: { allowed: 0, surge: 0, unschedulable } };
    const first = harness.reconcile();
    expect(first.steps).toEqual([]);
    expect(first.events).toEqual([{ type: 'Warning', reason: 'Unschedulable', message: unschedulable }]);
    expect(shown(harness, 'Unschedulable')).toBe(`True Unschedulable: ${unschedulable}`);
    expect(harness.condition('Progressing')?.reason).toBe('Creating');
    expect(harness.service.status?.currentRevision).toBeUndefined();
    harness.platform.advance(3_600_000);
    expect(harness.reconcile().events.map(({ reason }) => reason)).toEqual(['ProgressDeadlineExceeded']);
    expect(harness.condition('Progressing')?.message).toContain(unschedulable);
    harness.allocation = { placement: { allowed: 2, surge: 0 } };
    harness.settle();
    expect(shown(harness, 'Unschedulable')).toBe('False Schedulable: all instances fit');
    expect(harness.service.status?.readyReplicas).toBe(2);
  });

  it('reports once that others are being deleted for it', () => {
    const harness = running(dynamic(1));
    const waiting = 'waits for the deletion of 1 of default/low; 1 of 2 instances fit';
    harness.edit({ deploymentStrategy: dynamic(2) });
    harness.allocation = {
      placement: { allowed: 1, surge: 0, waiting, victims: [{ name: 'default/low', replicas: 1 }] },
    };
    expect(harness.reconcile().events).toContainEqual({ type: 'Normal', reason: 'Preempting', message: waiting });
    expect(harness.reconcile().events).toEqual([]);
  });

  it('uses no more further instances in an update than there is room for', () => {
    const harness = running(dynamic(2));
    harness.edit({ template: image(2), updateStrategy: rolling(2, 1) });
    harness.allocation = { placement: { allowed: 2, surge: 0 } };
    let most = 0;
    for (let round = 0; round < 60; round++) {
      harness.reconcile();
      harness.platform.advance(2_000);
      most = Math.max(
        most,
        harness.platform.services.reduce((sum, { containers }) => sum + containers.length, 0),
      );
    }
    expect(most).toBe(2);
    expect(harness.condition('Progressing')?.reason).toBe('Complete');
  });

  it('says why a priority class has no effect, until it has', () => {
    const harness = running(dynamic(1));
    harness.allocation = {
      note: { reason: 'UnknownPriorityClass', message: 'no PriorityClass "x": the priority is 0' },
    };
    harness.settle();
    expect(shown(harness, 'Preempted')).toBe('False UnknownPriorityClass: no PriorityClass "x": the priority is 0');
    harness.allocation = {};
    harness.settle();
    expect(shown(harness, 'Preempted')).toBe('False AsExpected: no instance is held back');
  });

  it('continues a hold of the status if nothing else is known', () => {
    const harness = running(fixed(3));
    const left = [nodes[0], nodes[2]];
    harness.allocation = { placement: { allowed: 2, surge: 0, nodeNames: left, hold: { ...hold, allowed: 2 } } };
    harness.settle();
    const again = allocationOfStatus(harness.service, harness.platform.observe());
    expect(again?.placement).toMatchObject({ allowed: 2, nodeNames: left });
    if (again) harness.allocation = again;
    expect(harness.plan().steps).toEqual([]);
  });

  it('ends a hold when priorities are no longer used', () => {
    const harness = running();
    harness.allocation = { placement: { allowed: 1, surge: 0, hold } };
    harness.settle();
    harness.allocation = undefined;
    harness.settle();
    expect(harness.service.status).toMatchObject({ readyReplicas: 3 });
    expect(harness.condition('Preempted')?.status).toBe('False');
  });
});
