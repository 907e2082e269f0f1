import { describe, expect, it } from 'vitest';
import { Pace } from './poll-interval.ts';

const looks = (pace: Pace, count: number, tookMs = 0) => Array.from({ length: count }, () => pace.looked(tookMs));

describe('the pace of looks', () => {
  it('is slow while nothing was begun', () => {
    expect(looks(new Pace(2_000), 3)).toEqual([2_000, 2_000, 2_000]);
  });

  it('is quick when something was begun, and then slower and slower', () => {
    const pace = new Pace(2_000);
    pace.begun();
    expect(looks(pace, 8)).toEqual([62.5, 125, 250, 500, 1_000, 2_000, 2_000, 2_000]);
  });

  it('leaves most of the time to others where a look takes long', () => {
    const pace = new Pace(2_000);
    pace.begun();
    expect(looks(pace, 4, 100)).toEqual([400, 400, 400, 500]);
    pace.begun();
    expect(looks(pace, 2, 900)).toEqual([2_000, 2_000]);
  });
});
