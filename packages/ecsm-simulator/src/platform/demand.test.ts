import { describe, expect, it } from 'vitest';
import { asJson, mebibyte, setUp, spec } from './platform.kit.ts';

function serving(factor: number) {
  const world = setUp();
  const { platform, pass, containers } = world;
  const { id } = platform.createService(spec({ factor }));
  pass(10_000);
  const cpus = () => containers('worker').map((container) => platform.usageOf(container).cpuPercent);
  const memory = () => containers('worker').map((container) => platform.usageOf(container).memoryBytes / mebibyte);
  const scale = (wanted: number) => {
    platform.updateService(id, spec({ factor: wanted }));
    pass(10_000);
  };
  return { ...world, id, cpus, memory, scale };
}

describe('shared demand', () => {
  it('is divided by the running instances, and moves when their number changes', () => {
    const { platform, id, cpus, scale } = serving(2);
    platform.setLoad(id, { cpuPercentTotal: 120 });
    expect(cpus()).toEqual([60, 60]);
    scale(3);
    expect(cpus()).toEqual([40, 40, 40]);
    scale(1);
    expect(cpus()).toEqual([100]);
    platform.setLoad(id, { cpuPercentTotal: 0 });
    expect(cpus()).toEqual([0.5]);
  });

  it('falls on the others when one stops, or its node is lost', () => {
    const { platform, pass, id, cpus, containers, node } = serving(3);
    platform.setLoad(id, { cpuPercentTotal: 60 });
    platform.controlContainer(containers('worker')[0]?.name ?? '', 'stop');
    pass(1_000);
    expect(cpus()).toEqual([0, 30, 30]);
    platform.cutNode(node('n2').id);
    expect(cpus()).toEqual([0, 0.5, 60]);
  });

  it('counts in the usage of nodes, also when an instance elsewhere starts', () => {
    const { platform, id, scale, node } = serving(1);
    const idle = platform.usageOfNode(node('n1'));
    platform.setLoad(id, { cpuPercentTotal: 80, memoryBytesTotal: 40 * mebibyte });
    const busy = platform.usageOfNode(node('n1'));
    expect(busy.cpuPercent - idle.cpuPercent).toBe(79.5);
    expect(idle.memoryFreeBytes - busy.memoryFreeBytes).toBe(24 * mebibyte);
    scale(2);
    const relieved = platform.usageOfNode(node('n1'));
    expect(relieved.cpuPercent).toBe(idle.cpuPercent + 39.5);
    expect(relieved.memoryFreeBytes).toBe(idle.memoryFreeBytes - 4 * mebibyte);
  });

  it('takes memory up to the limit of each container', () => {
    const { platform, id, memory, scale } = serving(1);
    platform.setLoad(id, { memoryBytesTotal: 100 * mebibyte });
    expect(memory()).toEqual([64]);
    scale(2);
    expect(memory()).toEqual([50, 50]);
  });

  it('adds the load of each instance', () => {
    const { platform, id, cpus } = serving(2);
    platform.setLoad(id, { cpuPercentTotal: 40, cpuPercent: 5 });
    expect(cpus()).toEqual([25, 25]);
  });

  it('moves as a wave that starts when it is set', () => {
    const { platform, pass, id, cpus } = serving(2);
    pass(12_345);
    platform.setLoad(id, { cpuPercentTotal: 100, wavePeriodMs: 60_000, wavePercent: 40 });
    const seen: number[] = [];
    for (let quarter = 0; quarter < 5; quarter++) {
      seen.push(cpus()[0] ?? -1);
      pass(15_000);
    }
    expect(seen).toEqual([50, 70, 50, 30, 50]);
    platform.setLoad(id, { wavePeriodMs: 0 });
    expect(cpus()).toEqual([50, 50]);
  });

  it('continues identically from a snapshot', () => {
    const { platform, pass, id, cpus } = serving(2);
    platform.setLoad(id, { cpuPercentTotal: 100, wavePeriodMs: 60_000, wavePercent: 40 });
    pass(5_000);
    const state = platform.snapshot();
    const restored = setUp({ state, nowMs: state.nowMs });
    pass(4_000);
    restored.pass(4_000);
    const again = restored.containers('worker').map((container) => restored.platform.usageOf(container).cpuPercent);
    expect(again).toEqual(cpus());
    expect(asJson(restored.platform.snapshot())).toEqual(asJson(platform.snapshot()));
  });
});
