import { describe, expect, it } from 'vitest';
import { asJson, found, mebibyte, refusal, setUp, spec } from './platform.kit.ts';

function running() {
  const world = setUp();
  const { id } = world.platform.createService(spec({ nodeNames: ['n1'], policy: 'static' }));
  world.pass(10_000);
  const usage = () => world.platform.usageOf(world.only('worker'));
  const nodeUsage = () => world.platform.usageOfNode(world.node('n1'));
  return { ...world, id, usage, nodeUsage };
}

describe('the usage of a container', () => {
  it('follows the load of its service', () => {
    const { platform, id, usage, nodeUsage } = running();
    const idle = usage();
    const idleNode = nodeUsage();
    expect(idle.cpuPercent).toBeGreaterThan(0);
    expect(idle.cpuCores).toHaveLength(4);
    platform.setLoad(id, { cpuPercent: 40, memoryBytes: mebibyte, diskBytes: 2 * mebibyte });
    expect(usage()).toMatchObject({
      cpuPercent: idle.cpuPercent + 40,
      memoryBytes: idle.memoryBytes + mebibyte,
      diskBytes: idle.diskBytes + 2 * mebibyte,
    });
    expect(nodeUsage()).toMatchObject({
      cpuPercent: idleNode.cpuPercent + 40,
      memoryFreeBytes: idleNode.memoryFreeBytes - mebibyte,
      diskFreeBytes: idleNode.diskFreeBytes - 2 * mebibyte,
    });
    platform.setLoad(id, { cpuPercent: 10 });
    expect(usage()).toMatchObject({ cpuPercent: idle.cpuPercent + 10, memoryBytes: idle.memoryBytes + mebibyte });
  });

  it("is limited by the node and by the container's limit", () => {
    const { platform, id, usage, nodeUsage } = running();
    platform.setLoad(id, { cpuPercent: 500, memoryBytes: 1e12, diskBytes: 1e12 });
    expect(usage()).toMatchObject({ cpuPercent: 100, memoryBytes: 64 * mebibyte, diskBytes: 64 * mebibyte });
    expect(nodeUsage().cpuPercent).toBe(100);
    expect(refusal(() => platform.setLoad(id, { cpuPercent: -1 }))).toBe('badRequest');
    expect(refusal(() => platform.setLoad('nobody', {}))).toBe('serviceNotFound');
  });

  it('keeps the maximum of memory until it is redeployed', () => {
    const { platform, pass, id, usage } = running();
    const idle = usage().memoryBytes;
    platform.setLoad(id, { memoryBytes: mebibyte });
    platform.setLoad(id, { memoryBytes: 0 });
    expect(usage()).toMatchObject({ memoryBytes: idle, memoryMaxBytes: idle + mebibyte });
    platform.redeployService(id);
    pass(5_000);
    expect(usage().memoryMaxBytes).toBe(idle);
  });

  it('is 0 when it does not run, and only memory when it is paused', () => {
    const { platform, pass, only, usage } = running();
    platform.controlContainer(only('worker').name, 'pause');
    expect(usage().cpuPercent).toBe(0);
    expect(usage().memoryBytes).toBeGreaterThan(0);
    platform.controlContainer(only('worker').name, 'restart');
    pass(200);
    expect(usage()).toMatchObject({ cpuPercent: 0, memoryBytes: 0, uptimeSeconds: 0 });
  });

  it('counts the time since it started', () => {
    const { pass, usage } = running();
    const before = usage().uptimeSeconds;
    pass(90_500);
    expect(usage().uptimeSeconds - before).toBeCloseTo(90.5, 6);
  });

  it('can be read without changing anything', () => {
    const { platform, usage, nodeUsage } = running();
    const before = asJson(platform.snapshot());
    usage();
    nodeUsage();
    expect(asJson(platform.snapshot())).toEqual(before);
  });
});

describe('the usage of a node', () => {
  it('counts its own and foreign containers', () => {
    const state = running().platform.snapshot();
    for (const node of Object.values(state.nodes))
      Object.assign(node, { otherContainers: 3, otherContainersRunning: 2 });
    const { platform, node } = setUp({ state, nowMs: state.nowMs });
    expect(platform.usageOfNode(node('n1')).containers).toEqual({ total: 4, running: 3, ecsmTotal: 1, ecsmRunning: 1 });
    expect(platform.usageOfNode(node('n2')).containers).toEqual({ total: 3, running: 2, ecsmTotal: 0, ecsmRunning: 0 });
  });

  it('includes the images on its disk', () => {
    const { platform, node } = running();
    const image = found(platform.imageByRef('worker@1.0.0#sylixos'));
    const empty = platform.usageOfNode(node('n2')).diskFreeBytes;
    expect(empty - platform.usageOfNode(node('n1')).diskFreeBytes).toBe(image.sizeBytes + mebibyte);
  });

  it('is unknown while it is offline; its uptime continues', () => {
    const { platform, pass, node, nodeUsage } = running();
    platform.cutNode(node('n1').id);
    expect(nodeUsage()).toMatchObject({ cpuPercent: 0, cpuCores: [], memoryFreeBytes: 0, uptimeSeconds: 0 });
    expect(nodeUsage().containers).toEqual({ total: 1, running: 0, ecsmTotal: 1, ecsmRunning: 0 });
    pass(10_000);
    platform.restoreNode(node('n1').id);
    expect(nodeUsage().uptimeSeconds).toBe(20);
  });
});
