import { describe, expect, it } from 'vitest';
import { drawFraction, drawHex, drawUuid } from './random.ts';

describe('random values', () => {
  it('is the same for the same seed and number', () => {
    expect([drawUuid(5, 7), drawFraction(5, 7), drawHex(5, 7, 64)]).toEqual([
      drawUuid(5, 7),
      drawFraction(5, 7),
      drawHex(5, 7, 64),
    ]);
    expect(drawUuid(5, 7)).not.toBe(drawUuid(6, 7));
  });

  it('never returns the same id for two numbers', () => {
    const ids = new Set(Array.from({ length: 50_000 }, (_, number) => drawUuid(1, number).slice(0, 8)));
    expect(ids.size).toBe(50_000);
  });

  it('returns UUIDs, and hex of the requested length', () => {
    for (let number = 0; number < 100; number++) {
      expect(drawUuid(1, number)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    expect(drawHex(1, 1, 64)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is spread evenly from 0 to 1', () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let number = 0; number < 10_000; number++) {
      const tenth = Math.floor(drawFraction(9, number) * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});
