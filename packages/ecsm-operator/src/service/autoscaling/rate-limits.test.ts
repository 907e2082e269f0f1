import { describe, expect, it } from 'vitest';
import { scaleEventsMax } from '../../apis/hpa-status-schema.ts';
import type { ScaleEvent } from './model.ts';
import { eventsAfter } from './rate-limits.ts';

describe('scale events', () => {
  it('are removed after the longest period', () => {
    const events = [
      { timeMs: 0, change: 1 },
      { timeMs: 1, change: 2 },
    ];
    expect(eventsAfter(events, -1, 1_800_000)).toEqual([
      { timeMs: 1, change: 2 },
      { timeMs: 1_800_000, change: -1 },
    ]);
  });

  it('are bounded, and their sum is kept', () => {
    let events: readonly ScaleEvent[] = [];
    for (let step = 0; step < 200; step++) events = eventsAfter(events, step % 2 === 0 ? 2 : -1, step);
    expect(events).toHaveLength(scaleEventsMax);
    expect(events.reduce((sum, { change }) => sum + change, 0)).toBe(100);
  });
});
