import { describe, expect, it } from 'vitest';
import { repetitions } from './repetitions.ts';

describe('repetitions of a random test', () => {
  const counts = { test: 1, ci: 2, thorough: 3 };

  it('are fewest in make test, more in CI, and most with THOROUGH', () => {
    expect(repetitions(counts, {})).toBe(1);
    expect(repetitions(counts, { CI: 'true' })).toBe(2);
    expect(repetitions(counts, { THOROUGH: '1' })).toBe(3);
    expect(repetitions(counts, { CI: 'true', THOROUGH: '1' })).toBe(3);
  });

  it('are the same in CI as in make test by default', () => {
    expect(repetitions({ test: 1, thorough: 3 }, { CI: 'true' })).toBe(1);
  });
});
