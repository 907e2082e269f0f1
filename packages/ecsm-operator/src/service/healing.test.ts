/** What is done about instances that do not run, when, and what is left alone. */
import { describe, expect, it } from 'vitest';
import { Desk, dynamic, fixed, image, rolling, spec } from './desk.kit.ts';
import type { Plan } from './model.ts';
import type { ModelContainer } from './world.kit.ts';

const kinds = ({ steps }: Plan): string[] => steps.map((step) => step.do);

function settled(replicas = 3): Desk {
  const desk = new Desk(spec({ deploymentStrategy: dynamic(replicas) }));
  desk.settle();
  return desk;
}

function container(desk: Desk, index = 0): ModelContainer {
  const one = desk.world.containers[index];
  if (one === undefined) throw new Error(`no container ${index}`);
  return one;
}

/** Reconciles whenever the plan asks for it, for so long. Returns the steps and when they were taken, in seconds. */
function live(desk: Desk, ms: number, beforeEach: () => void = () => {}): string[] {
  const beginMs = desk.world.nowMs;
  const taken: string[] = [];
  while (desk.world.nowMs < beginMs + ms) {
    beforeEach();
    const plan = desk.reconcile();
    for (const kind of kinds(plan)) taken.push(`${Math.round((desk.world.nowMs - beginMs) / 1000)} ${kind}`);
    desk.world.advance(plan.requeueAfterMs ?? 15_000);
  }
  return taken;
}

describe('an instance that does not run', () => {
  it('is left to the platform for a while, then started', () => {
    const desk = settled();
    desk.world.crash(container(desk), undefined);
    const plan = desk.reconcile();
    expect(plan.steps).toEqual([]);
    expect(plan.requeueAfterMs).toBe(15_000);
    expect(desk.condition('Degraded')).toMatchObject({ status: 'True', reason: 'InstanceStopped' });
    desk.world.advance(14_999);
    expect(desk.reconcile().steps).toEqual([]);
    desk.world.advance(1);
    expect(desk.reconcile().steps).toMatchObject([{ do: 'startInstance', instance: container(desk).name }]);
    desk.settle();
    expect(desk.world.ready).toHaveLength(3);
    expect(desk.service.status?.healing).toBeUndefined();
  });

  it('is not touched if the platform restarts it in time', () => {
    const desk = settled();
    desk.world.crash(container(desk), 10_000);
    expect(live(desk, 120_000)).toEqual([]);
    expect(desk.service.status?.healing).toBeUndefined();
  });

  it('is started with the others by one call', () => {
    const desk = settled();
    for (const one of desk.world.containers) desk.world.crash(one, undefined);
    expect(live(desk, 20_000)).toEqual(['15 start']);
  });

  it('is started less and less often if it does not last, and called a loop', () => {
    const desk = settled();
    const taken = live(desk, 600_000, () => desk.world.crash(container(desk), undefined));
    expect(taken).toEqual([
      '15 startInstance',
      '35 startInstance',
      '75 startInstance',
      '155 startInstance',
      '315 startInstance',
    ]);
    expect(desk.condition('Degraded')).toMatchObject({ reason: 'CrashLoop' });
  });

  it('waits longer if it stops again soon after it was started', () => {
    const desk = settled();
    desk.world.crash(container(desk), undefined);
    expect(live(desk, 16_000)).toEqual(['15 startInstance']);
    desk.reconcile();
    expect(desk.service.status?.healing).toMatchObject({ reason: 'InstanceStopped', attempts: 1 });
    desk.world.crash(container(desk), undefined);
    expect(desk.reconcile().requeueAfterMs).toBeGreaterThan(15_000);
  });

  it('keeps its turn over a restart of the operator', () => {
    const desk = settled();
    desk.world.crash(container(desk), undefined);
    desk.reconcile();
    desk.world.advance(10_000);
    expect(desk.plan().requeueAfterMs).toBe(5_000);
  });

  it('is wanted to be so if it is only loaded', () => {
    const desk = new Desk(spec({ template: { image: 'worker@1.0.0', platformSpecific: { action: 'Load' } } }));
    desk.settle();
    expect(desk.world.containers.map(({ status }) => status)).toEqual(['created', 'created']);
    expect(desk.service.status?.readyReplicas).toBe(2);
  });
});

describe('an instance that is paused', () => {
  it('is continued at once', () => {
    const desk = settled();
    container(desk).status = 'paused';
    expect(desk.reconcile().steps).toMatchObject([{ do: 'unpauseInstance', instance: container(desk).name }]);
    desk.settle();
    expect(desk.world.ready).toHaveLength(3);
  });
});

describe('a crash loop that the platform restarts', () => {
  it('is said and not touched, and over when it runs for a minute', () => {
    const desk = settled();
    const one = container(desk);
    one.restarts = 7;
    one.startedMs = desk.world.nowMs;
    const plan = desk.reconcile();
    expect(plan.steps).toEqual([]);
    expect(plan.requeueAfterMs).toBe(60_000);
    expect(desk.condition('Degraded')).toMatchObject({ status: 'True', reason: 'CrashLoop' });
    desk.world.advance(60_000);
    expect(desk.reconcile().requeueAfterMs).toBeUndefined();
    expect(desk.condition('Degraded')?.reason).toBe('AsExpected');
  });
});

describe('a deployment that failed', () => {
  const fail = (one: ModelContainer) => {
    one.deployment = 'failure';
    one.status = 'created';
    one.message = 'no space left';
  };

  it('is begun again with growing waits while nothing runs', () => {
    const desk = settled(2);
    const taken = live(desk, 400_000, () => desk.world.containers.forEach(fail));
    expect(taken).toEqual(['10 redeploy', '30 redeploy', '70 redeploy', '150 redeploy', '310 redeploy']);
    expect(desk.condition('Degraded')).toMatchObject({ status: 'True', reason: 'DeploymentFailed' });
    expect(desk.condition('Degraded')?.message).toContain('no space left');
    expect(desk.condition('Degraded')?.message).toContain('after 5 attempts');
  });

  it('never waits longer than the longest wait', () => {
    const desk = settled(2);
    const taken = live(desk, 7_200_000, () => desk.world.containers.forEach(fail));
    const moments = taken.map((text) => Number.parseInt(text, 10));
    const [beforeLast = 0, last = 0] = moments.slice(-2);
    expect(last - beforeLast).toBe(600);
  });

  it('does not take down those that run', () => {
    const desk = settled(3);
    fail(container(desk));
    const before = desk.world.containers.slice(1).map(({ taskId }) => taskId);
    const taken = live(desk, 60_000);
    expect(taken).toEqual(['10 startInstance', '30 update']);
    expect(desk.world.ready).toHaveLength(3);
    expect(desk.world.containers.slice(1).map(({ taskId }) => taskId)).toEqual(before);
  });

  it('waits for others that are still under way', () => {
    const desk = settled(2);
    fail(container(desk));
    container(desk, 1).deployment = 'deploying';
    desk.reconcile();
    desk.world.advance(60_000);
    expect(desk.reconcile().steps).toEqual([]);
  });
});

describe('a lost node', () => {
  const lose = (desk: Desk): string => {
    const { node } = container(desk);
    desk.world.offline.add(node);
    return node;
  };

  it('is unknown, not gone: nothing is healed, nothing counts as ready', () => {
    const desk = settled(2);
    const node = lose(desk);
    const plan = desk.reconcile();
    expect(plan.steps).toEqual([]);
    expect(plan.events.map(({ reason }) => reason)).toContain('NodeLost');
    expect(desk.service.status).toMatchObject({ replicas: 2, lostNodes: [{ name: node }] });
    expect(desk.service.status?.readyReplicas).toBeLessThan(2);
    expect(desk.condition('Degraded')).toMatchObject({ reason: 'NodeLost' });
    expect(plan.requeueAfterMs).toBe(300_000);
  });

  it('is left out of the pool after a grace period, and is back in it when it is back', () => {
    const desk = settled(2);
    const node = lose(desk);
    expect(live(desk, 301_000)).toEqual(['300 update']);
    expect(desk.world.named('worker').body.node.names).not.toContain(node);
    expect(desk.world.ready).toHaveLength(2);
    expect(live(desk, 3_600_000)).toEqual([]);
    desk.world.offline.clear();
    expect(live(desk, 10_000)).toEqual(['0 update']);
    expect(desk.world.named('worker').body.node.names).toContain(node);
    expect(desk.service.status?.lostNodes).toBeUndefined();
  });

  it('stays in the pool if no other node can be reached', () => {
    const desk = settled(2);
    desk.reconcile();
    for (const name of desk.world.named('worker').body.node.names) desk.world.offline.add(name);
    expect(live(desk, 3_600_000)).toEqual([]);
  });

  it('is taken into a pool by whoever wants it there, even if it is offline', () => {
    const desk = new Desk(spec({ deploymentStrategy: { type: 'Dynamic', replicas: 1, nodePool: ['n1'] } }));
    desk.settle();
    desk.world.offline.add('n2');
    desk.edit({ deploymentStrategy: { type: 'Dynamic', replicas: 1, nodePool: ['n1', 'n2'] } });
    desk.settle();
    expect(desk.world.named('worker').body.node.names).toEqual(['n1', 'n2']);
  });

  it('is only said of a static service', () => {
    const desk = new Desk(spec({ deploymentStrategy: fixed(3) }));
    desk.settle();
    lose(desk);
    expect(live(desk, 3_600_000)).toEqual([]);
    expect(desk.condition('Degraded')).toMatchObject({ status: 'True', reason: 'NodeLost' });
    expect(desk.plan().requeueAfterMs).toBeUndefined();
  });

  it('does not stop a rolling update elsewhere', () => {
    const desk = new Desk(spec({ deploymentStrategy: dynamic(3), updateStrategy: rolling(1, 1) }));
    desk.settle();
    const node = lose(desk);
    desk.edit({ template: image(2) });
    live(desk, 900_000);
    expect(desk.world.services).toHaveLength(1);
    expect(desk.world.ready).toHaveLength(3);
    expect(desk.world.containers.map((one) => one.node)).not.toContain(node);
  });
});
