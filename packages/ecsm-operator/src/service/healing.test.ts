/** When instances that are not running are repaired, and when they are not. */
import { describe, expect, it } from 'vitest';
import type { Plan } from './model.ts';
import { dynamic, fixed, image, PlanHarness, rolling, spec } from './plan-harness.kit.ts';
import type { ModelContainer } from './platform-model.kit.ts';

const kinds = ({ steps }: Plan): string[] => steps.map((step) => step.do);

function settled(replicas = 3): PlanHarness {
  const harness = new PlanHarness(spec({ deploymentStrategy: dynamic(replicas) }));
  harness.settle();
  return harness;
}

function container(harness: PlanHarness, index = 0): ModelContainer {
  const one = harness.platform.containers[index];
  if (one === undefined) throw new Error(`no container ${index}`);
  return one;
}

/** Reconciles whenever the plan asks for it, for so long. Returns the steps and when they were taken, in seconds. */
function live(harness: PlanHarness, ms: number, beforeEach: () => void = () => {}): string[] {
  const beginMs = harness.platform.nowMs;
  const taken: string[] = [];
  while (harness.platform.nowMs < beginMs + ms) {
    beforeEach();
    const plan = harness.reconcile();
    for (const kind of kinds(plan)) taken.push(`${Math.round((harness.platform.nowMs - beginMs) / 1000)} ${kind}`);
    harness.platform.advance(plan.requeueAfterMs ?? 15_000);
  }
  return taken;
}

describe('an instance that is not running', () => {
  it('is started after the grace period', () => {
    const harness = settled();
    harness.platform.crash(container(harness), undefined);
    const plan = harness.reconcile();
    expect(plan.steps).toEqual([]);
    expect(plan.requeueAfterMs).toBe(15_000);
    expect(harness.condition('Degraded')).toMatchObject({ status: 'True', reason: 'InstanceStopped' });
    harness.platform.advance(14_999);
    expect(harness.reconcile().steps).toEqual([]);
    harness.platform.advance(1);
    expect(harness.reconcile().steps).toMatchObject([{ do: 'startInstance', instance: container(harness).name }]);
    harness.settle();
    expect(harness.platform.ready).toHaveLength(3);
    expect(harness.service.status?.healing).toBeUndefined();
  });

  it('is not started if the platform restarts it in time', () => {
    const harness = settled();
    harness.platform.crash(container(harness), 10_000);
    expect(live(harness, 120_000)).toEqual([]);
    expect(harness.service.status?.healing).toBeUndefined();
  });

  it('is started together with others by one call', () => {
    const harness = settled();
    for (const one of harness.platform.containers) harness.platform.crash(one, undefined);
    expect(live(harness, 20_000)).toEqual(['15 start']);
  });

  it('is started with backoff if it stops again, and reported as CrashLoop', () => {
    const harness = settled();
    const taken = live(harness, 600_000, () => harness.platform.crash(container(harness), undefined));
    expect(taken).toEqual([
      '15 startInstance',
      '35 startInstance',
      '75 startInstance',
      '155 startInstance',
      '315 startInstance',
    ]);
    expect(harness.condition('Degraded')).toMatchObject({ reason: 'CrashLoop' });
  });

  it('waits longer if it stops again soon after it was started', () => {
    const harness = settled();
    harness.platform.crash(container(harness), undefined);
    expect(live(harness, 16_000)).toEqual(['15 startInstance']);
    harness.reconcile();
    expect(harness.service.status?.healing).toMatchObject({ reason: 'InstanceStopped', attempts: 1 });
    harness.platform.crash(container(harness), undefined);
    expect(harness.reconcile().requeueAfterMs).toBeGreaterThan(15_000);
  });

  it('keeps its backoff after a restart of the operator', () => {
    const harness = settled();
    harness.platform.crash(container(harness), undefined);
    harness.reconcile();
    harness.platform.advance(10_000);
    expect(harness.plan().requeueAfterMs).toBe(5_000);
  });

  it('is ready if the action is Load', () => {
    const harness = new PlanHarness(
      spec({ template: { image: 'worker@1.0.0', platformSpecific: { action: 'Load' } } }),
    );
    harness.settle();
    expect(harness.platform.containers.map(({ status }) => status)).toEqual(['created', 'created']);
    expect(harness.service.status?.readyReplicas).toBe(2);
  });
});

describe('an instance that is paused', () => {
  it('is unpaused immediately', () => {
    const harness = settled();
    container(harness).status = 'paused';
    expect(harness.reconcile().steps).toMatchObject([{ do: 'unpauseInstance', instance: container(harness).name }]);
    harness.settle();
    expect(harness.platform.ready).toHaveLength(3);
  });
});

describe('a crash loop that the platform restarts', () => {
  it('is only reported, and ends after a minute without a restart', () => {
    const harness = settled();
    const one = container(harness);
    one.restarts = 7;
    one.startedMs = harness.platform.nowMs;
    const plan = harness.reconcile();
    expect(plan.steps).toEqual([]);
    expect(plan.requeueAfterMs).toBe(60_000);
    expect(harness.condition('Degraded')).toMatchObject({ status: 'True', reason: 'CrashLoop' });
    harness.platform.advance(60_000);
    expect(harness.reconcile().requeueAfterMs).toBeUndefined();
    expect(harness.condition('Degraded')?.reason).toBe('AsExpected');
  });
});

describe('a deployment that failed', () => {
  const fail = (one: ModelContainer) => {
    one.deployment = 'failure';
    one.status = 'created';
    one.message = 'no space left';
  };

  it('is redeployed with backoff while no instance runs', () => {
    const harness = settled(2);
    const taken = live(harness, 400_000, () => harness.platform.containers.forEach(fail));
    expect(taken).toEqual(['10 redeploy', '30 redeploy', '70 redeploy', '150 redeploy', '310 redeploy']);
    expect(harness.condition('Degraded')).toMatchObject({ status: 'True', reason: 'DeploymentFailed' });
    expect(harness.condition('Degraded')?.message).toContain('no space left');
    expect(harness.condition('Degraded')?.message).toContain('after 5 attempts');
  });

  it('never waits longer than the maximum backoff', () => {
    const harness = settled(2);
    const taken = live(harness, 7_200_000, () => harness.platform.containers.forEach(fail));
    const moments = taken.map((text) => Number.parseInt(text, 10));
    const [beforeLast = 0, last = 0] = moments.slice(-2);
    expect(last - beforeLast).toBe(600);
  });

  it('does not stop running instances', () => {
    const harness = settled(3);
    fail(container(harness));
    const before = harness.platform.containers.slice(1).map(({ taskId }) => taskId);
    const taken = live(harness, 60_000);
    expect(taken).toEqual(['10 startInstance', '30 update']);
    expect(harness.platform.ready).toHaveLength(3);
    expect(harness.platform.containers.slice(1).map(({ taskId }) => taskId)).toEqual(before);
  });

  it('waits for other deployments in progress', () => {
    const harness = settled(2);
    fail(container(harness));
    container(harness, 1).deployment = 'deploying';
    harness.reconcile();
    harness.platform.advance(60_000);
    expect(harness.reconcile().steps).toEqual([]);
  });
});

describe('a lost node', () => {
  const lose = (harness: PlanHarness): string => {
    const { node } = container(harness);
    harness.platform.offline.add(node);
    return node;
  };

  it('makes its instances unknown: they are neither repaired nor ready', () => {
    const harness = settled(2);
    const node = lose(harness);
    const plan = harness.reconcile();
    expect(plan.steps).toEqual([]);
    expect(plan.events.map(({ reason }) => reason)).toContain('NodeLost');
    expect(harness.service.status).toMatchObject({ replicas: 2, lostNodes: [{ name: node }] });
    expect(harness.service.status?.readyReplicas).toBeLessThan(2);
    expect(harness.condition('Degraded')).toMatchObject({ reason: 'NodeLost' });
    expect(plan.requeueAfterMs).toBe(300_000);
  });

  it('is reported once when it is back', () => {
    const harness = settled(2);
    const node = lose(harness);
    harness.reconcile();
    harness.platform.offline.clear();
    const told = harness.reconcile().events.filter(({ reason }) => reason === 'NodeOnline');
    expect(told).toEqual([{ type: 'Normal', reason: 'NodeOnline', message: `nodes are online again: ${node}` }]);
    expect(harness.reconcile().events).toEqual([]);
  });

  it('is excluded from the pool after a grace period until it is online', () => {
    const harness = settled(2);
    const node = lose(harness);
    expect(live(harness, 301_000)).toEqual(['300 update']);
    expect(harness.platform.named('worker').body.node.names).not.toContain(node);
    expect(harness.platform.ready).toHaveLength(2);
    expect(live(harness, 3_600_000)).toEqual([]);
    harness.platform.offline.clear();
    expect(live(harness, 10_000)).toEqual(['0 update']);
    expect(harness.platform.named('worker').body.node.names).toContain(node);
    expect(harness.service.status?.lostNodes).toBeUndefined();
  });

  it('stays in the pool if no other node is online', () => {
    const harness = settled(2);
    harness.reconcile();
    for (const name of harness.platform.named('worker').body.node.names) harness.platform.offline.add(name);
    expect(live(harness, 3_600_000)).toEqual([]);
  });

  it('that was excluded is all that a new pool has: the pool is never empty', () => {
    const pool = (...nodePool: string[]) => ({ type: 'Dynamic' as const, replicas: 1, nodePool });
    const harness = new PlanHarness(spec({ deploymentStrategy: pool('n1', 'n2') }));
    harness.settle();
    const node = lose(harness);
    expect(live(harness, 301_000)).toEqual(['300 update']);
    harness.edit({ deploymentStrategy: pool(node) });
    live(harness, 60_000);
    expect(harness.platform.named('worker').body.node.names).toEqual([node]);
  });

  it('is included in the pool of a new spec even if it is offline', () => {
    const harness = new PlanHarness(spec({ deploymentStrategy: { type: 'Dynamic', replicas: 1, nodePool: ['n1'] } }));
    harness.settle();
    harness.platform.offline.add('n2');
    harness.edit({ deploymentStrategy: { type: 'Dynamic', replicas: 1, nodePool: ['n1', 'n2'] } });
    harness.settle();
    expect(harness.platform.named('worker').body.node.names).toEqual(['n1', 'n2']);
  });

  it('is only reported for a static service', () => {
    const harness = new PlanHarness(spec({ deploymentStrategy: fixed(3) }));
    harness.settle();
    lose(harness);
    expect(live(harness, 3_600_000)).toEqual([]);
    expect(harness.condition('Degraded')).toMatchObject({ status: 'True', reason: 'NodeLost' });
    expect(harness.plan().requeueAfterMs).toBeUndefined();
  });

  it('does not stop a rolling update elsewhere', () => {
    const harness = new PlanHarness(spec({ deploymentStrategy: dynamic(3), updateStrategy: rolling(1, 1) }));
    harness.settle();
    const node = lose(harness);
    harness.edit({ template: image(2) });
    live(harness, 900_000);
    expect(harness.platform.services).toHaveLength(1);
    expect(harness.platform.ready).toHaveLength(3);
    expect(harness.platform.containers.map((one) => one.node)).not.toContain(node);
  });
});
