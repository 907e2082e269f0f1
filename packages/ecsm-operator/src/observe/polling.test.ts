import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { OwnerRecords } from './owner-records.ts';
import { PollInterval, Polling } from './polling.ts';

const owner = (number: number) => `s-${number}`;

function bench(services: number) {
  const owners = new OwnerRecords(new VirtualClock());
  const polling = new Polling(2_000, () => services, owners);
  const set = (from: number, to: number, isUnderWay: boolean) => {
    for (let number = from; number <= to; number++) owners.setInProgress(owner(number), isUnderWay);
  };
  return { owners, polling, set };
}

it('bulk mode starts when a large part of all services is in progress, and ends when few are', () => {
  const { polling, set } = bench(1_000);
  set(1, 31, true);
  expect(polling.isBulk).toBe(false);
  expect(polling.requeueMs()).toBe(2_000);
  set(32, 32, true);
  expect(polling.isBulk).toBe(true);
  // All together ask for ten services a second.
  expect(polling.requeueMs()).toBe(16_000 + 3_200);
  set(1, 28, false);
  expect(polling.isBulk).toBe(true);
  set(29, 29, false);
  expect(polling.isBulk).toBe(false);
});

it('bulk mode ends immediately when nothing is in progress', () => {
  const { owners, polling, set } = bench(0);
  set(1, 1, true);
  expect(polling.isBulk).toBe(true);
  set(1, 1, false);
  expect(polling.isBulk).toBe(false);
  expect(owners.inProgressCount).toBe(0);
});

it('leftBehind returns the services in progress once after bulk mode', () => {
  const { polling, set } = bench(1_000);
  set(1, 40, true);
  expect(polling.leftBehind()).toEqual([]);
  set(3, 40, false);
  expect(polling.leftBehind()).toEqual([owner(1), owner(2)]);
  expect(polling.leftBehind()).toEqual([]);
});

const looks = (interval: PollInterval, count: number, tookMs = 0) =>
  Array.from({ length: count }, () => interval.next(tookMs));

describe('the interval of polls', () => {
  it('is long while no step was sent', () => {
    expect(looks(new PollInterval(2_000), 3)).toEqual([2_000, 2_000, 2_000]);
  });

  it('is short after a step, and then doubles', () => {
    const interval = new PollInterval(2_000);
    interval.reset();
    expect(looks(interval, 8)).toEqual([62.5, 125, 250, 500, 1_000, 2_000, 2_000, 2_000]);
  });

  it('is a part of the duration of a poll while the link is idle, and at most as long as after a step', () => {
    const interval = new PollInterval(2_000);
    const idleAfter = (durationMs: number) => {
      interval.next(durationMs);
      return interval.idleLinkMs;
    };
    expect([0, 40, 100, 200, 900].map(idleAfter)).toEqual([15.625, 15.625, 25, 50, 62.5]);
  });

  it('is a multiple of the duration of a poll', () => {
    const interval = new PollInterval(2_000);
    interval.reset();
    expect(looks(interval, 4, 100)).toEqual([400, 400, 400, 500]);
    interval.reset();
    expect(looks(interval, 2, 900)).toEqual([2_000, 2_000]);
  });
});
