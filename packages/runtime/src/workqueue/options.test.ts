import { describe, expect, it } from 'vitest';
import { priorityMax } from './options.ts';
import { setUp } from './queue.kit.ts';

describe('an invalid option', () => {
  it.each([
    [{ backoffMsMin: 0 }, 'backoffMsMin must be a number of milliseconds above 0, not 0'],
    [{ ageingMs: Number.POSITIVE_INFINITY }, 'ageingMs must be a number of milliseconds above 0, not Infinity'],
    [{ backoffMsMax: 4 }, 'backoffMsMax must be at least backoffMsMin (5), not 4'],
  ])('%j is refused', (options, message) => {
    expect(() => setUp(options)).toThrow(message);
  });

  it.each([
    [{ priority: Number.NaN }, 'priority must be from -1000000 to 1000000, not NaN'],
    [{ priority: priorityMax + 1 }, 'priority must be from -1000000 to 1000000, not 1000001'],
    [{ afterMs: Number.NaN }, 'afterMs must be a finite number of milliseconds, not NaN'],
  ])('of an add, %j, is refused, and adds nothing', (options, message) => {
    const { queue } = setUp();
    expect(() => queue.add('a', options)).toThrow(message);
    expect(queue.depth).toBe(0);
    queue.add('a', { priority: priorityMax });
    queue.add('b', { priority: -priorityMax });
    expect(queue.depth).toBe(2);
  });
});
