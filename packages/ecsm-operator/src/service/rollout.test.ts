/** Rolling updates, step by step as people would follow them. */
import { describe, expect, it } from 'vitest';
import { Desk, dynamic, fixed, image, rolling, spec } from './desk.kit.ts';
import type { Plan } from './model.ts';
import { plan } from './plan.ts';
import type { ModelContainer, ModelService } from './world.kit.ts';

/** `create worker-12345678 2`, `update worker 1`, `delete worker` … */
function steps({ steps: list }: Plan, hash: string): string[] {
  return list.map((step) => {
    if (step.do === 'create' || step.do === 'update') {
      const { name, policy, factor, node } = step.body;
      const size = policy === 'dynamic' ? String(factor) : node.names.join('+');
      return `${step.do} ${name.replace(hash, 'NEW')} ${size}`;
    }
    return 'name' in step ? `${step.do} ${step.name}` : `${step.do} ${step.instance}`;
  });
}

function walk(desk: Desk): string[] {
  const { hash } = desk.revision;
  return desk
    .settle()
    .map((made) => steps(made, hash).join(', '))
    .filter((text) => text !== '');
}

function started(strategy: Parameters<typeof spec>[0]): Desk {
  const desk = new Desk(spec(strategy), { startMsMax: 0 });
  desk.settle();
  desk.edit({ template: image(2) });
  return desk;
}

describe('a rolling update of a dynamic service', () => {
  it('shrinks the old one and grows the new one within its bounds', () => {
    const desk = started({ deploymentStrategy: dynamic(3), updateStrategy: rolling(1, 1) });
    expect(walk(desk)).toEqual([
      'create worker-NEW 1, update worker 2',
      'update worker-NEW 2, update worker 1',
      'update worker-NEW 3, delete worker',
    ]);
  });

  it('never has more than wanted if nothing may surge', () => {
    const desk = started({ deploymentStrategy: dynamic(2), updateStrategy: rolling(0, 1) });
    expect(walk(desk)).toEqual(['update worker 1', 'create worker-NEW 1', 'delete worker', 'update worker-NEW 2']);
  });

  it('never has fewer ready than wanted if none may be missing', () => {
    const desk = started({ deploymentStrategy: dynamic(2), updateStrategy: rolling(1, 0) });
    expect(walk(desk)).toEqual(['create worker-NEW 1', 'update worker 1', 'update worker-NEW 2', 'delete worker']);
  });
});

describe('a rolling update of a static service', () => {
  it('leaves a node when the new one is ready there', () => {
    const desk = started({ deploymentStrategy: fixed(2), updateStrategy: rolling(1, 0) });
    expect(walk(desk)).toEqual([
      'create worker-NEW n1',
      'update worker n2',
      'update worker-NEW n1+n2',
      'delete worker',
    ]);
  });

  it('leaves a node first if nothing may surge', () => {
    const desk = started({ deploymentStrategy: fixed(2), updateStrategy: rolling(0, 1) });
    expect(walk(desk)).toEqual([
      'update worker n2',
      'create worker-NEW n1',
      'delete worker',
      'update worker-NEW n1+n2',
    ]);
  });
});

describe('a rolling update that somebody interrupts', () => {
  function halfWay(): Desk {
    const desk = started({ deploymentStrategy: dynamic(4), updateStrategy: rolling(1, 1) });
    desk.reconcile();
    desk.world.advance(2_000);
    expect(sizes(desk)).toEqual({ worker: 3, [`worker-${desk.revision.hash}`]: 1 });
    return desk;
  }

  it('stands still while paused, and goes on', () => {
    const desk = halfWay();
    desk.edit({ paused: true });
    desk.settle();
    expect(desk.world.services).toHaveLength(2);
    expect(desk.condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'Paused' });
    desk.edit({ paused: false });
    desk.settle();
    expect(sizes(desk)).toEqual({ [`worker-${desk.revision.hash}`]: 4 });
  });

  it('scales while paused without a revision gaining', () => {
    const desk = halfWay();
    const { hash } = desk.revision;
    desk.edit({ paused: true, deploymentStrategy: dynamic(6) });
    desk.settle();
    expect(sizes(desk)).toEqual({ worker: 5, [`worker-${hash}`]: 1 });
    desk.edit({ deploymentStrategy: dynamic(2) });
    desk.settle();
    expect(sizes(desk)).toEqual({ worker: 2, [`worker-${hash}`]: 1 });
  });

  it.each([
    { maxSurge: 1, wanted: 4, left: [4, 1] },
    { maxSurge: 1, wanted: 2, left: [2, 1] },
    { maxSurge: 0, wanted: 3, left: [2, 1] },
    { maxSurge: 0, wanted: 2, left: [1, 1] },
    { maxSurge: 0, wanted: 1, left: [1] },
  ])('scales down to $wanted while paused, with $maxSurge more at most', ({ maxSurge, wanted, left }) => {
    const desk = new Desk(spec({ deploymentStrategy: dynamic(6), updateStrategy: rolling(maxSurge, 1) }));
    desk.place(1, { replicas: 5 });
    desk.world.advance(1_000);
    desk.place(2, { replicas: 1 });
    desk.edit({ template: image(2), paused: true });
    desk.settle();
    desk.edit({ deploymentStrategy: dynamic(wanted) });
    desk.settle();
    expect(Object.values(sizes(desk)).sort().reverse()).toEqual(left);
    expect(desk.world.containers).toHaveLength(left.reduce((sum, size) => sum + size, 0));
  });

  it('goes back by rolling the old one up again', () => {
    const desk = halfWay();
    desk.edit({ template: image(1) });
    desk.settle();
    expect(sizes(desk)).toEqual({ worker: 4 });
  });

  it('turns to the newest revision', () => {
    const desk = halfWay();
    desk.edit({ template: image(3) });
    desk.settle();
    expect(sizes(desk)).toEqual({ [`worker-${desk.revision.hash}`]: 4 });
  });

  it('ends as it began even if the strategy is another by now', () => {
    const desk = halfWay();
    desk.edit({ updateStrategy: { type: 'InPlace' } });
    desk.settle();
    expect(sizes(desk)).toEqual({ [`worker-${desk.revision.hash}`]: 4 });
  });

  it('finds another name if that of the revision is taken', () => {
    const desk = started({ updateStrategy: rolling() });
    desk.settle();
    const { hash } = desk.revision;
    desk.edit({ template: image(3), updateStrategy: { type: 'InPlace' } });
    desk.settle();
    expect(sizes(desk)).toEqual({ [`worker-${hash}`]: 2 });
    desk.edit({ template: image(2), updateStrategy: rolling() });
    desk.settle();
    const next = (Number.parseInt(hash, 16) + 1).toString(16).padStart(8, '0');
    expect(sizes(desk)).toEqual({ [`worker-${next}`]: 2 });
  });
});

describe('a rolling update to a revision that does not work', () => {
  const break_ = (one: ModelContainer) => {
    one.deployment = 'failure';
    one.status = 'created';
    one.message = 'image not found';
    one.startedMs = undefined;
  };

  function stuck(): Desk {
    const desk = started({
      deploymentStrategy: dynamic(3),
      updateStrategy: { ...rolling(1, 0), progressDeadlineSeconds: 60 },
    });
    const breakNewest = () => newest(desk)?.containers.forEach(break_);
    live(desk, 120_000, breakNewest);
    return desk;
  }

  const newest = (desk: Desk): ModelService | undefined =>
    desk.world.services.find(({ body }) => body.name === `worker-${desk.revision.hash}`);

  it('stops within its bounds, and says why after the deadline', () => {
    const desk = stuck();
    expect(sizes(desk)).toEqual({ worker: 3, [`worker-${desk.revision.hash}`]: 1 });
    const progressing = desk.condition('Progressing');
    expect(progressing).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    expect(progressing?.message).toContain('image not found');
    expect(desk.condition('Available')?.status).toBe('True');
  });

  it('is not hammered after the deadline', () => {
    const desk = stuck();
    const plans = live(desk, 7_200_000, () => newest(desk)?.containers.forEach(break_));
    expect(plans.length).toBeLessThan(60);
  });

  it('gives way to one that works, without any room to spare', () => {
    const desk = stuck();
    desk.edit({ template: image(3) });
    desk.settle();
    expect(sizes(desk)).toEqual({ [`worker-${desk.revision.hash}`]: 3 });
  });

  it('can be undone', () => {
    const desk = stuck();
    desk.edit({ template: image(1) });
    desk.settle();
    expect(sizes(desk)).toEqual({ worker: 3 });
    expect(desk.condition('Progressing')?.reason).toBe('Complete');
  });
});

describe('old instances that are broken', () => {
  it('are given up by their nodes if nothing may surge', () => {
    const desk = new Desk(
      spec({
        deploymentStrategy: { type: 'Dynamic', replicas: 3, nodePool: ['n1', 'n2', 'n3'] },
        updateStrategy: rolling(0, 1),
      }),
    );
    desk.settle();
    const old = desk.world.named('worker');
    for (const [index, one] of old.containers.entries()) one.node = `n${index + 1}`;
    const broken = old.containers[0];
    if (broken === undefined) throw new Error('no container');
    desk.edit({ template: image(2) });
    live(desk, 300_000, () => {
      if (!old.containers.includes(broken)) return;
      broken.deployment = 'failure';
      broken.status = 'created';
      broken.dueMs = undefined;
    });
    expect(sizes(desk)).toEqual({ [`worker-${desk.revision.hash}`]: 3 });
    expect(desk.world.ready).toHaveLength(3);
  });

  it('are not given up while somebody deploys them again', () => {
    const desk = started({ deploymentStrategy: dynamic(1), updateStrategy: rolling(1, 0) });
    const [one] = desk.world.containers;
    if (one === undefined) throw new Error('no container');
    one.deployment = 'deploying';
    one.status = 'created';
    expect(desk.reconcile().steps.map((step) => step.do)).toEqual(['create']);
  });

  it('are not given up while they are down for a moment', () => {
    const desk = started({ deploymentStrategy: dynamic(1), updateStrategy: rolling(1, 0) });
    const [one] = desk.world.containers;
    if (one === undefined) throw new Error('no container');
    desk.world.crash(one, 5_000);
    expect(desk.reconcile().steps.map((step) => step.do)).toEqual(['create']);
    expect(desk.world.services).toHaveLength(2);
  });
});

describe('a node that is lost during a rolling update', () => {
  const cases = {
    dynamic: { type: 'Dynamic', replicas: 3, nodePool: ['n1', 'n2', 'n3'] },
    static: fixed(3),
  } as const;

  /** Nothing may surge, the instance on n1 is offline, and the update has yet to begin. */
  function lost(kind: keyof typeof cases): Desk {
    const desk = new Desk(spec({ deploymentStrategy: cases[kind], updateStrategy: rolling(0, 1) }));
    desk.settle();
    for (const [index, one] of desk.world.containers.entries()) one.node = `n${index + 1}`;
    desk.edit({ template: image(2) });
    desk.world.offline.add('n1');
    return desk;
  }

  it.each(['dynamic', 'static'] as const)('costs a %s service no instance if it is back soon', (kind) => {
    const desk = lost(kind);
    for (let look = 0; look < 4; look++) {
      desk.reconcile();
      desk.world.advance(desk.settings.lostNodeGraceMs / 5);
    }
    expect(sizes(desk)).toEqual({ worker: 3 });
    desk.world.offline.clear();
    desk.settle();
    expect(sizes(desk)).toEqual({ [`worker-${desk.revision.hash}`]: 3 });
  });

  it.each(['dynamic', 'static'] as const)('no longer holds a %s service up after the grace period', (kind) => {
    const desk = lost(kind);
    live(desk, desk.settings.lostNodeGraceMs * 2, () => {});
    expect(sizes(desk)).not.toEqual({ worker: 3 });
  });
});

describe('what is on its way out', () => {
  it('counts until it is gone, also when the update is paused in that moment', () => {
    const desk = started({ deploymentStrategy: dynamic(3), updateStrategy: rolling(0, 1) });
    for (let round = 0; round < 3; round++) {
      desk.reconcile();
      if (round < 2) desk.world.advance(2_000);
    }
    const going = desk.world.containers.filter(({ goneMs }) => goneMs !== undefined);
    expect(going).toHaveLength(1);
    for (const one of going) one.goneMs = desk.world.nowMs + 60_000;
    desk.edit({ paused: true });
    expect(desk.reconcile().steps).toEqual([]);
    desk.world.advance(60_000);
    expect(desk.reconcile().steps).toHaveLength(1);
    expect(desk.world.containers).toHaveLength(3);
  });

  it('counts until it is gone, also when the update is undone before a second service was made', () => {
    const desk = started({ deploymentStrategy: dynamic(2), updateStrategy: rolling(0, 1) });
    desk.reconcile();
    const going = desk.world.containers.filter(({ goneMs }) => goneMs !== undefined);
    expect(going).toHaveLength(1);
    for (const one of going) one.goneMs = desk.world.nowMs + 60_000;
    desk.edit({ template: image(1) });
    expect(desk.reconcile().steps).toEqual([]);
    desk.world.advance(60_000);
    desk.settle();
    expect(sizes(desk)).toEqual({ worker: 2 });
  });

  it('is not relied on if it never ran before: it may come up while it goes', () => {
    const desk = new Desk(spec({ deploymentStrategy: dynamic(3), updateStrategy: rolling(1, 0), template: image(3) }));
    desk.place(1, { replicas: 3 });
    desk.world.advance(5_000);
    const [late] = desk.place(2, { replicas: 1 }).containers;
    if (late === undefined) throw new Error('no container');
    late.startedMs = desk.world.nowMs;
    expect(desk.reconcile().steps).toEqual([]);
    desk.world.advance(10_000);
    expect(desk.reconcile().steps.map((step) => step.do)).toEqual(['update']);
  });

  it('keeps what it has taken: only the oldest leaves a node before the new one is there', () => {
    const desk = new Desk(spec({ deploymentStrategy: fixed(4), updateStrategy: rolling(2, 2), template: image(3) }));
    const oldest = desk.place(1, { nodeNames: ['n1', 'n2'] });
    desk.world.advance(1_000);
    const second = desk.place(2, { nodeNames: ['n4'] });
    desk.world.advance(1_000);
    const [starting] = desk.place(3, { nodeNames: ['n1', 'n3'] }).containers;
    if (starting === undefined) throw new Error('no container');
    starting.deployment = 'deploying';
    starting.status = 'created';
    const { steps: list } = desk.plan();
    expect(list.some((step) => 'id' in step && step.id === second.id)).toBe(false);
    desk.world.services.splice(desk.world.services.indexOf(oldest), 1);
    expect(desk.plan().steps.some((step) => 'id' in step && step.id === second.id)).toBe(false);
  });

  it('is chosen again whatever order the platform lists services in', () => {
    const desk = new Desk(spec({ deploymentStrategy: dynamic(4), updateStrategy: rolling(1, 1), template: image(4) }));
    for (const version of [1, 2, 3]) desk.place(version, { replicas: 1 });
    const input = desk.input();
    const reversed = plan({ ...input, observed: input.observed.toReversed() });
    expect(reversed).toEqual(plan(input));
    expect(reversed.steps.length).toBeGreaterThan(0);
  });
});

function sizes(desk: Desk): Record<string, number> {
  const staying = desk.world.services.filter(({ goneMs }) => goneMs === undefined);
  return Object.fromEntries(staying.map(({ body }) => [body.name, body.factor ?? body.node.names.length]));
}

/** Reconciles whenever a plan asks for it, for so long. */
function live(desk: Desk, ms: number, beforeEach: () => void): Plan[] {
  const endMs = desk.world.nowMs + ms;
  const plans: Plan[] = [];
  while (desk.world.nowMs < endMs) {
    beforeEach();
    const made = desk.reconcile();
    plans.push(made);
    desk.world.advance(made.requeueAfterMs ?? 15 * 60_000);
  }
  beforeEach();
  desk.reconcile();
  return plans;
}
