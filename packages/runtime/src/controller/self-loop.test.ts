import { describe, expect, it } from 'vitest';
import { SelfLoopDetector } from './self-loop.ts';

/** Simulates `count` reconciles that write their own object. Returns the number of reported loops. */
function rounds(detector: SelfLoopDetector, count: number, first: number): number {
  let reported = 0;
  for (let revision = first; revision < first + count; revision++) {
    detector.wrote('k', String(revision));
    if (detector.enqueued('k', String(revision))) reported++;
  }
  return reported;
}

describe('SelfLoopDetector', () => {
  it('reports a key once after it was enqueued ten times in a row by its own writes', () => {
    const detector = new SelfLoopDetector();
    expect(rounds(detector, 9, 1)).toBe(0);
    expect(rounds(detector, 10, 10)).toBe(1);
  });

  it('starts over when a reconcile wrote nothing', () => {
    const detector = new SelfLoopDetector();
    rounds(detector, 9, 1);
    detector.reset('k');
    expect(rounds(detector, 9, 10)).toBe(0);
  });

  it('starts over when another writer enqueues the key', () => {
    const detector = new SelfLoopDetector();
    rounds(detector, 9, 1);
    expect(detector.enqueued('k', '1000')).toBe(false);
    expect(rounds(detector, 9, 10)).toBe(0);
  });
});
