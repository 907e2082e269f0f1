import { describe, expect, it } from 'vitest';
import { addNode, mebibyte, setUp, spec, type World } from './platform.kit.ts';

const nodesOf = ({ platform, containers }: World, name = 'worker') =>
  containers(name).map(({ nodeId }) => platform.node(nodeId)?.name);

describe('a dynamic service', () => {
  it('goes to the nodes with the fewest containers', () => {
    const world = setUp();
    world.platform.createService(spec({ name: 'first', policy: 'static', nodeNames: ['n1', 'n2'] }));
    world.platform.createService(spec({ name: 'second', policy: 'static', nodeNames: ['n1'] }));
    world.platform.createService(spec({ factor: 3 }));
    expect(nodesOf(world)).toEqual(['n3', 'n2', 'n3']);
  });

  it('prefers the most free memory among those, and then the first by name', () => {
    const world = setUp();
    const { platform, node } = world;
    platform.fillNode(node('n1').id, { memoryBytes: 600 * mebibyte });
    platform.fillNode(node('n3').id, { memoryBytes: 500 * mebibyte });
    platform.createService(spec({ factor: 3 }));
    expect(nodesOf(world)).toEqual(['n3', 'n2', 'n1']);
    platform.createService(spec({ name: 'second', nodeNames: ['n2', 'n1'] }));
    expect(nodesOf(world, 'second')).toEqual(['n2']);
    const equal = setUp();
    equal.platform.createService(spec({ nodeNames: ['n3', 'n2', 'n1'] }));
    expect(nodesOf(equal)).toEqual(['n1']);
  });

  it('counts foreign containers on a node', () => {
    const state = setUp().platform.snapshot();
    for (const node of Object.values(state.nodes)) node.otherContainers = node.name === 'n2' ? 0 : 4;
    const world = setUp({ state });
    world.platform.createService(spec({ factor: 3 }));
    expect(nodesOf(world)).toEqual(['n2', 'n2', 'n2']);
  });

  it('avoids offline nodes, unless there is no other', () => {
    const world = setUp();
    const { platform, node } = world;
    platform.cutNode(node('n1').id);
    platform.createService(spec({ factor: 2 }));
    expect(nodesOf(world)).toEqual(['n2', 'n3']);
    platform.createService(spec({ name: 'second', nodeNames: ['n1'] }));
    expect(nodesOf(world, 'second')).toEqual(['n1']);
  });

  it('uses only the nodes that it lists', () => {
    const world = setUp();
    world.platform.createService(spec({ factor: 4, nodeNames: ['n2'] }));
    expect(nodesOf(world)).toEqual(['n2', 'n2', 'n2', 'n2']);
  });
});

describe('sharing a node', () => {
  it('is allowed: more instances than nodes all run', () => {
    const { platform, pass, containers } = setUp({ behaviour: { shareNode: 'allow' } });
    platform.createService(spec({ factor: 5 }));
    pass(10_000);
    expect(containers('worker').map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'running'));
  });

  it('is rejected by a switch: the surplus fails, and is placed when there is a node', () => {
    const world = setUp({ behaviour: { shareNode: 'refuse' } });
    const { platform, pass, containers } = world;
    const { id } = platform.createService(spec({ factor: 4 }));
    pass(10_000);
    expect(containers('worker').map(({ deployStatus }) => deployStatus)).toEqual([
      'success',
      'success',
      'success',
      'failure',
    ]);
    expect(containers('worker')[3]?.failedMessage).toMatch(/^可用节点不足/);
    addNode(platform, 'n4', 4);
    platform.updateService(id, spec({ factor: 4, nodeNames: ['n1', 'n2', 'n3', 'n4'] }));
    pass(10_000);
    expect(nodesOf(world)).toEqual(['n1', 'n2', 'n3', 'n4']);
    expect(platform.isHealthy(world.service('worker'))).toBe(true);
  });

  it('does not affect other services', () => {
    const { platform, pass, only } = setUp({ nodes: 1, behaviour: { shareNode: 'refuse' } });
    platform.createService(spec({ nodeNames: ['n1'] }));
    platform.createService(spec({ name: 'other', nodeNames: ['n1'] }));
    pass(10_000);
    expect([only('worker').status, only('other').status]).toEqual(['running', 'running']);
  });
});
