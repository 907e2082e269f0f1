import { describe, expect, it } from 'vitest';
import type { Behaviour } from './behaviour.ts';
import { found, setUp, spec, type World } from './platform.kit.ts';

/** A dynamic service of three, one on each node. */
function spread(behaviour: Partial<Behaviour> = {}): World & { readonly id: string } {
  const world = setUp({ behaviour });
  const { id } = world.platform.createService(spec({ factor: 3 }));
  world.pass(10_000);
  return { ...world, id };
}

const placesOf = ({ platform, containers }: World) =>
  containers('worker').map(({ nodeId, status }) => `${platform.node(nodeId)?.name} ${status}`);

describe('a node that is lost', () => {
  it('keeps its containers running with an unknown status', () => {
    const world = spread();
    const { platform, node, containers } = world;
    platform.cutNode(node('n1').id);
    const [first] = containers('worker');
    expect(platform.statusOf(found(first))).toBeNull();
    expect(first?.status).toBe('running');
    expect(platform.isContainerHealthy(found(first))).toBe(false);
    expect(platform.isHealthy(world.service('worker'))).toBe(false);
  });

  it('leaves the last known status by a switch', () => {
    const { platform, node, containers } = spread({ offlineContainerStatus: 'last' });
    platform.cutNode(node('n1').id);
    expect(platform.statusOf(found(containers('worker')[0]))).toBe('running');
  });

  it('for a short time changes nothing: the containers kept running', () => {
    const world = spread();
    const { platform, pass, node, containers } = world;
    const before = containers('worker').map(({ taskId, startedMs }) => [taskId, startedMs]);
    platform.cutNode(node('n1').id);
    pass(29_999);
    platform.restoreNode(node('n1').id);
    pass(60_000);
    expect(containers('worker').map(({ taskId, startedMs }) => [taskId, startedMs])).toEqual(before);
    const [first] = containers('worker');
    expect(platform.usageOf(found(first)).uptimeSeconds).toBeGreaterThan(95);
  });

  it('has its dynamic instances moved as new tasks after the delay', () => {
    const world = spread();
    const { platform, pass, node, containers } = world;
    const [lost] = containers('worker');
    platform.cutNode(node('n1').id);
    pass(30_000);
    expect(platform.container(lost?.taskId ?? '')).toBeUndefined();
    expect(world.containers('worker').at(-1)).toMatchObject({
      deployStatus: 'deploying',
      movedFromNodeId: node('n1').id,
    });
    pass(5_000);
    expect(placesOf(world)).toEqual(['n2 running', 'n3 running', 'n2 running']);
    platform.restoreNode(node('n1').id);
    pass(60_000);
    expect(placesOf(world)).toEqual(['n2 running', 'n3 running', 'n2 running']);
  });

  it('gets its moved instances back by a switch', () => {
    const world = spread({ failBack: 'always' });
    const { platform, pass, node } = world;
    platform.cutNode(node('n1').id);
    pass(60_000);
    platform.restoreNode(node('n1').id);
    pass(10_000);
    expect(placesOf(world)).toEqual(['n2 running', 'n3 running', 'n1 running']);
    expect(world.containers('worker').map(({ movedFromNodeId }) => movedFromNodeId)).toEqual([null, null, null]);
  });

  it('keeps static instances', () => {
    const { platform, pass, node, containers } = setUp();
    platform.createService(spec({ policy: 'static' }));
    pass(10_000);
    const before = containers('worker').map(({ taskId }) => taskId);
    platform.cutNode(node('n1').id);
    pass(3_600_000);
    expect(containers('worker').map(({ taskId }) => taskId)).toEqual(before);
  });

  it('keeps its instances until another node returns', () => {
    const world = spread();
    const { platform, pass, node } = world;
    for (const name of ['n1', 'n2', 'n3']) platform.cutNode(node(name).id);
    pass(120_000);
    expect(placesOf(world)).toEqual(['n1 running', 'n2 running', 'n3 running']);
    platform.restoreNode(node('n3').id);
    pass(10_000);
    expect(placesOf(world)).toEqual(['n3 running', 'n3 running', 'n3 running']);
  });

  it('has its instances moved to a node that an update adds', () => {
    const world = setUp();
    const { platform, pass, node } = world;
    const { id } = platform.createService(spec({ nodeNames: ['n1'] }));
    pass(10_000);
    platform.cutNode(node('n1').id);
    pass(60_000);
    platform.updateService(id, spec({ nodeNames: ['n1', 'n2'] }));
    pass(10_000);
    expect(placesOf(world)).toEqual(['n2 running']);
  });

  it('cannot pass an instance to a node that has one if they may not share', () => {
    const world = spread({ shareNode: 'refuse' });
    const { platform, pass, node } = world;
    platform.cutNode(node('n1').id);
    pass(120_000);
    expect(placesOf(world)).toEqual(['n1 running', 'n2 running', 'n3 running']);
  });

  it('has stopped instances moved without starting them', () => {
    const world = spread();
    const { platform, pass, id, node } = world;
    platform.controlService(id, 'stop');
    pass(1_000);
    platform.cutNode(node('n1').id);
    pass(60_000);
    expect(placesOf(world)).toEqual(['n2 exited', 'n3 exited', 'n2 created']);
    platform.controlService(id, 'start');
    pass(5_000);
    expect(placesOf(world)).toEqual(['n2 running', 'n3 running', 'n2 running']);
  });

  it('does not move instances that are being deleted', () => {
    const world = spread({ deleteMs: 60_000 });
    const { platform, pass, id, node } = world;
    platform.cutNode(node('n1').id);
    platform.deleteService(id);
    pass(40_000);
    expect(placesOf(world)).toEqual(['n1 running', 'n2 running', 'n3 running']);
    pass(60_000);
    expect(platform.services()).toEqual([]);
  });

  it('passes the master of a load balance on with the container', () => {
    const world = spread();
    const { platform, pass, id, node, containers } = world;
    platform.setLoadBalance(id, {
      mode: 'masterSlave',
      detail: [{ id: containers('worker')[0]?.taskId ?? '', master: true }],
    });
    platform.cutNode(node('n1').id);
    pass(60_000);
    const moved = containers('worker').at(-1);
    expect(platform.loadBalanceOf(id).detail).toEqual([{ id: moved?.taskId, master: true }]);
  });

  it('twice in a row counts as lost from the second time', () => {
    const world = spread();
    const { platform, pass, node } = world;
    platform.cutNode(node('n1').id);
    pass(20_000);
    platform.restoreNode(node('n1').id);
    platform.cutNode(node('n1').id);
    platform.cutNode(node('n1').id);
    pass(29_999);
    expect(placesOf(world)[0]).toBe('n1 running');
    pass(1);
    expect(placesOf(world)[0]).toBe('n2 running');
  });
});
