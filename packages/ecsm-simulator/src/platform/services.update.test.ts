import { describe, expect, it } from 'vitest';
import type { Behaviour } from './behaviour.ts';
import { refusal, setUp, spec, startMs, type World } from './platform.kit.ts';

const newer = { ref: 'worker@1.1.0#sylixos' };

/** A service of three instances that run. */
function running(
  behaviour: Partial<Behaviour> = {},
): World & { readonly id: string; readonly before: readonly string[] } {
  const world = setUp({ behaviour });
  const { id, taskIds } = world.platform.createService(spec({ factor: 3 }));
  world.pass(10_000);
  return { ...world, id, before: taskIds };
}

const tasksOf = (world: World) => world.containers('worker').map(({ taskId }) => taskId);
const statuses = (world: World) => world.containers('worker').map(({ status }) => status);

describe('an update', () => {
  it('of the image redeploys all containers in place', () => {
    const world = running();
    const { platform, pass, id, before, containers } = world;
    platform.killContainer(before[0] ?? '');
    pass(3_000);
    expect(containers('worker')[0]?.restartCnt).toBe(1);
    expect(platform.updateService(id, spec({ factor: 3, image: newer }))).toEqual({ id, taskIds: before });
    expect(statuses(world)).toEqual(['created', 'created', 'created']);
    pass(10_000);
    expect(tasksOf(world)).toEqual(before);
    for (const container of containers('worker')) {
      expect(container).toMatchObject({ imageRef: newer.ref, status: 'running', deployNum: 2, restartCnt: 0 });
    }
  });

  it('is sequential by a switch: at most one container is down', () => {
    const world = running({ update: 'roll' });
    const { platform, pass, id, containers, service } = world;
    platform.updateService(id, spec({ factor: 3, image: newer }));
    const awayMost: number[] = [];
    for (let tenth = 0; tenth < 100; tenth++) {
      awayMost.push(statuses(world).filter((status) => status !== 'running').length);
      if (awayMost.at(-1) !== 0) expect(platform.statusOfService(service('worker'))).toBe('deploying');
      pass(100);
    }
    expect(Math.max(...awayMost)).toBe(1);
    expect(containers('worker').map(({ imageRef, deployNum }) => [imageRef, deployNum])).toEqual([
      [newer.ref, 2],
      [newer.ref, 2],
      [newer.ref, 2],
    ]);
    expect(platform.statusOfService(service('worker'))).toBe('complete');
  });

  it('that is sequential continues when one fails', () => {
    const { platform, pass, id, containers } = running({ update: 'roll' });
    platform.failDeployments({ count: 1, message: 'broken' });
    platform.updateService(id, spec({ factor: 3, image: newer }));
    pass(20_000);
    expect(containers('worker').map(({ deployStatus }) => deployStatus)).toEqual(['failure', 'success', 'success']);
    for (const { imageRef } of containers('worker')) expect(imageRef).toBe(newer.ref);
  });

  it.each([
    ['before its turn', 1],
    ['in its turn', 0],
  ])('that rolls goes past a container whose node is lost %s', (_, place) => {
    const { platform, pass, id, containers } = running({ update: 'roll', migrationDelayMs: 600_000 });
    const lost = containers('worker')[place]?.nodeId ?? '';
    platform.updateService(id, spec({ factor: 3, image: newer }));
    platform.cutNode(lost);
    pass(20_000);
    for (const { nodeId, imageRef, status } of containers('worker')) {
      expect([imageRef, status]).toEqual([newer.ref, nodeId === lost ? 'created' : 'running']);
    }
    platform.restoreNode(lost);
    pass(20_000);
    expect(containers('worker').map(({ status }) => status)).toEqual(['running', 'running', 'running']);
  });

  it('that is sequential continues when its current container moves back to its node, or is removed', () => {
    const { platform, pass, id, containers, node } = running({ update: 'roll', failBack: 'always' });
    platform.cutNode(node('n1').id);
    pass(60_000);
    const moved = containers('worker').at(-1);
    platform.updateService(id, spec({ factor: 3, image: newer }));
    while (containers('worker').at(-1)?.deployStatus !== 'deploying') pass(100);
    expect(containers('worker').at(-1)?.taskId).toBe(moved?.taskId);
    platform.restoreNode(node('n1').id);
    pass(20_000);
    expect(platform.container(moved?.taskId ?? '')).toBeUndefined();
    expect(platform.service(id)).toMatchObject({ rolling: null, rollQueue: [] });
    platform.updateService(id, spec({ factor: 3, image: { ref: 'worker@1.0.0#sylixos' } }));
    platform.updateService(id, spec({ factor: 0, image: { ref: 'worker@1.0.0#sylixos' } }));
    pass(20_000);
    expect(platform.service(id)).toMatchObject({ rolling: null, rollQueue: [] });
  });

  it('replaces containers by new tasks by a switch', () => {
    const world = running({ updateTaskId: 'new' });
    const { platform, pass, id, before, containers } = world;
    const { taskIds } = platform.updateService(id, spec({ factor: 3, image: newer }));
    pass(10_000);
    expect(tasksOf(world)).toEqual(taskIds);
    expect(before.some((taskId) => taskIds.includes(taskId))).toBe(false);
    for (const container of containers('worker')) expect(container).toMatchObject({ status: 'running', deployNum: 1 });
  });

  it('assigns a new id by a switch, and keeps the records', () => {
    const world = running({ updateServiceId: 'new' });
    const { platform, pass, id, service } = world;
    platform.setLoadBalance(id, { mode: 'masterSlave', detail: [{ id: world.before[0] ?? '', master: true }] });
    const updated = platform.updateService(id, spec({ factor: 3, image: newer }));
    pass(10_000);
    expect(updated.id).not.toBe(id);
    expect(platform.service(id)).toBeUndefined();
    expect(service('worker')).toMatchObject({ id: updated.id, createdMs: startMs });
    expect(statuses(world)).toEqual(['running', 'running', 'running']);
    expect(platform.recordsOf(updated.id)).toHaveLength(2);
    expect(platform.loadBalanceOf(updated.id).mode).toBe('masterSlave');
    expect(refusal(() => platform.rollbackService(updated.id, platform.recordsOf(updated.id)[0]?.id ?? ''))).toBe(
      'not refused',
    );
  });

  it('keeps unchanged containers, and updates the time nevertheless', () => {
    const world = running();
    world.platform.updateService(world.id, spec({ factor: 3, image: { pullPolicy: 'Always', autoUpgrade: 'Larger' } }));
    expect(statuses(world)).toEqual(['running', 'running', 'running']);
    expect(world.service('worker').updatedMs).toBe(startMs + 10_000);
    expect(world.platform.recordsOf(world.id)).toHaveLength(2);
  });

  it('redeploys even those by a switch', () => {
    const world = running({ updateUnchanged: 'redeploy' });
    world.platform.updateService(world.id, spec({ factor: 3 }));
    expect(statuses(world)).toEqual(['created', 'created', 'created']);
  });

  it.each([
    ['configuration', { config: { sylixos: {} } }],
    ['action', { action: 'load' as const }],
    ['VSOA settings', { vsoa: { port: 5_000 } }],
    ['something the platform does not know', { colour: 'red' }],
  ])('of the %s deploys containers again', (_, image) => {
    const world = running();
    world.platform.updateService(world.id, spec({ factor: 3, image }));
    expect(statuses(world)).toEqual(['created', 'created', 'created']);
  });

  it('during another one continues with the newest', () => {
    for (const update of ['recreate', 'roll'] as const) {
      const world = running({ update });
      const { platform, pass, id } = world;
      platform.updateService(id, spec({ factor: 3, image: newer }));
      pass(1_500);
      platform.updateService(id, spec({ factor: 3, image: { ref: 'worker@latest#sylixos' } }));
      pass(20_000);
      for (const container of world.containers('worker')) {
        expect(container).toMatchObject({ imageRef: 'worker@latest#sylixos', status: 'running' });
      }
    }
  });

  it('without changes does not end a sequential one', () => {
    const world = running({ update: 'roll', updateServiceId: 'new' });
    const { platform, pass } = world;
    const { id } = platform.updateService(world.id, spec({ factor: 3, image: newer }));
    pass(500);
    platform.updateService(id, spec({ factor: 4, image: newer }));
    pass(20_000);
    for (const { imageRef, status } of world.containers('worker')) {
      expect([imageRef, status]).toEqual([newer.ref, 'running']);
    }
  });

  it('retries failed deployments', () => {
    const { platform, pass, only } = setUp();
    platform.failDeployments({ count: 1 });
    const { id } = platform.createService(spec());
    pass(5_000);
    expect(only('worker').deployStatus).toBe('failure');
    platform.updateService(id, spec());
    pass(5_000);
    expect(only('worker').status).toBe('running');
  });

  it('can rename the service, unless a switch forbids it', () => {
    const world = running();
    world.platform.updateService(world.id, spec({ name: 'other', factor: 3 }));
    expect(world.platform.serviceNamed('worker')).toBeUndefined();
    expect(world.service('other').id).toBe(world.id);
    const strict = running({ rename: 'refuse' });
    expect(refusal(() => strict.platform.updateService(strict.id, spec({ name: 'other' })))).toBe('badRequest');
  });

  it('is rejected for an unknown id, a name that is taken, and a service that is being deleted', () => {
    const { platform, id } = running();
    platform.createService(spec({ name: 'other' }));
    expect(refusal(() => platform.updateService('nobody', spec()))).toBe('serviceNotFound');
    expect(refusal(() => platform.updateService(id, spec({ name: 'other' })))).toBe('serviceNameTaken');
    expect(refusal(() => platform.updateService(id, spec({ nodeNames: ['n9'] })))).toBe('nodeNotFound');
    platform.deleteService(id);
    expect(refusal(() => platform.updateService(id, spec()))).toBe('serviceBusy');
  });
});

describe('scaling', () => {
  it('down removes the newest instances, and keeps the others running', () => {
    const world = running();
    world.platform.updateService(world.id, spec({ factor: 1 }));
    expect(world.containers('worker').map(({ leaving }) => leaving)).toEqual([false, true, true]);
    world.pass(200);
    expect(tasksOf(world)).toEqual([world.before[0]]);
    expect(statuses(world)).toEqual(['running']);
  });

  it('up starts new instances even of a stopped service, and keeps the stopped ones stopped', () => {
    const world = running();
    world.platform.controlService(world.id, 'stop');
    world.pass(1_000);
    world.platform.updateService(world.id, spec({ factor: 4 }));
    world.pass(5_000);
    expect(statuses(world)).toEqual(['exited', 'exited', 'exited', 'running']);
  });

  it('of nodes removes instances on nodes no longer listed, and creates them on the others', () => {
    const world = running();
    const { platform, id, pass, containers, node } = world;
    const staying = containers('worker').filter(({ nodeId }) => nodeId !== node('n3').id);
    platform.updateService(id, spec({ factor: 3, nodeNames: ['n1', 'n2'] }));
    pass(10_000);
    expect(containers('worker')).toHaveLength(3);
    expect(containers('worker').slice(0, 2)).toEqual(staying);
    expect(containers('worker').map(({ nodeId }) => nodeId)).not.toContain(node('n3').id);
  });

  it('follows a change of the policy in both directions', () => {
    const world = setUp();
    const { id } = world.platform.createService(spec({ factor: 5 }));
    world.pass(10_000);
    world.platform.updateService(id, spec({ policy: 'static', factor: 5 }));
    world.pass(10_000);
    const nodeIds = world.containers('worker').map(({ nodeId }) => nodeId);
    expect(nodeIds.sort()).toEqual(
      world.platform
        .nodes()
        .map(({ id }) => id)
        .sort(),
    );
    world.platform.updateService(id, spec({ policy: 'dynamic', factor: 2 }));
    world.pass(10_000);
    expect(statuses(world)).toEqual(['running', 'running']);
  });

  it.each([
    ['keep', 1],
    ['store', 2],
  ] as const)('of a static service does not create instances; its factor (%s)', (staticFactor, factor) => {
    const world = setUp({ behaviour: { staticFactor } });
    const { platform, pass, containers, service } = world;
    const one = { policy: 'static', nodeNames: ['n1'] } as const;
    const { id } = platform.createService(spec({ ...one, factor: 1 }));
    platform.updateService(id, spec({ ...one, factor: 2 }));
    pass(10_000);
    expect(service('worker').factor).toBe(factor);
    expect(containers('worker')).toHaveLength(1);
    platform.updateService(id, spec({ policy: 'dynamic', nodeNames: ['n1'], factor: 3 }));
    expect(service('worker').factor).toBe(3);
  });

  it('removes containers on an offline node immediately', () => {
    const world = running();
    world.platform.cutNode(world.containers('worker')[2]?.nodeId ?? '');
    world.platform.updateService(world.id, spec({ factor: 2 }));
    expect(tasksOf(world)).toEqual(world.before.slice(0, 2));
  });
});
