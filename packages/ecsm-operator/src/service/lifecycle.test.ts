/** Made, changed in place, put right, emptied, adopted: one platform service and its life. */
import { describe, expect, it } from 'vitest';
import { planCleanup } from './cleanup.ts';
import { Desk, dynamic, fixed, image, rolling, spec } from './desk.kit.ts';
import type { Plan, Step } from './model.ts';

const kinds = ({ steps }: Plan): string[] => steps.map((step) => step.do);
const reasonsOf = ({ events }: Plan): string[] => events.map(({ reason }) => reason);

function onlyUpdate(plan: Plan): Extract<Step, { do: 'update' }> {
  const [step, ...more] = plan.steps;
  if (step?.do !== 'update' || more.length > 0) throw new Error(`not one update: ${JSON.stringify(plan.steps)}`);
  return step;
}

function settled(...[input, options]: ConstructorParameters<typeof Desk>): Desk {
  const desk = new Desk(input, options);
  desk.settle();
  return desk;
}

describe('a new service', () => {
  it('is made under its own name, with the mark of its owner', () => {
    const desk = new Desk();
    const plan = desk.reconcile();
    expect(kinds(plan)).toEqual(['create']);
    const [made] = desk.world.observe();
    expect(made?.name).toBe('worker');
    expect(made?.mark).toEqual({
      registry: 'registry-1',
      namespace: 'default',
      name: 'worker',
      uid: 'uid-1',
      revision: desk.revision.hash,
    });
  });

  it('says so when all of it runs, and then rests', () => {
    const desk = settled();
    expect(desk.service.status).toMatchObject({
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 2,
      updatedReplicas: 2,
      unavailableReplicas: 0,
      platformName: 'worker',
      currentRevision: desk.revision.hash,
      updateRevision: desk.revision.hash,
    });
    expect(desk.condition('Available')).toMatchObject({ status: 'True', reason: 'EnoughReady' });
    expect(desk.condition('Progressing')).toMatchObject({ status: 'True', reason: 'Complete' });
    expect(desk.condition('Degraded')).toMatchObject({ status: 'False', reason: 'AsExpected' });
    expect(desk.plan()).toMatchObject({ steps: [], events: [] });
    expect(desk.plan().requeueAfterMs).toBeUndefined();
  });

  it('is not complete before its instances are ready', () => {
    const desk = new Desk(spec(), { startMsMax: 60_000 });
    desk.reconcile();
    desk.reconcile();
    expect(desk.service.status).toMatchObject({ replicas: 2, readyReplicas: 0 });
    expect(desk.service.status?.currentRevision).toBeUndefined();
    expect(desk.condition('Progressing')).toMatchObject({ status: 'True', reason: 'Creating' });
    expect(desk.condition('Available')).toMatchObject({ status: 'False', reason: 'NotEnoughReady' });
  });

  it('is not available without a ready instance, however many may be unavailable', () => {
    const desk = settled(spec({ deploymentStrategy: dynamic(1), updateStrategy: rolling(1, 1) }));
    for (const one of desk.world.containers) desk.world.crash(one, undefined);
    desk.reconcile();
    expect(desk.condition('Available')).toMatchObject({ status: 'False', reason: 'NotEnoughReady' });
  });

  it('is made again when somebody removed it', () => {
    const desk = settled();
    desk.world.services.pop();
    expect(kinds(desk.reconcile())).toEqual(['create']);
    desk.settle();
    expect(desk.world.ready).toHaveLength(2);
  });

  it('is not made while paused, but made again as it was', () => {
    const desk = new Desk(spec({ paused: true }));
    expect(desk.reconcile().steps).toEqual([]);
    expect(desk.condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'Paused' });
    desk.edit({ paused: false });
    desk.settle();
    desk.edit({ paused: true, template: image(2) });
    desk.world.services.pop();
    desk.reconcile();
    expect(desk.world.named('worker').body.image.ref).toBe('worker@1.0.0#sylixos');
  });
});

describe('an update in place', () => {
  it('is one full update under the same name', () => {
    const desk = settled();
    desk.edit({ template: image(2), deploymentStrategy: dynamic(3) });
    const plan = desk.reconcile();
    const { body, why } = onlyUpdate(plan);
    expect(body).toMatchObject({ name: 'worker', factor: 3, image: { ref: 'worker@2.0.0#sylixos' } });
    expect(why).toContain('worker@1.0.0#sylixos → worker@2.0.0#sylixos');
    expect(reasonsOf(plan)).toEqual(['Updated']);
    desk.settle();
    expect(desk.service.status?.currentRevision).toBe(desk.revision.hash);
  });

  it('happens for a restart, too', () => {
    const desk = settled();
    const before = desk.revision.hash;
    desk.annotate({ 'ecsm.sh/restartedAt': '2026-01-02T00:00:00Z' });
    expect(desk.revision.hash).not.toBe(before);
    onlyUpdate(desk.reconcile());
    desk.settle();
    expect(desk.service.status?.currentRevision).toBe(desk.revision.hash);
  });

  it('waits while paused; scaling does not', () => {
    const desk = settled();
    const { hash } = desk.revision;
    desk.edit({ template: image(2), paused: true });
    const waiting = desk.reconcile();
    expect(waiting.steps).toEqual([]);
    expect(waiting.requeueAfterMs).toBeUndefined();
    expect(desk.condition('Progressing')?.message).toContain('waits');
    desk.edit({ deploymentStrategy: dynamic(4) });
    const { body } = onlyUpdate(desk.reconcile());
    expect(body).toMatchObject({ factor: 4, image: { ref: 'worker@1.0.0#sylixos' } });
    desk.settle();
    expect(desk.service.status).toMatchObject({ currentRevision: hash, readyReplicas: 4 });
    desk.edit({ paused: false });
    desk.settle();
    expect(desk.world.named('worker').body.image.ref).toBe('worker@2.0.0#sylixos');
  });

  it('that only scales keeps the image to which the platform was allowed to upgrade', () => {
    const desk = settled(spec({ upgradeStrategy: { type: 'Larger' } }));
    const [upgraded] = desk.world.services;
    if (upgraded === undefined) throw new Error('there is no service');
    const { body } = upgraded;
    upgraded.body = { ...body, image: { ...body.image, ref: 'worker@1.4.0#sylixos' } };
    expect(desk.plan().steps).toEqual([]);
    desk.edit({ deploymentStrategy: dynamic(4) });
    expect(onlyUpdate(desk.plan()).body).toMatchObject({ factor: 4, image: { ref: 'worker@1.4.0#sylixos' } });
    desk.edit({ template: image(2) });
    expect(onlyUpdate(desk.plan()).body.image.ref).toBe('worker@2.0.0#sylixos');
  });

  it('scales while paused even if nobody knows the revision any more', () => {
    const desk = settled();
    desk.edit({ template: image(2), paused: true, deploymentStrategy: dynamic(4) });
    desk.revisions.clear();
    const { body } = onlyUpdate(desk.reconcile());
    expect(body).toMatchObject({ factor: 4, image: { ref: 'worker@1.0.0#sylixos' } });
  });

  it('takes over what an earlier service of that name left behind', () => {
    const desk = settled();
    desk.service = { ...desk.service, metadata: { ...desk.service.metadata, uid: 'uid-2' } };
    onlyUpdate(desk.reconcile());
    expect(desk.world.observe()[0]?.mark?.uid).toBe('uid-2');
  });
});

describe('drift', () => {
  it('is put right at once', () => {
    const desk = settled();
    const service = desk.world.named('worker');
    service.body = { ...service.body, image: { ...service.body.image, ref: 'worker@0.9.0#sylixos' } };
    const plan = desk.reconcile();
    expect(onlyUpdate(plan).why).toContain('worker@0.9.0#sylixos → worker@1.0.0#sylixos');
    expect(reasonsOf(plan)).toEqual(['Corrected']);
    desk.settle();
    expect(service.body.image.ref).toBe('worker@1.0.0#sylixos');
  });

  it('that comes back is not fought at full speed, and is said', () => {
    const desk = settled();
    const undo = () => {
      const service = desk.world.named('worker');
      service.body = { ...service.body, image: { ...service.body.image, pullPolicy: 'Never' } };
    };
    const endMs = desk.world.nowMs + 3_600_000;
    let updates = 0;
    while (desk.world.nowMs < endMs) {
      undo();
      const { steps, requeueAfterMs } = desk.reconcile();
      updates += steps.length;
      undo();
      desk.world.advance(requeueAfterMs ?? 15_000);
    }
    expect(updates).toBeGreaterThan(5);
    expect(updates).toBeLessThan(20);
    expect(desk.condition('Degraded')).toMatchObject({ status: 'True', reason: 'NotKept' });
    expect(desk.condition('Degraded')?.message).toContain('pullPolicy');
  });

  it('is forgotten when somebody changes the spec', () => {
    const desk = settled();
    const spoil = () => {
      desk.world.named('worker').body = { ...desk.world.named('worker').body, factor: 9 };
    };
    for (let round = 0; round < 8; round++) {
      spoil();
      desk.world.advance(desk.reconcile().requeueAfterMs ?? 0);
    }
    spoil();
    desk.world.advance(1);
    expect(desk.reconcile().steps).toEqual([]);
    desk.edit({ deploymentStrategy: dynamic(3) });
    expect(onlyUpdate(desk.reconcile()).body.factor).toBe(3);
  });
});

describe('no instances', () => {
  it.each([{ refusesZero: false }, { refusesZero: true }])('are reached and kept: %o', (options) => {
    const desk = settled(spec(), options);
    desk.edit({ deploymentStrategy: dynamic(0) });
    desk.settle();
    expect(desk.world.containers).toEqual([]);
    expect(desk.world.services).toHaveLength(options.refusesZero ? 0 : 1);
    expect(desk.plan().steps).toEqual([]);
    expect(desk.condition('Available')).toMatchObject({ status: 'True', reason: 'ScaledToZero' });
    desk.edit({ deploymentStrategy: dynamic(2) });
    desk.settle();
    expect(desk.world.ready).toHaveLength(2);
    expect(desk.world.services).toHaveLength(1);
  });

  it('need no service on the platform to begin with', () => {
    const desk = settled(spec({ deploymentStrategy: dynamic(0) }));
    expect(desk.world.services).toEqual([]);
    expect(desk.condition('Progressing')?.reason).toBe('Complete');
  });

  it('end a rolling update half-way', () => {
    const desk = settled(spec({ deploymentStrategy: dynamic(4), updateStrategy: rolling() }));
    desk.edit({ template: image(2) });
    desk.reconcile();
    expect(desk.world.services).toHaveLength(2);
    desk.edit({ deploymentStrategy: dynamic(0) });
    desk.settle();
    expect(desk.world.containers).toEqual([]);
    expect(desk.world.services).toHaveLength(1);
  });
});

describe('a change of policy', () => {
  it.each([
    ['Dynamic to Static', dynamic(3), fixed(3)],
    ['Static to Dynamic', fixed(3), dynamic(3)],
  ])('%s ends with one service, in place and rolling', (_, before, after) => {
    for (const updateStrategy of [{ type: 'InPlace' as const }, rolling(1, 0)]) {
      const desk = settled(spec({ deploymentStrategy: before, updateStrategy }));
      desk.edit({ deploymentStrategy: after, template: image(2) });
      desk.settle();
      expect(desk.world.services).toHaveLength(1);
      expect(desk.world.services[0]?.body.policy).toBe(after.type === 'Static' ? 'static' : 'dynamic');
      expect(desk.world.ready).toHaveLength(3);
    }
  });
});

describe('a service of somebody else', () => {
  function foreign(env: readonly string[] = []): Desk {
    const desk = new Desk();
    const body = {
      name: 'worker',
      image: { ref: 'other@1.0.0#sylixos', action: 'run' as const, config: { process: { env } } },
      node: { names: ['n1'] },
      policy: 'static' as const,
    };
    desk.world.apply({ do: 'create', body, why: 'somebody' });
    return desk;
  }

  it('is never touched, and the condition says how to take it over', () => {
    const desk = foreign();
    const plan = desk.reconcile();
    expect(plan.steps).toEqual([]);
    expect(plan.requeueAfterMs).toBeUndefined();
    expect(reasonsOf(plan)).toEqual(['ForeignService']);
    expect(desk.condition('Degraded')?.message).toContain('ecsm.sh/adopt=true');
    expect(desk.condition('Available')?.status).toBe('False');
    expect(reasonsOf(desk.reconcile())).toEqual([]);
  });

  it('is taken over by one update if its owner says so, even with a rolling strategy', () => {
    const desk = foreign();
    desk.annotate({ 'ecsm.sh/adopt': 'true' });
    desk.edit({ updateStrategy: rolling() });
    const plan = desk.reconcile();
    expect(onlyUpdate(plan).body.name).toBe('worker');
    expect(reasonsOf(plan)).toEqual(['Adopted']);
    desk.settle();
    expect(desk.world.services).toHaveLength(1);
    expect(desk.world.ready).toHaveLength(2);
  });

  it('is not taken over when it is marked', () => {
    const desk = foreign(['ECSM_OWNER=registry-2/default/worker/uid-9', 'ECSM_REVISION=00000000']);
    desk.annotate({ 'ecsm.sh/adopt': 'true' });
    expect(desk.reconcile().steps).toEqual([]);
    expect(desk.condition('Degraded')?.message).toContain('registry-2');
  });

  it('is not taken over when it is marked for an object of another name', () => {
    const desk = foreign(['ECSM_OWNER=registry-2/default/other/uid-9', 'ECSM_REVISION=00000000']);
    desk.annotate({ 'ecsm.sh/adopt': 'true' });
    expect(desk.reconcile().steps).toEqual([]);
    expect(desk.condition('Degraded')?.message).toContain('default/other');
  });

  it('does not disturb what is ours under another name', () => {
    const desk = settled(spec({ updateStrategy: rolling() }));
    desk.edit({ template: image(2) });
    desk.settle();
    expect(desk.world.services[0]?.body.name).toBe(`worker-${desk.revision.hash}`);
    const body = { ...desk.world.services[0]?.body, name: 'worker' };
    const stranger = foreign().world.services[0];
    if (stranger === undefined) throw new Error('no stranger');
    desk.world.apply({ do: 'create', body: stranger.body, why: body.name });
    desk.annotate({ 'ecsm.sh/adopt': 'true' });
    expect(desk.reconcile().steps).toEqual([]);
  });
});

describe('a deletion', () => {
  it('is not done while one service is left', () => {
    const desk = settled();
    expect(desk.world.services).toHaveLength(1);
    expect(planCleanup(desk.input())).toMatchObject({ isClean: false, steps: [{ do: 'delete', name: 'worker' }] });
  });

  it('removes all that is ours, touches nothing else, and waits until it is gone', () => {
    const desk = settled(spec({ deploymentStrategy: dynamic(4), updateStrategy: rolling() }), { goMsMax: 5_000 });
    desk.edit({ template: image(2) });
    desk.reconcile();
    const stranger = {
      name: 'worker-00000000',
      image: { ref: 'other@1.0.0#sylixos', action: 'run' as const, config: {} },
      node: { names: ['n1'] },
    };
    desk.world.apply({ do: 'create', body: stranger, why: 'somebody' });
    const cleanup = () => planCleanup(desk.input());
    const plan = cleanup();
    expect(plan.isClean).toBe(false);
    expect(plan.steps.map((step) => ('name' in step ? step.name : ''))).toEqual([
      'worker',
      `worker-${desk.revision.hash}`,
    ]);
    for (const step of plan.steps) desk.world.apply(step);
    expect(cleanup().isClean).toBe(false);
    desk.world.advance(6_000);
    expect(cleanup()).toMatchObject({ isClean: true, steps: [] });
    expect(cleanup().requeueAfterMs).toBeUndefined();
    expect(desk.world.services.map(({ body }) => body.name)).toEqual(['worker-00000000']);
  });
});
