/** Plans for one platform service: create, update in place, correct, scale to 0, adopt, delete. */
import { describe, expect, it } from 'vitest';
import { planCleanup } from './cleanup.ts';
import type { Plan, Step } from './model.ts';
import { dynamic, fixed, image, PlanHarness, rolling, spec } from './plan-harness.kit.ts';

const kinds = ({ steps }: Plan): string[] => steps.map((step) => step.do);
const reasonsOf = ({ events }: Plan): string[] => events.map(({ reason }) => reason);

function onlyUpdate(plan: Plan): Extract<Step, { do: 'update' }> {
  const [step, ...more] = plan.steps;
  if (step?.do !== 'update' || more.length > 0) throw new Error(`not one update: ${JSON.stringify(plan.steps)}`);
  return step;
}

function settled(...[input, options]: ConstructorParameters<typeof PlanHarness>): PlanHarness {
  const harness = new PlanHarness(input, options);
  harness.settle();
  return harness;
}

describe('a new service', () => {
  it('is created under its own name, with the owner mark', () => {
    const harness = new PlanHarness();
    const plan = harness.reconcile();
    expect(kinds(plan)).toEqual(['create']);
    const [made] = harness.platform.observe();
    expect(made?.name).toBe('worker');
    expect(made?.mark).toEqual({
      registry: 'registry-1',
      namespace: 'default',
      name: 'worker',
      uid: 'uid-1',
      revision: harness.revision.hash,
    });
  });

  it('is Complete when all instances run, and then has no steps', () => {
    const harness = settled();
    expect(harness.service.status).toMatchObject({
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 2,
      updatedReplicas: 2,
      unavailableReplicas: 0,
      platformName: 'worker',
      currentRevision: harness.revision.hash,
      updateRevision: harness.revision.hash,
    });
    expect(harness.condition('Available')).toMatchObject({ status: 'True', reason: 'EnoughReady' });
    expect(harness.condition('Progressing')).toMatchObject({ status: 'True', reason: 'Complete' });
    expect(harness.condition('Degraded')).toMatchObject({ status: 'False', reason: 'AsExpected' });
    expect(harness.plan()).toMatchObject({ steps: [], events: [] });
    expect(harness.plan().requeueAfterMs).toBeUndefined();
  });

  it('is not complete before its instances are ready', () => {
    const harness = new PlanHarness(spec(), { startMsMax: 60_000 });
    harness.reconcile();
    harness.reconcile();
    expect(harness.service.status).toMatchObject({ replicas: 2, readyReplicas: 0 });
    expect(harness.service.status?.currentRevision).toBeUndefined();
    expect(harness.condition('Progressing')).toMatchObject({ status: 'True', reason: 'Creating' });
    expect(harness.condition('Available')).toMatchObject({ status: 'False', reason: 'NotEnoughReady' });
  });

  it('is not available without a ready instance, however many may be unavailable', () => {
    const harness = settled(spec({ deploymentStrategy: dynamic(1), updateStrategy: rolling(1, 1) }));
    for (const one of harness.platform.containers) harness.platform.crash(one, undefined);
    harness.reconcile();
    expect(harness.condition('Available')).toMatchObject({ status: 'False', reason: 'NotEnoughReady' });
  });

  it('is recreated after it was deleted on the platform', () => {
    const harness = settled();
    harness.platform.services.pop();
    expect(kinds(harness.reconcile())).toEqual(['create']);
    harness.settle();
    expect(harness.platform.ready).toHaveLength(2);
  });

  it('is not created while paused, but recreated from the same revision', () => {
    const harness = new PlanHarness(spec({ paused: true }));
    expect(harness.reconcile().steps).toEqual([]);
    expect(harness.condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'Paused' });
    harness.edit({ paused: false });
    harness.settle();
    harness.edit({ paused: true, template: image(2) });
    harness.platform.services.pop();
    harness.reconcile();
    expect(harness.platform.named('worker').body.image.ref).toBe('worker@1.0.0#sylixos');
  });
});

describe('an update in place', () => {
  it('is one full update under the same name', () => {
    const harness = settled();
    harness.edit({ template: image(2), deploymentStrategy: dynamic(3) });
    const plan = harness.reconcile();
    const { body, why } = onlyUpdate(plan);
    expect(body).toMatchObject({ name: 'worker', factor: 3, image: { ref: 'worker@2.0.0#sylixos' } });
    expect(why).toContain('worker@1.0.0#sylixos → worker@2.0.0#sylixos');
    expect(reasonsOf(plan)).toEqual(['Updated']);
    harness.settle();
    expect(harness.service.status?.currentRevision).toBe(harness.revision.hash);
  });

  it('happens for a restart', () => {
    const harness = settled();
    const before = harness.revision.hash;
    harness.annotate({ 'ecsm.sh/restartedAt': '2026-01-02T00:00:00Z' });
    expect(harness.revision.hash).not.toBe(before);
    onlyUpdate(harness.reconcile());
    harness.settle();
    expect(harness.service.status?.currentRevision).toBe(harness.revision.hash);
  });

  it('waits while paused; scaling does not', () => {
    const harness = settled();
    const { hash } = harness.revision;
    harness.edit({ template: image(2), paused: true });
    const waiting = harness.reconcile();
    expect(waiting.steps).toEqual([]);
    expect(waiting.requeueAfterMs).toBeUndefined();
    expect(harness.condition('Progressing')?.message).toContain('waits');
    harness.edit({ deploymentStrategy: dynamic(4) });
    const { body } = onlyUpdate(harness.reconcile());
    expect(body).toMatchObject({ factor: 4, image: { ref: 'worker@1.0.0#sylixos' } });
    harness.settle();
    expect(harness.service.status).toMatchObject({ currentRevision: hash, readyReplicas: 4 });
    harness.edit({ paused: false });
    harness.settle();
    expect(harness.platform.named('worker').body.image.ref).toBe('worker@2.0.0#sylixos');
  });

  it('that only scales keeps the image to which the platform was allowed to upgrade', () => {
    const harness = settled(spec({ upgradeStrategy: { type: 'Larger' } }));
    const [upgraded] = harness.platform.services;
    if (upgraded === undefined) throw new Error('there is no service');
    const { body } = upgraded;
    upgraded.body = { ...body, image: { ...body.image, ref: 'worker@1.4.0#sylixos' } };
    expect(harness.plan().steps).toEqual([]);
    harness.edit({ deploymentStrategy: dynamic(4) });
    expect(onlyUpdate(harness.plan()).body).toMatchObject({ factor: 4, image: { ref: 'worker@1.4.0#sylixos' } });
    harness.edit({ template: image(2) });
    expect(onlyUpdate(harness.plan()).body.image.ref).toBe('worker@2.0.0#sylixos');
  });

  it('scales while paused even if the revision is no longer recorded', () => {
    const harness = settled();
    harness.edit({ template: image(2), paused: true, deploymentStrategy: dynamic(4) });
    harness.revisions.clear();
    const { body } = onlyUpdate(harness.reconcile());
    expect(body).toMatchObject({ factor: 4, image: { ref: 'worker@1.0.0#sylixos' } });
  });

  it('uses the service of an earlier object of the same name', () => {
    const harness = settled();
    harness.service = { ...harness.service, metadata: { ...harness.service.metadata, uid: 'uid-2' } };
    onlyUpdate(harness.reconcile());
    expect(harness.platform.observe()[0]?.mark?.uid).toBe('uid-2');
  });
});

describe('drift', () => {
  it('is corrected immediately', () => {
    const harness = settled();
    const service = harness.platform.named('worker');
    service.body = { ...service.body, image: { ...service.body.image, ref: 'worker@0.9.0#sylixos' } };
    const plan = harness.reconcile();
    expect(onlyUpdate(plan).why).toContain('worker@0.9.0#sylixos → worker@1.0.0#sylixos');
    expect(reasonsOf(plan)).toEqual(['Corrected']);
    harness.settle();
    expect(service.body.image.ref).toBe('worker@1.0.0#sylixos');
  });

  it('that returns is corrected with backoff, and reported as NotKept', () => {
    const harness = settled();
    const undo = () => {
      const service = harness.platform.named('worker');
      service.body = { ...service.body, image: { ...service.body.image, pullPolicy: 'Never' } };
    };
    const endMs = harness.platform.nowMs + 3_600_000;
    let updates = 0;
    while (harness.platform.nowMs < endMs) {
      undo();
      const { steps, requeueAfterMs } = harness.reconcile();
      updates += steps.length;
      undo();
      harness.platform.advance(requeueAfterMs ?? 15_000);
    }
    expect(updates).toBeGreaterThan(5);
    expect(updates).toBeLessThan(20);
    expect(harness.condition('Degraded')).toMatchObject({ status: 'True', reason: 'NotKept' });
    expect(harness.condition('Degraded')?.message).toContain('pullPolicy');
  });

  it('resets its backoff when the spec changes', () => {
    const harness = settled();
    const spoil = () => {
      harness.platform.named('worker').body = { ...harness.platform.named('worker').body, factor: 9 };
    };
    for (let round = 0; round < 8; round++) {
      spoil();
      harness.platform.advance(harness.reconcile().requeueAfterMs ?? 0);
    }
    spoil();
    harness.platform.advance(1);
    expect(harness.reconcile().steps).toEqual([]);
    harness.edit({ deploymentStrategy: dynamic(3) });
    expect(onlyUpdate(harness.reconcile()).body.factor).toBe(3);
  });
});

describe('0 replicas', () => {
  it.each([{ refusesZero: false }, { refusesZero: true }])('are reached and kept: %o', (options) => {
    const harness = settled(spec(), options);
    harness.edit({ deploymentStrategy: dynamic(0) });
    harness.settle();
    expect(harness.platform.containers).toEqual([]);
    expect(harness.platform.services).toHaveLength(options.refusesZero ? 0 : 1);
    expect(harness.plan().steps).toEqual([]);
    expect(harness.condition('Available')).toMatchObject({ status: 'True', reason: 'ScaledToZero' });
    harness.edit({ deploymentStrategy: dynamic(2) });
    harness.settle();
    expect(harness.platform.ready).toHaveLength(2);
    expect(harness.platform.services).toHaveLength(1);
  });

  it('need no service on the platform', () => {
    const harness = settled(spec({ deploymentStrategy: dynamic(0) }));
    expect(harness.platform.services).toEqual([]);
    expect(harness.condition('Progressing')?.reason).toBe('Complete');
  });

  it('end a rolling update in progress', () => {
    const harness = settled(spec({ deploymentStrategy: dynamic(4), updateStrategy: rolling() }));
    harness.edit({ template: image(2) });
    harness.reconcile();
    expect(harness.platform.services).toHaveLength(2);
    harness.edit({ deploymentStrategy: dynamic(0) });
    harness.settle();
    expect(harness.platform.containers).toEqual([]);
    expect(harness.platform.services).toHaveLength(1);
  });
});

describe('a change of policy', () => {
  it.each([
    ['Dynamic to Static', dynamic(3), fixed(3)],
    ['Static to Dynamic', fixed(3), dynamic(3)],
  ])('%s ends with one service, in place and rolling', (_, before, after) => {
    for (const updateStrategy of [{ type: 'InPlace' as const }, rolling(1, 0)]) {
      const harness = settled(spec({ deploymentStrategy: before, updateStrategy }));
      harness.edit({ deploymentStrategy: after, template: image(2) });
      harness.settle();
      expect(harness.platform.services).toHaveLength(1);
      expect(harness.platform.services[0]?.body.policy).toBe(after.type === 'Static' ? 'static' : 'dynamic');
      expect(harness.platform.ready).toHaveLength(3);
    }
  });
});

describe('a service of another owner', () => {
  function foreign(env: readonly string[] = []): PlanHarness {
    const harness = new PlanHarness();
    const body = {
      name: 'worker',
      image: { ref: 'other@1.0.0#sylixos', action: 'run' as const, config: { process: { env } } },
      node: { names: ['n1'] },
      policy: 'static' as const,
    };
    harness.platform.apply({ do: 'create', body, why: 'another owner' });
    return harness;
  }

  it('is never changed, and the condition names the annotation to adopt it', () => {
    const harness = foreign();
    const plan = harness.reconcile();
    expect(plan.steps).toEqual([]);
    expect(plan.requeueAfterMs).toBeUndefined();
    expect(reasonsOf(plan)).toEqual(['ForeignService']);
    expect(harness.condition('Degraded')?.message).toContain('ecsm.sh/adopt=true');
    expect(harness.condition('Available')?.status).toBe('False');
    expect(reasonsOf(harness.reconcile())).toEqual([]);
  });

  it('is adopted with one update if the annotation is set, even with a rolling strategy', () => {
    const harness = foreign();
    harness.annotate({ 'ecsm.sh/adopt': 'true' });
    harness.edit({ updateStrategy: rolling() });
    const plan = harness.reconcile();
    expect(onlyUpdate(plan).body.name).toBe('worker');
    expect(reasonsOf(plan)).toEqual(['Adopted']);
    harness.settle();
    expect(harness.platform.services).toHaveLength(1);
    expect(harness.platform.ready).toHaveLength(2);
  });

  it('is not adopted when it has an owner mark', () => {
    const harness = foreign(['ECSM_OWNER=registry-2/default/worker/uid-9', 'ECSM_REVISION=00000000']);
    harness.annotate({ 'ecsm.sh/adopt': 'true' });
    expect(harness.reconcile().steps).toEqual([]);
    expect(harness.condition('Degraded')?.message).toContain('registry-2');
  });

  it('is not adopted when its mark has another object name', () => {
    const harness = foreign(['ECSM_OWNER=registry-2/default/other/uid-9', 'ECSM_REVISION=00000000']);
    harness.annotate({ 'ecsm.sh/adopt': 'true' });
    expect(harness.reconcile().steps).toEqual([]);
    expect(harness.condition('Degraded')?.message).toContain('default/other');
  });

  it('does not affect our service of another name', () => {
    const harness = settled(spec({ updateStrategy: rolling() }));
    harness.edit({ template: image(2) });
    harness.settle();
    expect(harness.platform.services[0]?.body.name).toBe(`worker-${harness.revision.hash}`);
    const body = { ...harness.platform.services[0]?.body, name: 'worker' };
    const foreignService = foreign().platform.services[0];
    if (foreignService === undefined) throw new Error('no foreignService');
    harness.platform.apply({ do: 'create', body: foreignService.body, why: body.name });
    harness.annotate({ 'ecsm.sh/adopt': 'true' });
    expect(harness.reconcile().steps).toEqual([]);
  });
});

describe('a deletion', () => {
  it('is not done while one service is left', () => {
    const harness = settled();
    expect(harness.platform.services).toHaveLength(1);
    expect(planCleanup(harness.input())).toMatchObject({ isClean: false, steps: [{ do: 'delete', name: 'worker' }] });
  });

  it('deletes all our services and no others, and waits until they are deleted', () => {
    const harness = settled(spec({ deploymentStrategy: dynamic(4), updateStrategy: rolling() }), { goMsMax: 5_000 });
    harness.edit({ template: image(2) });
    harness.reconcile();
    const foreignService = {
      name: 'worker-00000000',
      image: { ref: 'other@1.0.0#sylixos', action: 'run' as const, config: {} },
      node: { names: ['n1'] },
    };
    harness.platform.apply({ do: 'create', body: foreignService, why: 'another owner' });
    const cleanup = () => planCleanup(harness.input());
    const plan = cleanup();
    expect(plan.isClean).toBe(false);
    expect(plan.steps.map((step) => ('name' in step ? step.name : ''))).toEqual([
      'worker',
      `worker-${harness.revision.hash}`,
    ]);
    for (const step of plan.steps) harness.platform.apply(step);
    expect(cleanup().isClean).toBe(false);
    harness.platform.advance(6_000);
    expect(cleanup()).toMatchObject({ isClean: true, steps: [] });
    expect(cleanup().requeueAfterMs).toBeUndefined();
    expect(harness.platform.services.map(({ body }) => body.name)).toEqual(['worker-00000000']);
  });

  it('ends the conditions about problems: they remained true until the service was gone', () => {
    const harness = settled();
    const before = harness.service.status;
    if (before === undefined) throw new Error('no status');
    const is = (type: string, reason: string) => ({ type, status: 'True' as const, reason, message: '' });
    const refusal = { message: 'no such image', observedGeneration: 1 };
    const healing = { attempts: 3, reason: 'DeploymentFailed', lastTime: '2026-01-01T00:00:00Z' };
    harness.write({
      status: { ...before, refusal, healing, preempted: { replicas: 1 } },
      conditions: [is('Degraded', 'CrashLoop'), is('Preempted', 'Preempted'), is('Unschedulable', 'Unschedulable')],
    });
    // A deletion changes the generation.
    const { service } = harness;
    const deleted = { ...service, metadata: { ...service.metadata, generation: 2 } };
    for (const deletedBefore of [[], ['default/other']]) {
      const plan = planCleanup({ ...harness.input(), service: deleted, deletedBefore });
      for (const type of ['Degraded', 'Preempted', 'Unschedulable']) {
        const found = plan.conditions.filter((one) => one.type === type);
        expect(found).toMatchObject([{ status: 'False', reason: 'Deleting' }]);
      }
      for (const field of ['preempted', 'healing', 'refusal']) expect(plan.status).not.toHaveProperty(field);
    }
  });

  it('is Degraded while the platform refuses it', () => {
    const harness = settled();
    const { status } = harness.service;
    if (status === undefined) throw new Error('no status');
    const refusal = { message: 'delete worker: not now', observedGeneration: 1 };
    harness.write({ status: { ...status, refusal }, conditions: [] });
    const plan = planCleanup(harness.input());
    expect(plan.status.refusal).toEqual(refusal);
    expect(plan.conditions.findLast(({ type }) => type === 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'PlatformRefused',
      message: refusal.message,
    });
  });
});
