import { describe, expect, it } from 'vitest';
import type { Behaviour } from './behaviour.ts';
import { mebibyte, refusal, setUp, spec, type World } from './platform.kit.ts';

/** A worker with these limits. */
function sized(memoryLimitMB: number, limitMB = 64) {
  return { image: { config: { sylixos: { resources: { memory: { memoryLimitMB }, disk: { limitMB } } } } } };
}

/** Nodes of which so much memory is free: n1, n2, … */
function withFree(freeMB: readonly number[], behaviour: Partial<Behaviour> = {}): World {
  const world = setUp({ nodes: freeMB.length, behaviour });
  freeMB.forEach((free, place) => {
    const node = world.node(`n${place + 1}`);
    world.platform.fillNode(node.id, { memoryBytes: node.memoryTotalBytes - free * mebibyte });
  });
  return world;
}

const placesOf = ({ platform, containers }: World, name = 'worker') =>
  containers(name).map(({ nodeId }) => platform.node(nodeId)?.name);
const deploymentsOf = ({ containers }: World, name = 'worker') =>
  containers(name).map(({ deployStatus }) => deployStatus);

describe('a node without room', () => {
  it('is skipped while another has room, although it has fewer containers', () => {
    const world = withFree([63, 200]);
    const { platform, pass } = world;
    platform.createService(spec({ factor: 2, nodeNames: ['n1', 'n2'] }));
    pass(10_000);
    expect(placesOf(world)).toEqual(['n2', 'n2']);
    expect(deploymentsOf(world)).toEqual(['success', 'success']);
  });

  it('is used by a switch, and the deployment fails with a message', () => {
    const world = withFree([63, 200], { fullNode: 'use' });
    const { platform, pass, containers } = world;
    platform.createService(spec({ factor: 2, nodeNames: ['n1', 'n2'] }));
    pass(10_000);
    expect(placesOf(world)).toEqual(['n2', 'n1']);
    expect(deploymentsOf(world)).toEqual(['success', 'failure']);
    expect(containers('worker')[1]?.failedMessage).toBe(
      `节点内存不足: 需要 ${64 * mebibyte} 字节, 剩余 ${63 * mebibyte} 字节`,
    );
  });

  it('is overcommitted by a switch', () => {
    const world = withFree([0], { outOfMemory: 'overcommit' });
    world.platform.createService(spec({ factor: 3, nodeNames: ['n1'] }));
    world.pass(10_000);
    expect(deploymentsOf(world)).toEqual(['success', 'success', 'success']);
    expect(world.platform.usageOfNode(world.node('n1')).memoryFreeBytes).toBe(0);
  });

  it('gets no instance of a lost node until it has room again', () => {
    const world = withFree([200, 79]);
    const { platform, pass, node } = world;
    platform.createService(spec({ nodeNames: ['n1', 'n2'] }));
    platform.createService(spec({ name: 'other', policy: 'static', nodeNames: ['n2'] }));
    pass(10_000);
    platform.cutNode(node('n1').id);
    pass(60_000);
    expect(placesOf(world)).toEqual(['n1']);
    platform.deleteService(world.service('other').id);
    pass(60_000);
    expect(placesOf(world)).toEqual(['n2']);
    expect(deploymentsOf(world)).toEqual(['success']);
  });
});

describe('by usage', () => {
  it('a container needs its limit of the memory that is not used now', () => {
    const world = withFree([100], { capacityAccounting: 'usage' });
    world.platform.createService(spec({ name: 'first', nodeNames: ['n1'] }));
    world.pass(10_000);
    world.platform.createService(spec({ nodeNames: ['n1'] }));
    world.pass(10_000);
    // The first uses 16 of its 64 MiB.
    expect(deploymentsOf(world)).toEqual(['success']);
    world.platform.createService(spec({ name: 'third', nodeNames: ['n1'], ...sized(69) }));
    world.pass(10_000);
    expect(deploymentsOf(world, 'third')).toEqual(['failure']);
  });
});

describe('by limits', () => {
  const byLimit = { capacityAccounting: 'limit' } as const;

  it('a container needs what the limits of the others leave, to the byte', () => {
    const world = withFree([128], byLimit);
    world.platform.createService(spec({ name: 'first', nodeNames: ['n1'] }));
    world.platform.createService(spec({ nodeNames: ['n1'] }));
    world.platform.createService(spec({ name: 'third', nodeNames: ['n1'], ...sized(1) }));
    world.pass(10_000);
    expect(deploymentsOf(world, 'first')).toEqual(['success']);
    expect(deploymentsOf(world)).toEqual(['success']);
    expect(deploymentsOf(world, 'third')).toEqual(['failure']);
  });

  it('a container without a declared limit takes what it uses', () => {
    const world = withFree([100], byLimit);
    const undeclared = { nodeNames: ['n1'], image: { config: {} } };
    world.platform.createService(spec({ name: 'first', ...undeclared }));
    world.platform.createService(spec({ name: 'second', ...undeclared }));
    world.pass(10_000);
    expect(world.only('first')).toMatchObject({ deployStatus: 'success', memoryLimitBytes: 2048 * mebibyte });
    world.platform.createService(spec({ name: 'third', nodeNames: ['n1'], ...sized(68) }));
    world.platform.createService(spec({ name: 'fourth', ...undeclared }));
    world.pass(10_000);
    expect(deploymentsOf(world, 'third')).toEqual(['success']);
    expect(deploymentsOf(world, 'fourth')).toEqual(['failure']);
  });

  it('the oldest of several deployments succeed', () => {
    const world = withFree([200], byLimit);
    world.platform.createService(spec({ factor: 5, nodeNames: ['n1'] }));
    world.pass(10_000);
    expect(deploymentsOf(world)).toEqual(['success', 'success', 'success', 'failure', 'failure']);
  });

  it('a container that is redeployed needs its new limit only', () => {
    const world = withFree([128], byLimit);
    const { id } = world.platform.createService(spec({ nodeNames: ['n1'], ...sized(100) }));
    world.pass(10_000);
    world.platform.updateService(id, spec({ nodeNames: ['n1'], ...sized(128) }));
    world.pass(10_000);
    expect(deploymentsOf(world)).toEqual(['success']);
    world.platform.updateService(id, spec({ nodeNames: ['n1'], ...sized(129) }));
    world.pass(10_000);
    expect(deploymentsOf(world)).toEqual(['failure']);
  });

  it('a container needs its disk limit too', () => {
    const world = setUp({ nodes: 1, behaviour: byLimit });
    const { platform, pass, only, node } = world;
    // The image has 10 MB.
    const diskBytes = node('n1').diskTotalBytes - 128 * mebibyte - 10_000_000;
    platform.fillNode(node('n1').id, { diskBytes });
    platform.createService(spec({ name: 'first', nodeNames: ['n1'], ...sized(64, 100) }));
    pass(10_000);
    platform.createService(spec({ nodeNames: ['n1'], ...sized(64, 29) }));
    pass(10_000);
    expect(only('first').deployStatus).toBe('success');
    expect(only('worker').failedMessage).toBe(
      `节点磁盘空间不足: 需要 ${29 * mebibyte} 字节, 剩余 ${28 * mebibyte} 字节`,
    );
  });
});

describe.each(['usage', 'limit'] as const)('with `refuse`, by %s', (capacityAccounting) => {
  const refuse = { outOfMemory: 'refuse', capacityAccounting } as const;

  it('a service that does not fit is rejected, and nothing changes', () => {
    const world = withFree([100, 100], refuse);
    const before = world.platform.snapshot();
    const create = (factor: number) => () =>
      world.platform.createService(spec({ factor, nodeNames: ['n1', 'n2'], ...sized(100) }));
    expect(refusal(create(3))).toBe('nodeMemory');
    expect(world.platform.snapshot()).toEqual(before);
    expect(refusal(create(2))).toBe('not refused');
    world.pass(10_000);
    expect(deploymentsOf(world)).toEqual(['success', 'success']);
  });

  it('a static service needs room on each of its nodes', () => {
    const world = withFree([100, 63], refuse);
    const create = (nodeNames: readonly string[]) => () =>
      world.platform.createService(spec({ policy: 'static', nodeNames }));
    expect(refusal(create(['n1', 'n2']))).toBe('nodeMemory');
    expect(refusal(create(['n1']))).toBe('not refused');
  });

  it('an update that adds instances or raises their limit is rejected, others are not', () => {
    const world = withFree([100, 100], refuse);
    const nodeNames = ['n1', 'n2'];
    const { id } = world.platform.createService(spec({ factor: 2, nodeNames }));
    world.pass(10_000);
    const update = (factor: number, memoryMB: number) => () =>
      world.platform.updateService(id, spec({ factor, nodeNames, ...sized(memoryMB) }));
    expect(refusal(update(2, 101))).toBe('nodeMemory');
    expect(refusal(update(4, 64))).toBe(capacityAccounting === 'limit' ? 'nodeMemory' : 'not refused');
    expect(refusal(update(2, 100))).toBe('not refused');
    world.pass(10_000);
    expect(refusal(update(3, 100))).toBe('nodeMemory');
    expect(refusal(update(1, 100))).toBe('not refused');
    world.pass(10_000);
    expect(deploymentsOf(world)).toEqual(['success']);
  });

  it('an instance that waits for an offline node is accepted', () => {
    const world = withFree([0], refuse);
    world.platform.cutNode(world.node('n1').id);
    expect(refusal(() => world.platform.createService(spec({ nodeNames: ['n1'] })))).toBe('not refused');
  });
});

describe('foreign containers', () => {
  it('take memory, and count on the node', () => {
    const { platform, node } = setUp();
    const before = platform.usageOfNode(node('n1'));
    const memoryBytes = node('n1').memoryOtherBytes + 100 * mebibyte;
    platform.fillNode(node('n1').id, { memoryBytes, containers: 2 });
    const after = platform.usageOfNode(node('n1'));
    expect(before.memoryFreeBytes - after.memoryFreeBytes).toBe(100 * mebibyte);
    expect(after.containers).toEqual({ total: 2, running: 2, ecsmTotal: 0, ecsmRunning: 0 });
    platform.fillNode(node('n1').id, { containers: 0 });
    expect(platform.usageOfNode(node('n1')).containers.total).toBe(0);
    expect(refusal(() => platform.fillNode(node('n1').id, { containers: -1 }))).toBe('badRequest');
  });
});
