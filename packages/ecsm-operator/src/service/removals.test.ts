/** Deletions that are under way, as an operator knows them that has only the status to remember by. */
import { expect, it } from 'vitest';
import { removalMs } from '../resource/model.ts';
import { Desk, dynamic, image, rolling, spec } from './desk.kit.ts';
import { withoutUnsent } from './removals.ts';

/** A rolling update of three whose last step has just asked for the deletion of the old service; it takes 20 s. */
function deleting(): Desk {
  const desk = new Desk(spec({ deploymentStrategy: dynamic(3), updateStrategy: rolling(1, 1) }));
  desk.settle();
  desk.edit({ template: image(2) });
  for (let round = 0; round < 3; round++) {
    desk.world.advance(2_000);
    desk.reconcile();
  }
  desk.world.named('worker').goneMs = desk.world.nowMs + 20_000;
  desk.world.advance(2_000);
  return desk;
}

const removed = (desk: Desk) => desk.service.status?.removals?.map(({ id }) => id);

it('are in the status before the call, and until the service is gone', () => {
  const desk = deleting();
  const { id } = desk.world.named('worker');
  expect(removed(desk)).toEqual([id]);
  desk.reconcile();
  expect(removed(desk)).toEqual([id]);
  desk.world.services.splice(0, 1);
  desk.reconcile();
  expect(removed(desk)).toBeUndefined();
});

it('make none of the instances count as ready', () => {
  const desk = deleting();
  expect(desk.world.ready).toHaveLength(4);
  expect(desk.plan().status).toMatchObject({ replicas: 4, readyReplicas: 3 });
});

it('are kept in mind when an undo makes the revision of the service the newest again', () => {
  const desk = deleting();
  desk.edit({ template: image(1) });
  for (let second = 0; second < 40; second++) {
    desk.reconcile();
    desk.world.advance(1_000);
    const staying = desk.world.services.filter(({ goneMs }) => goneMs === undefined);
    const ready = staying.flatMap(({ containers }) => containers).filter(({ status }) => status === 'running');
    expect(ready.length).toBeGreaterThanOrEqual(2);
  }
  desk.settle();
  expect(desk.world.services).toHaveLength(1);
  expect(desk.condition('Progressing')?.reason).toBe('Complete');
});

it('that did not happen are forgotten after a while, and the service counts again', () => {
  const desk = deleting();
  desk.world.named('worker').goneMs = undefined;
  desk.edit({ template: image(1) });
  desk.reconcile();
  expect(removed(desk)).toHaveLength(1);
  desk.world.advance(removalMs);
  desk.settle();
  expect(removed(desk)).toBeUndefined();
  expect(desk.world.services.map(({ body }) => [body.name, body.factor])).toEqual([['worker', 3]]);
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
