/**
 * Calls without a socket, on a clock that only the test moves. What both ways have in common: http/transports.suite.ts.
 */
import { getEventListeners } from 'node:events';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { heldCallsMax, Link } from './link.ts';
import type { LinkSettings } from './settings.ts';
import type { ObservedCall } from './simulated-call.ts';
import { inProcessTransport } from './transport.ts';
import { requestBytes, responseHeadBytes } from './wire-size.ts';

const response = { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.alloc(1_000, 'a') };

describe('a call in virtual time', () => {
  let clock: VirtualClock;
  let link: Link;
  let handledMs: number[];
  let calls: ObservedCall[];
  let startMs: number;

  beforeEach(() => {
    clock = new VirtualClock();
    startMs = clock.now();
    link = new Link({ random: new SeededRandom(1) });
    handledMs = [];
    calls = [];
  });

  function send(change: Partial<LinkSettings>, controller = new AbortController(), body = '') {
    link.set(change);
    const transport = inProcessTransport({
      clock,
      link,
      observe: (call) => calls.push(call),
      handler: () => {
        handledMs.push(clock.now() - startMs);
        return response;
      },
    });
    const meter = { bytesUp: 0, bytesDown: 0 };
    const result: { value?: unknown; atMs?: number } = {};
    const ended = (value: unknown) => {
      result.value = value;
      result.atMs = clock.now() - startMs;
    };
    transport
      .send(
        { method: 'POST', target: '/api/v1/x', headers: {}, body: Buffer.from(body) },
        { signal: controller.signal, responseBytesMax: 10_000, meter },
      )
      .then(ended, ended);
    return { meter, result, controller };
  }

  it('needs no timer on a perfect link', async () => {
    const { result } = send({});
    expect(handledMs).toEqual([0]);
    expect(clock.timers).toBe(0);
    await clock.advance(0);
    expect(result).toEqual({ value: response, atMs: 0 });
  });

  it('arrives after half of the latency, and returns after all of it', async () => {
    const { result } = send({ latencyMs: 500 });
    await clock.advance(1_000);
    expect(handledMs).toEqual([250]);
    expect(result).toEqual({ value: response, atMs: 500 });
    expect(calls).toMatchObject([{ fate: 'answered', durationMs: 250, startedMs: startMs }]);
  });

  it('takes the time that its bytes need', async () => {
    const request = { method: 'POST', target: '/api/v1/x', headers: {}, body: Buffer.alloc(500, 'x') };
    const { result, meter } = send({ bytesPerSecond: 1_000 }, new AbortController(), 'x'.repeat(500));
    await clock.advance(20_000);
    expect(handledMs[0]).toBe(requestBytes(request));
    const down = responseHeadBytes(response) + response.body.byteLength;
    expect(result.atMs).toBe(requestBytes(request) + down);
    expect(meter).toEqual({ bytesUp: requestBytes(request), bytesDown: down });
  });

  it('is not executed if the caller aborts before it was sent completely', async () => {
    const { result, meter, controller } = send({ bytesPerSecond: 1_000 }, new AbortController(), 'x'.repeat(5_000));
    await clock.advance(1_000);
    controller.abort('enough');
    await clock.advance(60_000);
    expect(result).toEqual({ value: 'enough', atMs: 1_000 });
    expect(handledMs).toEqual([]);
    expect(meter.bytesUp).toBe(1_000);
    expect(calls).toMatchObject([{ fate: 'caller gone', response: null }]);
  });

  it('is executed when the platform is unfrozen, even if its caller aborted', async () => {
    const { result, controller } = send({ frozen: true });
    await clock.advance(100);
    controller.abort('enough');
    await clock.advance(100);
    expect(handledMs).toEqual([]);
    link.set({ frozen: false });
    await clock.advance(0);
    expect(handledMs).toEqual([200]);
    expect(result).toEqual({ value: 'enough', atMs: 100 });
    expect(calls).toMatchObject([{ fate: 'caller gone', response: { status: 200 } }]);
  });

  it('is lost when a frozen platform has reached its limit', async () => {
    link.set({ frozen: true });
    for (let held = 0; held < heldCallsMax; held++) link.onThaw(() => {});
    send({});
    link.heal();
    expect(handledMs).toEqual([]);
    expect(calls).toMatchObject([{ fate: 'request lost' }]);
  });

  it('leaves no timer and no listener behind, in any case', async () => {
    const signals = [{}, { latencyMs: 10 }, { bytesPerSecond: 5_000 }, { requestsToLose: 1 }, { answersToLose: 1 }].map(
      (change) => {
        link.heal();
        return send(change).controller;
      },
    );
    await clock.advance(5_000);
    const listening = () => signals.map(({ signal }) => getEventListeners(signal, 'abort').length);
    // The two that were lost still wait.
    expect(listening()).toEqual([0, 0, 0, 1, 1]);
    for (const controller of signals) controller.abort('enough');
    expect(listening()).toEqual([0, 0, 0, 0, 0]);
    expect(clock.timers).toBe(0);
  });
});
