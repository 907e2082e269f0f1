/** A link that is dead is probed by one call; work resumes with the first response. All on a virtual clock. */
import { ApiError, isApiError, shape } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { settled, VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { CircuitBreaker, type CircuitBreakerOptions, type LinkState } from './circuit-breaker.ts';
import { RestClient } from './client.ts';
import type { Method, Transport, WireRequest, WireResponse } from './transport.ts';

const envelope = answerOf(200, '{"status":200,"message":"success","data":{"total":0},"fieldErrors":null}');
const down = () => Promise.reject(new ApiError('Unavailable', { what: 'the platform', reason: 'connection refused' }));

function answerOf(status: number, body: string): WireResponse {
  return { status, headers: {}, body: new TextEncoder().encode(body) };
}

function bench(inFlightMax = 4, options: Pick<CircuitBreakerOptions, 'headers'> = {}) {
  const clock = new VirtualClock();
  const targets: string[] = [];
  const link = {
    response: (_signal: AbortSignal, _request: WireRequest): Promise<WireResponse> => Promise.resolve(envelope),
    inFlight: 0,
    peak: 0,
  };
  const transport: Transport = {
    async send(request, { signal }) {
      targets.push(request.target);
      link.peak = Math.max(link.peak, ++link.inFlight);
      try {
        return await link.response(signal, request);
      } finally {
        link.inFlight--;
      }
    },
    close() {},
  };
  const breaker = new CircuitBreaker({ transport, clock, random: new SeededRandom(1), inFlightMax, ...options });
  const states: LinkState[] = [];
  breaker.onChange((state) => states.push(state));
  const send = (method: Method, target: string, signal = new AbortController().signal) =>
    breaker.transport.send(
      { method, target, headers: {} },
      { signal, responseBytesMax: 1e6, meter: { bytesUp: 0, bytesDown: 0 } },
    );
  const call = (target = '/api/v1/service', signal?: AbortSignal) => send('GET', target, signal);
  const failing = (target?: string, signal?: AbortSignal) =>
    call(target, signal).then(
      () => expect.fail('it was answered'),
      (error: unknown) => error,
    );
  return { clock, breaker, link, states, targets, call, send, failing };
}

/** Answers nothing until its caller gives up. */
const silence = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('a link', () => {
  it('is suspect after one failure and reachable after one response', async () => {
    const { breaker, link, states, call, failing } = bench();
    link.response = down;
    await failing();
    expect(breaker.state).toBe('suspect');
    expect(breaker.check()).toBeUndefined();
    link.response = () => Promise.resolve(envelope);
    await call();
    expect(states).toEqual(['suspect', 'reachable']);
  });

  it('is unreachable after two consecutive failures; then calls fail immediately', async () => {
    const { breaker, link, targets, failing, clock } = bench();
    link.response = down;
    await failing();
    await failing();
    expect(breaker.state).toBe('unreachable');
    const sent = targets.length;
    const error = await failing();
    expect(isApiError(error, 'Unavailable')).toBe(true);
    expect(String(error)).toMatch(/unreachable.*connection refused.*next probe in 1 s/);
    expect(targets).toHaveLength(sent);
    expect(breaker.check()).toMatch(/unreachable/);
    expect(breaker.lastContactMs).toBeUndefined();
    expect(breaker.sinceMs).toBe(clock.monotonicMs());
  });

  it.each([
    ['a page of HTML', answerOf(502, '<html>Bad Gateway</html>'), 'suspect'],
    ['a login page that says 200', answerOf(200, '<!doctype html>'), 'suspect'],
    ['nothing', answerOf(200, ''), 'suspect'],
    ['a refusal by the platform', answerOf(200, '{"status":31006,"message":"taken"}'), 'reachable'],
    ['a busy platform', answerOf(503, ' {"status":503}'), 'reachable'],
    ['an envelope behind a byte order mark', answerOf(200, '\uFEFF{"status":200}'), 'reachable'],
  ])('judges a response of %s', async (_, response, state) => {
    const { breaker, link, call } = bench();
    link.response = () => Promise.resolve(response);
    await call();
    expect(breaker.state).toBe(state);
  });

  it('does not count an aborted call as a failure, but a timeout', async () => {
    const { breaker, link, failing } = bench();
    link.response = silence;
    const given = new AbortController();
    const one = failing('/x', given.signal);
    await settled();
    given.abort('enough');
    expect(await one).toBe('enough');
    expect(breaker.state).toBe('reachable');
    const late = new AbortController();
    const other = failing('/x', late.signal);
    await settled();
    late.abort(new ApiError('Timeout', { what: 'GET /x', timeoutMs: 10 }));
    await other;
    expect(breaker.state).toBe('suspect');
  });
});

/** A slow link: each call is answered after a round trip. `isLost` decides on the calls, by their number from 1. */
function slowLink(inFlightMax: number, roundTripMs: number, isLost: (call: number) => boolean = () => false) {
  const all = bench(inFlightMax);
  const { clock, breaker, link, targets } = all;
  link.response = (signal) =>
    isLost(targets.length)
      ? silence(signal)
      : new Promise((resolve) => void clock.after(roundTripMs, () => resolve(envelope)));
  const rest = new RestClient({ transport: breaker.transport, clock, random: new SeededRandom(2) });
  const read = (name: string) => rest.get().resource('service').name(name);
  const outcome = (call: Promise<unknown>) =>
    call.then(
      () => 'ok',
      (error: unknown) => (isApiError(error) ? error.code : error),
    );
  return { ...all, rest, read, outcome };
}

const anything = shape.anything();

describe('a slow link that answers', () => {
  it('answers 80 concurrent reads, of which most wait for longer than a timeout', async () => {
    const { clock, states, link, read } = slowLink(4, 600);
    const reads = Array.from({ length: 80 }, (_, number) => read(`x${number}`).do(anything));
    expect(await clock.run(Promise.all(reads))).toHaveLength(80);
    expect(states).toEqual([]);
    expect(link.peak).toBe(4);
  });

  it('is not unreachable while calls are answered, however many are lost', async () => {
    const { clock, states, read, outcome, targets } = slowLink(16, 600, (call) => call % 3 === 0);
    const reads = Array.from({ length: 300 }, (_, number) =>
      outcome(read(`x${number}`).deadline(900_000).do(anything)),
    );
    expect((await clock.run(Promise.all(reads))).filter((code) => code === 'ok').length).toBeGreaterThan(250);
    expect(targets.length).toBeGreaterThan(300);
    expect(states).toEqual([]);
  });

  it('is not suspect because of a call that was lost before another was answered', async () => {
    const { clock, breaker, link, call, failing } = bench();
    link.response = silence;
    const lost = new AbortController();
    const first = failing('/lost', lost.signal);
    await settled();
    link.response = () => Promise.resolve(envelope);
    await call();
    lost.abort(new ApiError('Timeout', { what: 'GET /lost', timeoutMs: 10 }));
    await first;
    expect(breaker.state).toBe('reachable');
    await clock.advance(0);
  });

  it('is not suspect because of calls that end at their deadline before or soon after they are sent', async () => {
    const { clock, breaker, read, outcome, targets } = slowLink(1, 600);
    const reads = Array.from({ length: 9 }, (_, number) => outcome(read(`x${number}`).deadline(2_000).do(anything)));
    const outcomes = await clock.run(Promise.all(reads));
    expect(outcomes).toEqual(['ok', 'ok', 'ok', ...Array.from({ length: 6 }, () => 'Timeout')]);
    expect(targets).toHaveLength(4);
    expect(breaker.state).toBe('reachable');
  });
});

describe('a read that is probably lost', () => {
  it('is given up after half of its timeout and repeated, if other calls are answered', async () => {
    const { clock, read, outcome, states, targets } = slowLink(16, 600, (call) => call === 1);
    const lost = outcome(read('lost').do(anything));
    await settled();
    await clock.run(read('x').do(anything));
    expect(await clock.run(lost)).toBe('ok');
    expect(clock.monotonicMs()).toBeLessThan(6_000);
    expect(targets.filter((target) => target.endsWith('/lost'))).toHaveLength(2);
    expect(states).toEqual([]);
  });

  it('has its whole timeout if nothing is answered, if its response has begun, or at its last attempt', async () => {
    const silent = slowLink(16, 600, () => true);
    void silent.outcome(silent.read('x').do(anything));
    await silent.clock.advance(9_999);
    expect(silent.targets).toHaveLength(1);

    const begun = slowLink(16, 600, (call) => call === 1);
    const meter = { bytesUp: 0, bytesDown: 0 };
    const { signal } = new AbortController();
    const large = { method: 'GET', target: '/large', headers: {} } as const;
    const options = { signal, responseBytesMax: 1e6, meter, isRepeated: true };
    let isOver = false;
    void begun.breaker.transport.send(large, options).finally(() => (isOver = true));
    await settled();
    meter.bytesDown = 1;
    await begun.clock.run(begun.read('x').do(anything));
    await begun.clock.advance(60_000);
    expect(isOver).toBe(false);

    const last = slowLink(16, 600, (call) => call === 1);
    const write = last.outcome(last.rest.post().resource('service').do(anything));
    await settled();
    await last.clock.run(last.read('x').do(anything));
    expect([await last.clock.run(write), last.clock.monotonicMs()]).toEqual(['Timeout', 10_000]);
  });
});

describe('a link that answers nothing', () => {
  it.each([1, 16])('is unreachable within 30 s, with at most %i calls in flight', async (inFlightMax) => {
    const { clock, breaker, read, outcome } = slowLink(inFlightMax, 600, () => true);
    void outcome(read('x').do(anything));
    await clock.until(() => breaker.state === 'unreachable', 30_000);
  });

  it('is unreachable after one timeout if several calls are in flight', async () => {
    const { clock, breaker, read, outcome } = slowLink(16, 600, () => true);
    for (const name of ['x', 'y', 'z']) void outcome(read(name).do(anything));
    await clock.advance(10_000);
    expect(breaker.state).toBe('unreachable');
  });

  it('is unreachable although calls with a short deadline never wait for their timeout', async () => {
    const { clock, breaker, read, outcome } = slowLink(16, 600, () => true);
    for (const name of ['x', 'y']) void outcome(read(name).deadline(5_000).do(anything));
    await clock.advance(5_000);
    expect(breaker.state).toBe('unreachable');
  });
});

describe('the number of concurrent calls', () => {
  /** Reads one after the other in `lanes` lanes. */
  async function load({ clock, read, outcome }: ReturnType<typeof slowLink>, lanes: number, reads: number) {
    const lane = async () => {
      for (let number = 0; number < reads; number++) await outcome(read('x').deadline(900_000).do(anything));
    };
    await clock.run(Promise.all(Array.from({ length: lanes }, lane)));
  }

  it('starts with 4 and grows with the answers up to the limit', async () => {
    const all = slowLink(16, 600);
    const { breaker, link } = all;
    expect(breaker.window).toBe(4);
    await load(all, 40, 1);
    expect([breaker.window, link.peak]).toEqual([16, 16]);
  });

  it('does not grow while it is not used', async () => {
    const all = slowLink(16, 600);
    await load(all, 3, 20);
    expect(all.breaker.window).toBe(4);
  });

  it('shrinks when calls are lost, and grows again when they are answered', async () => {
    let isLossy = false;
    const all = slowLink(16, 600, (call) => isLossy && call % 2 === 0);
    const { breaker } = all;
    await load(all, 40, 1);
    isLossy = true;
    await load(all, 40, 10);
    expect(breaker.window).toBeLessThanOrEqual(4);
    expect(breaker.window).toBeGreaterThanOrEqual(2);
    expect(breaker.state).not.toBe('unreachable');
    isLossy = false;
    await load(all, 40, 20);
    expect(breaker.window).toBe(16);
  });

  it('stays high on a link that loses a few percent', async () => {
    const windows: number[] = [];
    const all = slowLink(16, 600, (call) => {
      windows.push(all.breaker.window);
      return call % 20 === 0;
    });
    await load(all, 40, 50);
    expect(Math.min(...windows.slice(100))).toBeGreaterThanOrEqual(12);
  });

  it('shrinks when calls wait for each other on a narrow link, before they time out', async () => {
    const all = slowLink(16, 0);
    const { clock, link, breaker, targets } = all;
    let freeMs = 0;
    // One call after the other, each for half a second.
    link.response = () => {
      freeMs = Math.max(freeMs, clock.monotonicMs()) + 500;
      return new Promise((resolve) => void clock.after(freeMs - clock.monotonicMs(), () => resolve(envelope)));
    };
    await load(all, 40, 20);
    expect(targets).toHaveLength(800);
    expect(breaker.window).toBeLessThanOrEqual(11);
  });

  it('starts low again after an outage', async () => {
    const all = slowLink(16, 600);
    const { breaker, link, failing } = all;
    await load(all, 40, 1);
    expect(breaker.window).toBe(16);
    link.response = down;
    await failing();
    await failing();
    expect([breaker.state, breaker.window]).toEqual(['unreachable', 4]);
  });
});

describe('a dead link', () => {
  async function dead(options: Pick<CircuitBreakerOptions, 'headers'> = {}) {
    const all = bench(4, options);
    all.link.response = down;
    await all.failing();
    await all.failing();
    all.targets.length = 0;
    const stop = new AbortController();
    const running = all.breaker.run(stop.signal);
    await settled();
    const end = () => {
      stop.abort();
      return running;
    };
    return { ...all, end };
  }

  it('is probed 3 to 4 times a minute, however many calls are made', async () => {
    const { clock, targets, failing, end, breaker } = await dead();
    for (let minute = 0; minute < 60; minute++) {
      await clock.advance(60_000);
      for (let key = 0; key < 20; key++) await failing();
    }
    expect(new Set(targets)).toEqual(new Set(['/api/v1/service/summary']));
    expect(targets.length).toBeLessThan(330);
    expect(targets.length).toBeGreaterThan(200);
    expect(breaker.state).toBe('unreachable');
    await end();
  });

  it('is in use again within one probe of its return', async () => {
    const { clock, link, breaker, states, call, end } = await dead();
    await clock.advance(3_600_000);
    link.response = () => Promise.resolve(envelope);
    const tookMs = await clock.until(() => breaker.state === 'reachable');
    expect(tookMs).toBeLessThanOrEqual(15_250);
    expect(states.at(-1)).toBe('reachable');
    await call();
    await end();
  });

  it('recovers behind a proxy that refuses requests without credentials', async () => {
    const { clock, link, breaker, end } = await dead({ headers: async () => ({ authorization: 'Bearer 1' }) });
    link.response = async (_, { headers }) =>
      headers['authorization'] === 'Bearer 1' ? envelope : answerOf(407, '<html>Proxy Authentication Required');
    await clock.until(() => breaker.state === 'reachable');
    await end();
  });

  it('recovers if the platform has no summary', async () => {
    const { clock, link, breaker, end } = await dead();
    link.response = async (_, { target }) => (target.includes('/summary') ? answerOf(404, 'Not Found') : envelope);
    await clock.until(() => breaker.state === 'reachable');
    await end();
  });

  it('recovers when a header source that hung answers again', async () => {
    const source = { headers: () => new Promise<Record<string, string>>(() => {}) };
    const { clock, link, breaker, end } = await dead({ headers: () => source.headers() });
    link.response = () => Promise.resolve(envelope);
    await clock.advance(60_000);
    expect(breaker.state).toBe('unreachable');
    source.headers = async () => ({});
    await clock.until(() => breaker.state === 'reachable');
    await end();
  });

  it('has one probe at a time, even if probes get no response', async () => {
    const { clock, link, end, targets } = await dead();
    link.response = silence;
    link.peak = 0;
    await clock.advance(120_000);
    expect(link.peak).toBe(1);
    expect(targets.length).toBeGreaterThan(3);
    await end();
    expect(link.inFlight).toBe(0);
    expect(clock.timers).toBe(0);
  });

  it('is reachable immediately when a call in flight succeeds', async () => {
    const { breaker, link, call, failing } = bench();
    let resolve = (_: WireResponse) => {};
    link.response = () => new Promise((done) => (resolve = done));
    const late = call();
    await settled();
    link.response = down;
    await failing();
    await failing();
    expect(breaker.state).toBe('unreachable');
    resolve(envelope);
    await late;
    expect(breaker.state).toBe('reachable');
  });

  it('starts with a short probe delay after a recovery', async () => {
    const { clock, link, breaker, failing, end, targets } = await dead();
    await clock.advance(600_000);
    link.response = () => Promise.resolve(envelope);
    await clock.until(() => breaker.state === 'reachable');
    link.response = down;
    await failing();
    await failing();
    targets.length = 0;
    await clock.advance(1_100);
    expect(targets).toHaveLength(1);
    await end();
  });
});

describe('calls', () => {
  it('are limited in number and started in order of arrival', async () => {
    const { link, call, targets } = bench(2);
    const gates: (() => void)[] = [];
    link.response = () => new Promise((resolve) => gates.push(() => resolve(envelope)));
    const calls = ['/1', '/2', '/3', '/4', '/5'].map((target) => call(target));
    await settled();
    expect(targets).toEqual(['/1', '/2']);
    gates[1]?.();
    await calls[1];
    await settled();
    expect(targets).toEqual(['/1', '/2', '/3']);
    while (targets.length < 5 || gates.length > 0) {
      gates.shift()?.();
      await settled();
    }
    await Promise.all(calls);
    expect(link.peak).toBe(2);
    expect(targets).toEqual(['/1', '/2', '/3', '/4', '/5']);
  });

  it('that write start before reads that wait longer, but not all of them', async () => {
    const { link, call, send, targets } = bench(1);
    const gates: (() => void)[] = [];
    link.response = () => new Promise((resolve) => gates.push(() => resolve(envelope)));
    const reads = ['/1', '/read 1', '/read 2', '/read 3'].map((target) => call(target));
    const writes = [1, 2, 3, 4, 5].map((number) => send('POST', `/write ${number}`));
    for (let finished = 0; finished < 9; finished++) {
      await settled();
      gates.shift()?.();
    }
    await Promise.all([...reads, ...writes]);
    const order = ['write 1', 'write 2', 'write 3', 'read 1', 'write 4', 'write 5', 'read 2', 'read 3'];
    expect(targets).toEqual(['/1', ...order.map((name) => `/${name}`)]);
  });

  it('do not wait for a slow one', async () => {
    const { link, call, failing } = bench(2);
    const slow = new AbortController();
    link.response = silence;
    const hanging = failing('/slow', slow.signal);
    await settled();
    link.response = () => Promise.resolve(envelope);
    for (let turn = 0; turn < 50; turn++) await call('/quick');
    slow.abort('enough');
    await hanging;
  });

  it('release their slot or their place in the queue when aborted', async () => {
    const { link, call, failing, breaker } = bench(1);
    link.response = silence;
    const first = new AbortController();
    const second = new AbortController();
    const hanging = failing('/1', first.signal);
    const waiting = failing('/2', second.signal);
    await settled();
    link.response = () => Promise.resolve(envelope);
    const last = call('/3');
    second.abort('not any more');
    expect(await waiting).toBe('not any more');
    first.abort('enough');
    await hanging;
    expect((await last).status).toBe(200);
    expect(breaker.inFlight).toBe(0);
  });

  it('waiting for a slot are rejected when the link is lost', async () => {
    const { link, failing } = bench(2);
    const fail: (() => void)[] = [];
    link.response = () =>
      new Promise((_, reject) => fail.push(() => reject(new ApiError('Unavailable', { what: 'x', reason: 'y' }))));
    const all = Promise.all(['/1', '/2', '/3', '/4'].map((target) => failing(target)));
    await settled();
    for (const one of fail) one();
    const errors = await all;
    expect(errors.map((error) => /next probe/.test(String(error)))).toEqual([false, false, true, true]);
    expect(fail).toHaveLength(2);
  });
});

describe('the fence of writes', () => {
  const fenced = () => Promise.reject(new ApiError('Fenced', { fence: 'default.test', epoch: 7 }));

  /** The only slot is in use, and a write waits for it. */
  async function waitingWrite() {
    const all = bench(1);
    let open = () => {};
    all.link.response = () => new Promise((resolve) => (open = () => resolve(envelope)));
    let fence = () => Promise.resolve();
    all.breaker.fenceWrites(() => fence());
    const slow = all.call('/slow');
    await settled();
    all.link.response = () => Promise.resolve(envelope);
    const write = all.send('POST', '/write').catch((error: unknown) => error);
    await settled();
    const finishSlow = async () => {
      open();
      await slow;
    };
    return { ...all, write, finishSlow, setFence: (next: typeof fence) => (fence = next) };
  }

  it('rejects a write whose process lost leadership while it waited for a slot', async () => {
    const { write, finishSlow, setFence, targets, breaker } = await waitingWrite();
    setFence(fenced);
    await finishSlow();
    expect(isApiError(await write, 'Fenced')).toBe(true);
    expect(targets).toEqual(['/slow']);
    expect(breaker.inFlight).toBe(0);
    expect(breaker.state).toBe('reachable');
  });

  it('of a later term does not allow a write of the former one', async () => {
    const { write, finishSlow, setFence, targets, breaker } = await waitingWrite();
    setFence(fenced);
    breaker.fenceWrites(() => Promise.resolve());
    await finishSlow();
    expect(isApiError(await write, 'Fenced')).toBe(true);
    expect(targets).toEqual(['/slow']);
  });

  it('allows writes while leading, and is not called for reads', async () => {
    const { send, call, breaker, targets } = bench();
    let asked = 0;
    breaker.fenceWrites(async () => void asked++);
    await call('/read');
    expect(asked).toBe(0);
    await send('PUT', '/write');
    await send('DELETE', '/write');
    expect(asked).toBe(2);
    expect(targets).toEqual(['/read', '/write', '/write']);
  });

  it('does not send a write that was aborted while it was checked', async () => {
    const { send, breaker, targets } = bench();
    let admit = () => {};
    breaker.fenceWrites(() => new Promise((resolve) => (admit = resolve)));
    const caller = new AbortController();
    const write = send('POST', '/write', caller.signal).catch((error: unknown) => error);
    await settled();
    caller.abort('enough');
    admit();
    expect(await write).toBe('enough');
    expect(targets).toEqual([]);
    expect(breaker.inFlight).toBe(0);
  });
});

it('rejects an invalid number of calls', () => {
  expect(() => bench(0)).toThrow('inFlightMax has to be a whole number above 0, not 0');
});
