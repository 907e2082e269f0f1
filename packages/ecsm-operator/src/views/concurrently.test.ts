import { settled } from '@ecsm/runtime/testing';
import { expect, it } from 'vitest';
import { eachOf } from './concurrently.ts';

it('calls for each item once, two at a time', async () => {
  const done: number[] = [];
  let inFlight = 0;
  let inFlightMax = 0;
  await eachOf([1, 2, 3, 4, 5], async (item) => {
    inFlightMax = Math.max(inFlightMax, ++inFlight);
    await settled();
    inFlight--;
    done.push(item);
  });
  expect([done, inFlightMax]).toEqual([[1, 2, 3, 4, 5], 2]);
});

it('starts no further call after a failure', async () => {
  const called: number[] = [];
  const work = eachOf([1, 2, 3, 4, 5, 6], async (item) => {
    called.push(item);
    await settled();
    if (item === 1) throw new Error('no');
  });
  await expect(work).rejects.toThrow('no');
  await settled();
  await settled();
  expect(called.length).toBeLessThan(4);
});
