import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { seededFleet } from './fleet.ts';
import { asJson, spec, startMs } from './platform.kit.ts';
import { createPlatform } from './platform.ts';
import { transactionsMax } from './transactions.ts';

function fleet(nodes: number, seed?: number) {
  const clock = new VirtualClock(startMs);
  const platform = createPlatform({ clock, random: new SeededRandom(1) });
  seededFleet(platform, seed === undefined ? { nodes } : { nodes, seed });
  return { platform, clock };
}

describe('a seeded fleet', () => {
  it('has nodes of both systems and images for both', () => {
    const { platform } = fleet(8);
    expect(platform.nodes().map(({ name, type }) => `${name} ${type}`)).toEqual([
      'node-1 sylixos',
      'node-2 sylixos',
      'node-3 sylixos',
      'node-4 linux',
      'node-5 sylixos',
      'node-6 sylixos',
      'node-7 sylixos',
      'node-8 linux',
    ]);
    expect(new Set(platform.images('local').map(({ os }) => os))).toEqual(new Set(['sylixos', 'linux']));
    expect(platform.imageByRef('telemetry@1.1.0#sylixos')).toBeDefined();
  });

  it('is the same for the same seed, and has other sizes for another', () => {
    expect(asJson(fleet(5, 3).platform.snapshot())).toEqual(asJson(fleet(5, 3).platform.snapshot()));
    const sizes = (seed: number) =>
      fleet(1, seed)
        .platform.images('local')
        .map(({ sizeBytes }) => sizeBytes);
    expect(sizes(3)).not.toEqual(sizes(4));
  });
});

describe('a large platform', () => {
  it('holds 1,000 nodes, 10,000 services and 30,000 containers, and can be stopped and started', () => {
    const { platform, clock } = fleet(1_000);
    const names = platform.nodes().flatMap(({ name, type }) => (type === 'sylixos' ? [name] : []));
    for (let number = 0; number < 10_000; number++) {
      const nodeNames = Array.from({ length: 10 }, (_, place) => names[(number * 7 + place * 31) % names.length] ?? '');
      platform.createService(
        spec({ name: `s${number}`, nodeNames, factor: 3, image: { ref: 'camera@1.0.0#sylixos', vsoa: {} } }),
      );
    }
    clock.advanceSync(60_000);
    let running = 0;
    for (const { id } of platform.services()) {
      for (const { status } of platform.containersOfService(id)) if (status === 'running') running++;
    }
    expect(running).toBe(30_000);
    const perNode = names.map((name) => platform.containersOfNode(platform.nodeNamed(name)?.id ?? '').length);
    expect(perNode.reduce((sum, count) => sum + count, 0)).toBe(30_000);
    expect(Math.max(...perNode)).toBeLessThan(60);
    const state = platform.snapshot();
    const restored = createPlatform({ clock, random: new SeededRandom(2), state });
    expect(JSON.stringify(restored.snapshot())).toBe(JSON.stringify(state));
  });

  it('keeps a limited number of transactions', () => {
    const { platform } = fleet(1);
    const { id } = platform.createService(spec({ nodeNames: ['node-1'], image: { ref: 'camera@1.0.0#sylixos' } }));
    const first = platform.controlService(id, 'stop');
    for (let count = 0; count < transactionsMax; count++) platform.controlService(id, 'stop');
    expect(platform.transaction(first.id)).toBeUndefined();
    expect(Object.keys(platform.snapshot().transactions)).toHaveLength(transactionsMax);
  });
});
