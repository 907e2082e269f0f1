import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { CheckedObjects } from './checked-objects.ts';

describe('CheckedObjects', () => {
  it('are known for a limited time, then have to be read again', async () => {
    const clock = new VirtualClock();
    const checked = new CheckedObjects(clock, 1_000);
    expect(checked.has('a')).toBe(false);
    checked.add('a');
    await clock.advance(999);
    expect(checked.has('a')).toBe(true);
    await clock.advance(1);
    expect(checked.has('a')).toBe(false);
  });

  it('are not known if they should be different', () => {
    const checked = new CheckedObjects(new VirtualClock(), 1_000);
    checked.add('a');
    expect(checked.has('b')).toBe(false);
  });
});
