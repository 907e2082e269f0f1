/**
 * Goal: a list ends in time, whatever the platform says of further pages. Method: virtual time, a page takes 100 ms.
 */
import { ApiError, type Clock } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { RestClient } from '../rest/client.ts';
import type { RestOptions } from '../rest/options.ts';
import { Ecsm, type EcsmOptions } from './ecsm.ts';
import { ListTime } from './list-time.ts';
import { collect } from './pages.ts';
import { container, rejection, service } from './scripted.kit.ts';

const pageMs = 100;

/** A platform that always has another page, of one row. */
function endless(options: EcsmOptions = {}, restOptions: Partial<RestOptions> = {}) {
  const clock = new VirtualClock();
  const targets: string[] = [];
  const rest = new RestClient({
    clock,
    attemptsMax: 1,
    transport: {
      async send({ target }) {
        targets.push(target);
        await new Promise<void>((resolve) => void clock.after(pageMs, resolve));
        const row = target.includes('container') ? container(`${targets.length}`) : service(`${targets.length}`);
        const text = JSON.stringify({ status: 200, data: { list: [row], total: 1e9 } });
        return { status: 200, headers: {}, body: new TextEncoder().encode(text) };
      },
      close() {},
    },
    ...restOptions,
  });
  return { clock, targets, ecsm: new Ecsm(rest, { pageSize: 1, ...options }) };
}

const limitsOf = (clock: Clock) => ({
  pageSize: 1,
  pageSizeMax: 1,
  targetBytesMax: 2_000,
  callDeadlineMs: 5_000,
  clock,
});

describe('a list without end', () => {
  it.each([
    ['deadlineMs of the call', {}, { deadlineMs: 1_050 }],
    ['listDeadlineMs of the client', { listDeadlineMs: 1_050 }, {}],
  ])('is given up after %s', async (_, options, call) => {
    const { clock, targets, ecsm } = endless(options);
    expect(await rejection(clock.run(collect(ecsm.services().list({}, call))))).toMatchObject({
      code: 'Timeout',
      message: 'GET /service with all its pages did not respond within 1050 ms',
    });
    expect(targets).toHaveLength(11);
    expect(clock.monotonicMs()).toBe(1_050);
    await clock.advance(pageMs);
    expect(clock.timers).toBe(0);
  });

  it('is reported as a list whose time is over, also if the timer of its last page fires 1 ms early', async () => {
    const clock = new VirtualClock();
    const time = new ListTime({ ...limitsOf(clock), listDeadlineMs: 1_000 }, {});
    await time.page('GET /service', async () => {});
    const last = time.page('GET /service', async () => {
      await clock.advance(999);
      throw new ApiError('Timeout', { what: 'GET /service', timeoutMs: 1 });
    });
    expect(await rejection(last)).toMatchObject({
      message: 'GET /service with all its pages did not respond within 1000 ms',
    });
  });

  it('gives the first page the whole deadline', async () => {
    let nowMs = 0;
    const clock = { now: () => 0, monotonicMs: () => ++nowMs, after: () => () => {} };
    const limits = { ...limitsOf(clock), listDeadlineMs: 1_000 };
    const given: unknown[] = [];
    const time = new ListTime(limits, {});
    for (let page = 0; page < 2; page++) {
      await time.page('GET /service', async ({ deadlineMs }) => {
        given.push(deadlineMs);
      });
    }
    expect(given).toEqual([1_000, 999]);
  });

  it('times out if the caller spends the time between pages', async () => {
    const { clock, targets, ecsm } = endless({ listDeadlineMs: 1_000 });
    const read = async () => {
      for await (const _ of ecsm.services().list()) await clock.advance(600);
    };
    expect(await rejection(clock.run(read()))).toMatchObject({ code: 'Timeout' });
    expect(targets).toHaveLength(2);
  });

  it('has one deadline for all requests of a split id list', async () => {
    const { clock, targets, ecsm } = endless({ listDeadlineMs: 1_050, targetBytesMax: 300 });
    const ids = Array.from({ length: 50 }, (_, number) => `service-${number}`);
    expect(await rejection(clock.run(collect(ecsm.containers().ofServices(ids))))).toMatchObject({ code: 'Timeout' });
    expect(targets).toHaveLength(11);
  });

  it('does not get more time when the clock is set back', async () => {
    const { clock, targets, ecsm } = endless({ listDeadlineMs: 1_050 });
    const read = async () => {
      for await (const _ of ecsm.services().list()) if (targets.length === 5) clock.step(-500);
    };
    expect(await rejection(clock.run(read()))).toMatchObject({ code: 'Timeout' });
    expect(targets.length).toBeLessThan(20);
  });
});

it('a page keeps the deadline of one call', async () => {
  const { clock, ecsm } = endless({ listDeadlineMs: 3_600_000 }, { deadlineMs: 50 });
  expect(await rejection(clock.run(collect(ecsm.services().list())))).toMatchObject({
    code: 'Timeout',
    message: 'GET /service did not respond within 50 ms',
  });
});

it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('rejects a listDeadlineMs of %d', (listDeadlineMs) => {
  expect(() => endless({ listDeadlineMs })).toThrow('listDeadlineMs has to be a number of milliseconds');
});
