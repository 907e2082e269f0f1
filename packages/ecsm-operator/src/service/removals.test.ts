/** Deletions in progress, as recorded in the status. */
import { expect, it } from 'vitest';
import { removalMs } from '../resource/model.ts';
import { dynamic, image, PlanHarness, rolling, spec } from './plan-harness.kit.ts';
import { withoutUnsent } from './removals.ts';

/** A rolling update of three whose last step has just asked for the deletion of the old service; it takes 20 s. */
function deleting(): PlanHarness {
  const harness = new PlanHarness(spec({ deploymentStrategy: dynamic(3), updateStrategy: rolling(1, 1) }));
  harness.settle();
  harness.edit({ template: image(2) });
  for (let round = 0; round < 3; round++) {
    harness.platform.advance(2_000);
    harness.reconcile();
  }
  harness.platform.named('worker').goneMs = harness.platform.nowMs + 20_000;
  harness.platform.advance(2_000);
  return harness;
}

const removed = (harness: PlanHarness) => harness.service.status?.removals?.map(({ id }) => id);

it('are in the status before the call, and until the service is deleted', () => {
  const harness = deleting();
  const { id } = harness.platform.named('worker');
  expect(removed(harness)).toEqual([id]);
  harness.reconcile();
  expect(removed(harness)).toEqual([id]);
  harness.platform.services.splice(0, 1);
  harness.reconcile();
  expect(removed(harness)).toBeUndefined();
});

it('make none of the instances count as ready', () => {
  const harness = deleting();
  expect(harness.platform.ready).toHaveLength(4);
  expect(harness.plan().status).toMatchObject({ replicas: 4, readyReplicas: 3 });
});

it('are kept when an undo makes the revision of the service the newest again', () => {
  const harness = deleting();
  harness.edit({ template: image(1) });
  for (let second = 0; second < 40; second++) {
    harness.reconcile();
    harness.platform.advance(1_000);
    const staying = harness.platform.services.filter(({ goneMs }) => goneMs === undefined);
    const ready = staying.flatMap(({ containers }) => containers).filter(({ status }) => status === 'running');
    expect(ready.length).toBeGreaterThanOrEqual(2);
  }
  harness.settle();
  expect(harness.platform.services).toHaveLength(1);
  expect(harness.condition('Progressing')?.reason).toBe('Complete');
});

it('that were not performed are dropped after a while, and the service counts again', () => {
  const harness = deleting();
  harness.platform.named('worker').goneMs = undefined;
  harness.edit({ template: image(1) });
  harness.reconcile();
  expect(removed(harness)).toHaveLength(1);
  harness.platform.advance(removalMs);
  harness.settle();
  expect(removed(harness)).toBeUndefined();
  expect(harness.platform.services.map(({ body }) => [body.name, body.factor])).toEqual([['worker', 3]]);
});

it('that were never sent are withdrawn; those of an earlier plan are not', () => {
  const status = { replicas: 1, readyReplicas: 1, updatedReplicas: 1, unavailableReplicas: 0 };
  const removal = (id: string) => ({ id, sinceTime: '2026-01-01T00:00:00Z' });
  const step = (id: string) => ({ do: 'delete', id, name: id, why: '' }) as const;
  const before = { ...status, removals: [removal('1')], conditions: [] };
  const planned = { ...status, removals: [removal('1'), removal('2'), removal('3')] };
  expect(withoutUnsent(planned, before, [step('1'), step('2')]).removals).toEqual([removal('1'), removal('3')]);
  expect(withoutUnsent({ ...status, removals: [removal('2')] }, undefined, [step('2')])).toEqual(status);
});
