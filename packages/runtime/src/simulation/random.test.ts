import { describe, expect, it } from 'vitest';
import { draw, SeededRandom } from './random.ts';

const stream = (random: SeededRandom, length = 20) => Array.from({ length }, () => random.next());

describe('seeded random', () => {
  it('returns the same stream for the same seed, and another for another', () => {
    expect(stream(new SeededRandom(7))).toEqual(stream(new SeededRandom(7)));
    expect(stream(new SeededRandom(7))).not.toEqual(stream(new SeededRandom(8)));
    expect(stream(new SeededRandom(7, 1))).not.toEqual(stream(new SeededRandom(7, 2)));
    expect(stream(new SeededRandom(7))).not.toEqual(stream(new SeededRandom(7 + 2 ** 40)));
  });

  it('returns different uuids of version 4', () => {
    const random = new SeededRandom(1);
    const uuids = Array.from({ length: 1000 }, () => random.uuid());
    for (const uuid of uuids)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(uuids).size).toBe(1000);
  });

  it('spreads evenly and stays within bounds', () => {
    const random = new SeededRandom(3);
    const counts = [0, 0, 0, 0];
    for (let times = 0; times < 40_000; times++) counts[random.integer(0, 3)] = (counts[random.integer(0, 3)] ?? 0) + 1;
    expect(counts).toHaveLength(4);
    const average = stream(random, 10_000).reduce((sum, next) => sum + next, 0) / 10_000;
    expect(average).toBeCloseTo(0.5, 1);
    expect(random.chance(0)).toBe(false);
    expect(random.chance(1)).toBe(true);
    expect(['a', 'b']).toContain(random.pick(['a', 'b']));
    expect(() => random.pick([])).toThrow('there are no choices');
  });
});

describe('a draw', () => {
  it('depends on every argument, and on nothing else', () => {
    const around = [draw(1, 2, 3, 4), draw(2, 2, 3, 4), draw(1, 3, 3, 4), draw(1, 2, 4, 4), draw(1, 2, 3, 5)];
    expect(new Set(around).size).toBe(around.length);
    expect(draw(1, 2, 3, 4)).toBe(around[0]);
  });

  it('spreads evenly over neighbouring numbers', () => {
    const counts = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (let number = 0; number < 10_000; number++) {
      const tenth = Math.floor(draw(1, 0, number, 1) * 10);
      counts[tenth] = (counts[tenth] ?? 0) + 1;
    }
    for (const count of counts) expect(count).toBeGreaterThan(800);
  });
});
