/** Rolling updates, step by step. */
import { describe, expect, it } from 'vitest';
import type { Plan } from './model.ts';
import { plan } from './plan.ts';
import { dynamic, fixed, image, PlanHarness, rolling, spec } from './plan-harness.kit.ts';
import type { ModelContainer, ModelService } from './platform-model.kit.ts';

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

function walk(harness: PlanHarness): string[] {
  const { hash } = harness.revision;
  return harness
    .settle()
    .map((made) => steps(made, hash).join(', '))
    .filter((text) => text !== '');
}

function started(strategy: Parameters<typeof spec>[0]): PlanHarness {
  const harness = new PlanHarness(spec(strategy), { startMsMax: 0 });
  harness.settle();
  harness.edit({ template: image(2) });
  return harness;
}

describe('a rolling update of a dynamic service', () => {
  it('shrinks the old one and grows the new one within its bounds', () => {
    const harness = started({ deploymentStrategy: dynamic(3), updateStrategy: rolling(1, 1) });
    expect(walk(harness)).toEqual([
      'create worker-NEW 1, update worker 2',
      'update worker-NEW 2, update worker 1',
      'update worker-NEW 3, delete worker',
    ]);
  });

  it('never has more instances than desired if maxSurge is 0', () => {
    const harness = started({ deploymentStrategy: dynamic(2), updateStrategy: rolling(0, 1) });
    expect(walk(harness)).toEqual(['update worker 1', 'create worker-NEW 1', 'delete worker', 'update worker-NEW 2']);
  });

  it('never has fewer ready instances than desired if maxUnavailable is 0', () => {
    const harness = started({ deploymentStrategy: dynamic(2), updateStrategy: rolling(1, 0) });
    expect(walk(harness)).toEqual(['create worker-NEW 1', 'update worker 1', 'update worker-NEW 2', 'delete worker']);
  });
});

describe('a rolling update of a static service', () => {
  it('removes the old instance of a node when the new one is ready there', () => {
    const harness = started({ deploymentStrategy: fixed(2), updateStrategy: rolling(1, 0) });
    expect(walk(harness)).toEqual([
      'create worker-NEW n1',
      'update worker n2',
      'update worker-NEW n1+n2',
      'delete worker',
    ]);
  });

  it('removes the old instance of a node first if maxSurge is 0', () => {
    const harness = started({ deploymentStrategy: fixed(2), updateStrategy: rolling(0, 1) });
    expect(walk(harness)).toEqual([
      'update worker n2',
      'create worker-NEW n1',
      'delete worker',
      'update worker-NEW n1+n2',
    ]);
  });
});

describe('a rolling update that is interrupted', () => {
  function halfWay(): PlanHarness {
    const harness = started({ deploymentStrategy: dynamic(4), updateStrategy: rolling(1, 1) });
    harness.reconcile();
    harness.platform.advance(2_000);
    expect(sizes(harness)).toEqual({ worker: 3, [`worker-${harness.revision.hash}`]: 1 });
    return harness;
  }

  it('stops while paused, and continues afterwards', () => {
    const harness = halfWay();
    harness.edit({ paused: true });
    harness.settle();
    expect(harness.platform.services).toHaveLength(2);
    expect(harness.condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'Paused' });
    harness.edit({ paused: false });
    harness.settle();
    expect(sizes(harness)).toEqual({ [`worker-${harness.revision.hash}`]: 4 });
  });

  it('scales while paused without shifting between revisions', () => {
    const harness = halfWay();
    const { hash } = harness.revision;
    harness.edit({ paused: true, deploymentStrategy: dynamic(6) });
    harness.settle();
    expect(sizes(harness)).toEqual({ worker: 5, [`worker-${hash}`]: 1 });
    harness.edit({ deploymentStrategy: dynamic(2) });
    harness.settle();
    expect(sizes(harness)).toEqual({ worker: 2, [`worker-${hash}`]: 1 });
  });

  it.each([
    { maxSurge: 1, wanted: 4, left: [4, 1] },
    { maxSurge: 1, wanted: 2, left: [2, 1] },
    { maxSurge: 0, wanted: 3, left: [2, 1] },
    { maxSurge: 0, wanted: 2, left: [1, 1] },
    { maxSurge: 0, wanted: 1, left: [1] },
  ])('scales down to $wanted while paused, with $maxSurge more at most', ({ maxSurge, wanted, left }) => {
    const harness = new PlanHarness(spec({ deploymentStrategy: dynamic(6), updateStrategy: rolling(maxSurge, 1) }));
    harness.place(1, { replicas: 5 });
    harness.platform.advance(1_000);
    harness.place(2, { replicas: 1 });
    harness.edit({ template: image(2), paused: true });
    harness.settle();
    harness.edit({ deploymentStrategy: dynamic(wanted) });
    harness.settle();
    expect(Object.values(sizes(harness)).sort().reverse()).toEqual(left);
    expect(harness.platform.containers).toHaveLength(left.reduce((sum, size) => sum + size, 0));
  });

  it('is undone by scaling the old service up again', () => {
    const harness = halfWay();
    harness.edit({ template: image(1) });
    harness.settle();
    expect(sizes(harness)).toEqual({ worker: 4 });
  });

  it('continues with the newest revision', () => {
    const harness = halfWay();
    harness.edit({ template: image(3) });
    harness.settle();
    expect(sizes(harness)).toEqual({ [`worker-${harness.revision.hash}`]: 4 });
  });

  it('ends with one service even if the strategy has changed', () => {
    const harness = halfWay();
    harness.edit({ updateStrategy: { type: 'InPlace' } });
    harness.settle();
    expect(sizes(harness)).toEqual({ [`worker-${harness.revision.hash}`]: 4 });
  });

  it('uses another name if that of the revision is in use', () => {
    const harness = started({ updateStrategy: rolling() });
    harness.settle();
    const { hash } = harness.revision;
    harness.edit({ template: image(3), updateStrategy: { type: 'InPlace' } });
    harness.settle();
    expect(sizes(harness)).toEqual({ [`worker-${hash}`]: 2 });
    harness.edit({ template: image(2), updateStrategy: rolling() });
    harness.settle();
    const next = (Number.parseInt(hash, 16) + 1).toString(16).padStart(8, '0');
    expect(sizes(harness)).toEqual({ [`worker-${next}`]: 2 });
  });
});

describe('a rolling update to a revision that does not work', () => {
  const break_ = (one: ModelContainer) => {
    one.deployment = 'failure';
    one.status = 'created';
    one.message = 'image not found';
    one.startedMs = undefined;
  };

  function stuck(): PlanHarness {
    const harness = started({
      deploymentStrategy: dynamic(3),
      updateStrategy: { ...rolling(1, 0), progressDeadlineSeconds: 60 },
    });
    const breakNewest = () => newest(harness)?.containers.forEach(break_);
    live(harness, 120_000, breakNewest);
    return harness;
  }

  const newest = (harness: PlanHarness): ModelService | undefined =>
    harness.platform.services.find(({ body }) => body.name === `worker-${harness.revision.hash}`);

  it('stops within its bounds, and reports the cause after the deadline', () => {
    const harness = stuck();
    expect(sizes(harness)).toEqual({ worker: 3, [`worker-${harness.revision.hash}`]: 1 });
    const progressing = harness.condition('Progressing');
    expect(progressing).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    expect(progressing?.message).toContain('image not found');
    expect(harness.condition('Available')?.status).toBe('True');
  });

  it('is not polled frequently after the deadline', () => {
    const harness = stuck();
    const plans = live(harness, 7_200_000, () => newest(harness)?.containers.forEach(break_));
    expect(plans.length).toBeLessThan(60);
  });

  it('is replaced by a working one without spare capacity', () => {
    const harness = stuck();
    harness.edit({ template: image(3) });
    harness.settle();
    expect(sizes(harness)).toEqual({ [`worker-${harness.revision.hash}`]: 3 });
  });

  it('can be undone', () => {
    const harness = stuck();
    harness.edit({ template: image(1) });
    harness.settle();
    expect(sizes(harness)).toEqual({ worker: 3 });
    expect(harness.condition('Progressing')?.reason).toBe('Complete');
  });
});

describe('old instances that are broken', () => {
  it('are removed by their nodes if maxSurge is 0', () => {
    const harness = new PlanHarness(
      spec({
        deploymentStrategy: { type: 'Dynamic', replicas: 3, nodePool: ['n1', 'n2', 'n3'] },
        updateStrategy: rolling(0, 1),
      }),
    );
    harness.settle();
    const old = harness.platform.named('worker');
    for (const [index, one] of old.containers.entries()) one.node = `n${index + 1}`;
    const broken = old.containers[0];
    if (broken === undefined) throw new Error('no container');
    harness.edit({ template: image(2) });
    live(harness, 300_000, () => {
      if (!old.containers.includes(broken)) return;
      broken.deployment = 'failure';
      broken.status = 'created';
      broken.dueMs = undefined;
    });
    expect(sizes(harness)).toEqual({ [`worker-${harness.revision.hash}`]: 3 });
    expect(harness.platform.ready).toHaveLength(3);
  });

  it('are not removed while they are being redeployed', () => {
    const harness = started({ deploymentStrategy: dynamic(1), updateStrategy: rolling(1, 0) });
    const [one] = harness.platform.containers;
    if (one === undefined) throw new Error('no container');
    one.deployment = 'deploying';
    one.status = 'created';
    expect(harness.reconcile().steps.map((step) => step.do)).toEqual(['create']);
  });

  it('are not removed while they are down briefly', () => {
    const harness = started({ deploymentStrategy: dynamic(1), updateStrategy: rolling(1, 0) });
    const [one] = harness.platform.containers;
    if (one === undefined) throw new Error('no container');
    harness.platform.crash(one, 5_000);
    expect(harness.reconcile().steps.map((step) => step.do)).toEqual(['create']);
    expect(harness.platform.services).toHaveLength(2);
  });
});

describe('a node that is lost during a rolling update', () => {
  const cases = {
    dynamic: { type: 'Dynamic', replicas: 3, nodePool: ['n1', 'n2', 'n3'] },
    static: fixed(3),
  } as const;

  /** Nothing may surge, the instance on n1 is offline, and the update has yet to begin. */
  function lost(kind: keyof typeof cases): PlanHarness {
    const harness = new PlanHarness(spec({ deploymentStrategy: cases[kind], updateStrategy: rolling(0, 1) }));
    harness.settle();
    for (const [index, one] of harness.platform.containers.entries()) one.node = `n${index + 1}`;
    harness.edit({ template: image(2) });
    harness.platform.offline.add('n1');
    return harness;
  }

  it.each(['dynamic', 'static'] as const)('costs a %s service no instance if it is online again soon', (kind) => {
    const harness = lost(kind);
    for (let look = 0; look < 4; look++) {
      harness.reconcile();
      harness.platform.advance(harness.settings.lostNodeGraceMs / 5);
    }
    expect(sizes(harness)).toEqual({ worker: 3 });
    harness.platform.offline.clear();
    harness.settle();
    expect(sizes(harness)).toEqual({ [`worker-${harness.revision.hash}`]: 3 });
  });

  it.each(['dynamic', 'static'] as const)('no longer blocks a %s service after the grace period', (kind) => {
    const harness = lost(kind);
    live(harness, harness.settings.lostNodeGraceMs * 2, () => {});
    expect(sizes(harness)).not.toEqual({ worker: 3 });
  });
});

describe('a service that is being deleted', () => {
  it('counts until it is deleted, also when the update is paused then', () => {
    const harness = started({ deploymentStrategy: dynamic(3), updateStrategy: rolling(0, 1) });
    for (let round = 0; round < 3; round++) {
      harness.reconcile();
      if (round < 2) harness.platform.advance(2_000);
    }
    const going = harness.platform.containers.filter(({ goneMs }) => goneMs !== undefined);
    expect(going).toHaveLength(1);
    for (const one of going) one.goneMs = harness.platform.nowMs + 60_000;
    harness.edit({ paused: true });
    expect(harness.reconcile().steps).toEqual([]);
    harness.platform.advance(60_000);
    expect(harness.reconcile().steps).toHaveLength(1);
    expect(harness.platform.containers).toHaveLength(3);
  });

  it('counts until it is deleted, also when the update is undone before a second service was created', () => {
    const harness = started({ deploymentStrategy: dynamic(2), updateStrategy: rolling(0, 1) });
    harness.reconcile();
    const going = harness.platform.containers.filter(({ goneMs }) => goneMs !== undefined);
    expect(going).toHaveLength(1);
    for (const one of going) one.goneMs = harness.platform.nowMs + 60_000;
    harness.edit({ template: image(1) });
    expect(harness.reconcile().steps).toEqual([]);
    harness.platform.advance(60_000);
    harness.settle();
    expect(sizes(harness)).toEqual({ worker: 2 });
  });

  it('does not count as ready if it never ran before', () => {
    const harness = new PlanHarness(
      spec({ deploymentStrategy: dynamic(3), updateStrategy: rolling(1, 0), template: image(3) }),
    );
    harness.place(1, { replicas: 3 });
    harness.platform.advance(5_000);
    const [late] = harness.place(2, { replicas: 1 }).containers;
    if (late === undefined) throw new Error('no container');
    late.startedMs = harness.platform.nowMs;
    expect(harness.reconcile().steps).toEqual([]);
    harness.platform.advance(10_000);
    expect(harness.reconcile().steps.map((step) => step.do)).toEqual(['update']);
  });

  it('keeps its share: only the oldest removes an instance before the new one is created', () => {
    const harness = new PlanHarness(
      spec({ deploymentStrategy: fixed(4), updateStrategy: rolling(2, 2), template: image(3) }),
    );
    const oldest = harness.place(1, { nodeNames: ['n1', 'n2'] });
    harness.platform.advance(1_000);
    const second = harness.place(2, { nodeNames: ['n4'] });
    harness.platform.advance(1_000);
    const [starting] = harness.place(3, { nodeNames: ['n1', 'n3'] }).containers;
    if (starting === undefined) throw new Error('no container');
    starting.deployment = 'deploying';
    starting.status = 'created';
    const { steps: list } = harness.plan();
    expect(list.some((step) => 'id' in step && step.id === second.id)).toBe(false);
    harness.platform.services.splice(harness.platform.services.indexOf(oldest), 1);
    expect(harness.plan().steps.some((step) => 'id' in step && step.id === second.id)).toBe(false);
  });

  it('is chosen again in any order of the list', () => {
    const harness = new PlanHarness(
      spec({ deploymentStrategy: dynamic(4), updateStrategy: rolling(1, 1), template: image(4) }),
    );
    for (const version of [1, 2, 3]) harness.place(version, { replicas: 1 });
    const input = harness.input();
    const reversed = plan({ ...input, observed: input.observed.toReversed() });
    expect(reversed).toEqual(plan(input));
    expect(reversed.steps.length).toBeGreaterThan(0);
  });
});

function sizes(harness: PlanHarness): Record<string, number> {
  const staying = harness.platform.services.filter(({ goneMs }) => goneMs === undefined);
  return Object.fromEntries(staying.map(({ body }) => [body.name, body.factor ?? body.node.names.length]));
}

/** Reconciles whenever a plan asks for it, for so long. */
function live(harness: PlanHarness, ms: number, beforeEach: () => void): Plan[] {
  const endMs = harness.platform.nowMs + ms;
  const plans: Plan[] = [];
  while (harness.platform.nowMs < endMs) {
    beforeEach();
    const made = harness.reconcile();
    plans.push(made);
    harness.platform.advance(made.requeueAfterMs ?? 15 * 60_000);
  }
  beforeEach();
  harness.reconcile();
  return plans;
}
