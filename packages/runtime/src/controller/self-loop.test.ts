import { describe, expect, it } from 'vitest';
import { SelfLoopDetector } from './self-loop.ts';

/** So many reconciles that each write their object and are woken by that write. Returns how many wakes were reported. */
function rounds(detector: SelfLoopDetector, count: number, first: number): number {
  let reported = 0;
  for (let revision = first; revision < first + count; revision++) {
    detector.wrote('k', String(revision));
    if (detector.woken('k', String(revision))) reported++;
  }
  return reported;
}

describe('the self-loop detector', () => {
  it('reports a key that is woken by its own writes ten times in a row, once', () => {
    const detector = new SelfLoopDetector();
    expect(rounds(detector, 9, 1)).toBe(0);
    expect(rounds(detector, 10, 10)).toBe(1);
  });

  it('starts over when a reconcile wrote nothing', () => {
    const detector = new SelfLoopDetector();
    rounds(detector, 9, 1);
    detector.rested('k');
    expect(rounds(detector, 9, 10)).toBe(0);
  });

  it('starts over when another writer wakes the key', () => {
    const detector = new SelfLoopDetector();
    rounds(detector, 9, 1);
    expect(detector.woken('k', '1000')).toBe(false);
    expect(rounds(detector, 9, 10)).toBe(0);
  });
});
