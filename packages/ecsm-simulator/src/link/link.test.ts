/** What a link decides, by seed. */
import { isApiError } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { type CallPlan, Link } from './link.ts';
import { healthyLink, type LinkSettings } from './settings.ts';

const call = { method: 'GET', target: '/api/v1/service?pageNum=1' };

function routes(change: Partial<LinkSettings>, count: number, seed = 1): CallPlan[] {
  const link = new Link({ random: new SeededRandom(seed) });
  link.set(change);
  return Array.from({ length: count }, () => link.route(call));
}

const fates = (passages: readonly CallPlan[]) => passages.map(({ fate }) => fate);
const share = (passages: readonly CallPlan[], fate: string) =>
  (fates(passages).filter((each) => each === fate).length / passages.length) * 100;

describe('a link', () => {
  it('has no delays and faults when it is healthy', () => {
    for (const passage of routes({}, 200)) {
      expect(passage).toMatchObject({ fate: 'answered', beforeMs: 0, afterMs: 0, bytesPerSecond: 0 });
    }
  });

  it('makes the same decisions for the same seed, and others for another', () => {
    const bad = { lossPercent: 20, answerLossPercent: 20, truncatePercent: 20, errorPercent: 20, latencyJitterMs: 50 };
    expect(routes(bad, 300, 7)).toEqual(routes(bad, 300, 7));
    expect(routes(bad, 300, 7)).not.toEqual(routes(bad, 300, 8));
  });

  it.each([
    ['lossPercent', 'request lost'],
    ['answerLossPercent', 'answer lost'],
    ['truncatePercent', 'answer cut'],
    ['errorPercent', 'error page'],
  ])('%s is the share of calls whose fate is "%s"', (setting, fate) => {
    expect(Math.abs(share(routes({ [setting]: 30 }, 5_000), fate) - 30)).toBeLessThan(3);
    expect(share(routes({ [setting]: 100 }, 100), fate)).toBe(100);
    expect(share(routes({ [setting]: 0 }, 100), fate)).toBe(0);
  });

  it('keeps its other decisions when one setting changes', () => {
    const before = fates(routes({ lossPercent: 10, answerLossPercent: 10 }, 500));
    const after = fates(routes({ lossPercent: 10, answerLossPercent: 10, truncatePercent: 50, latencyMs: 9 }, 500));
    const lost = (all: readonly string[]) => all.map((fate) => (fate.endsWith('lost') ? fate : ''));
    expect(lost(after)).toEqual(lost(before));
  });

  it('splits the latency between request and response', () => {
    expect(routes({ latencyMs: 7 }, 1)[0]).toMatchObject({ beforeMs: 3, afterMs: 4 });
    const spent = routes({ latencyMs: 100, latencyJitterMs: 20 }, 2_000).map((one) => one.beforeMs + one.afterMs);
    expect(Math.min(...spent)).toBe(100);
    expect(Math.max(...spent)).toBe(120);
  });

  it('loses exactly the configured number of calls', () => {
    const link = new Link({ random: new SeededRandom(1) });
    link.set({ requestsToLose: 2, errorsLeft: 1, answersToLose: 1 });
    const passages = Array.from({ length: 6 }, () => link.route(call));
    expect(fates(passages)).toEqual([
      'request lost',
      'request lost',
      'error page',
      'answer lost',
      'answered',
      'answered',
    ]);
    expect(link.settings).toEqual(healthyLink);
  });

  it('affects only matching calls', () => {
    const link = new Link({ random: new SeededRandom(1) });
    link.set({ lossPercent: 100, match: { method: 'POST', path: '/api/v1/service' } });
    const fate = (method: string, target: string) => link.route({ method, target }).fate;
    expect(fate('POST', '/api/v1/service')).toBe('request lost');
    expect(fate('GET', '/api/v1/service')).toBe('answered');
    expect(fate('POST', '/api/v1/node')).toBe('answered');
  });

  it('never affects the control API, and draws no random numbers for it', () => {
    const link = new Link({ random: new SeededRandom(3) });
    const other = new Link({ random: new SeededRandom(3) });
    for (const each of [link, other]) each.set({ lossPercent: 50, frozen: true });
    for (const target of ['/sim', '/sim/', '/sim/link?x=1', '/sim?x']) {
      expect(link.route({ method: 'PUT', target }).fate).toBe('answered');
      expect(link.isFrozenFor({ method: 'PUT', target })).toBe(false);
    }
    expect(link.isFrozenFor({ method: 'GET', target: '/simple' })).toBe(true);
    expect(link.route(call)).toEqual(other.route(call));
  });

  it('is healthy again after heal, and releases the calls that it held', () => {
    const link = new Link({ random: new SeededRandom(1) });
    const released: number[] = [];
    link.set({ frozen: true, lossPercent: 40 });
    for (const number of [1, 2, 3]) link.onThaw(() => released.push(number));
    link.onThaw(() => released.push(4))?.();
    expect(link.held).toBe(3);
    link.heal();
    expect(released).toEqual([1, 2, 3]);
    expect(link.settings).toEqual(healthyLink);
  });

  it.each<[Partial<LinkSettings>, string]>([
    [{ lossPercent: 101 }, 'lossPercent has to be a number from 0 to 100, not 101'],
    [{ latencyMs: -1 }, 'latencyMs has to be a whole number from 0 to 3600000, not -1'],
    [{ latencyMs: Number.NaN }, 'latencyMs has to be a whole number from 0 to 3600000, not NaN'],
    [{ errorStatus: 200 }, 'errorStatus has to be a whole number from 400 to 599, not 200'],
    [{ requestsToLose: 1.5 }, 'requestsToLose has to be a whole number from 0 to 1000000000, not 1.5'],
  ])('refuses %j and stays as it was', (change, message) => {
    const link = new Link({ random: new SeededRandom(1) });
    let error: unknown;
    try {
      link.set({ latencyJitterMs: 5, ...change });
    } catch (thrown) {
      error = thrown;
    }
    expect(isApiError(error, 'BadRequest') && error.message).toBe(message);
    expect(link.settings).toEqual(healthyLink);
  });
});
