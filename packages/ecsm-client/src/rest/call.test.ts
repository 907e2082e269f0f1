/**
 * Calls on a scripted transport and a clock that the test moves: retries, deadlines, aborts, and what they leave
 * behind.
 */
import { ApiError, isApiError, type LogFields, shape } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { settled, VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it, vi } from 'vitest';
import { RestClient } from './client.ts';
import type { RestOptions } from './options.ts';
import { type AttemptRecord, Recorder } from './recorder.ts';
import {
  refusal,
  rejection,
  response,
  ScriptedTransport,
  type Step,
  silence,
  success,
  unavailable,
} from './scripted-transport.kit.ts';

const any = shape.anything();

function setUp(script: readonly Step[], options: Partial<RestOptions> = {}) {
  const transport = new ScriptedTransport(...script);
  const clock = new VirtualClock();
  const records: AttemptRecord[] = [];
  const recorder = new Recorder((record) => records.push(record));
  const client = new RestClient({ transport, clock, random: new SeededRandom(1), recorder, ...options });
  const outcomes = () => records.map(({ outcome }) => outcome);
  return {
    transport,
    clock,
    recorder,
    records,
    outcomes,
    client,
    get: () => client.get().resource('service').name('x'),
  };
}

describe('a failing call', () => {
  it('is retried if it is a read, and succeeds when an attempt does', async () => {
    const { clock, get, outcomes } = setUp([unavailable(), response('torn {', 200), success(7)]);
    expect(await clock.run(get().do(any))).toBe(7);
    expect(outcomes()).toEqual(['Unavailable', 'BadAnswer', 'ok']);
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(100 + 200);
    expect(clock.monotonicMs()).toBeLessThanOrEqual(200 + 400);
    expect(clock.timers).toBe(0);
  });

  it('is retried up to attemptsMax, and rejects with the last failure', async () => {
    const { clock, get, transport } = setUp([unavailable(), unavailable(), response('', 503), success(1)]);
    expect(await rejection(clock.run(get().do(any)))).toMatchObject({
      code: 'Unavailable',
      details: { what: 'GET /service/:id' },
    });
    expect(transport.requests).toHaveLength(3);
    const once = setUp([unavailable()], { attemptsMax: 1 });
    await rejection(once.clock.run(once.get().do(any)));
    expect(once.transport.requests).toHaveLength(1);
  });

  it('is not retried if it is a write, unless it is declared safe', async () => {
    for (const method of ['post', 'put', 'delete'] as const) {
      const { clock, client, transport } = setUp([unavailable(), success(1)]);
      expect(isApiError(await rejection(clock.run(client[method]().resource('service').do(any))), 'Unavailable')).toBe(
        true,
      );
      expect(transport.requests).toHaveLength(1);
      const declared = setUp([unavailable(), success(1)]);
      expect(await declared.clock.run(declared.client[method]().resource('service').safe().do(any))).toBe(1);
    }
  });

  it('is not retried if the platform rejected it, or returned data of another shape', async () => {
    for (const step of [refusal(31099, 'no'), refusal(404, 'gone'), success('text')]) {
      const { clock, get, transport } = setUp([step]);
      await rejection(clock.run(get().do(shape.number())));
      expect(transport.requests).toHaveLength(1);
    }
  });

  it('waits as long as retry-after demands', async () => {
    const { clock, get } = setUp([response('', 429, { 'retry-after': '3' }), success(1)]);
    expect(await clock.run(get().do(any))).toBe(1);
    expect(clock.monotonicMs()).toBe(3_000);
    const late = setUp([response('', 429, { 'retry-after': '31' }), success(1)]);
    await rejection(late.clock.run(late.get().do(any)));
    expect([late.clock.monotonicMs(), late.transport.requests.length]).toEqual([0, 1]);
  });

  it('names its object in the error', async () => {
    const { client } = setUp([refusal(31006, 'taken')]);
    const error = await rejection(client.post().resource('service').body({}).kind('service', 'worker').do(any));
    expect(isApiError(error, 'AlreadyExists') && error.details).toEqual({ kind: 'service', name: 'worker' });
  });

  it('is an ApiError even if the transport throws another error, or returns too much', async () => {
    const odd = setUp([new TypeError('token=hunter2 is not iterable')]);
    const error = await rejection(odd.get().do(any));
    expect(isApiError(error, 'Internal') && error.message).toContain('token=<hidden>');
    const nothing: Step = () => Promise.reject(Object.create(null));
    expect(isApiError(await rejection(setUp([nothing]).get().do(any)), 'Internal')).toBe(true);
    const large = setUp([success('x'.repeat(100))], { responseBytesMax: 100 });
    expect(isApiError(await rejection(large.get().do(any)), 'TooLarge')).toBe(true);
  });
});

describe('timeout and deadline', () => {
  it('ends each attempt, and then the call, even if the transport ignores its signal', async () => {
    const { clock, get, outcomes } = setUp([silence], { timeoutMs: 1_000, deadlineMs: 60_000 });
    const error = await rejection(clock.run(get().do(any)));
    expect(isApiError(error, 'Timeout') && error.details).toEqual({ what: 'GET /service/:id', timeoutMs: 1_000 });
    expect(outcomes()).toEqual(['Timeout', 'Timeout', 'Timeout']);
    expect(clock.timers).toBe(0);
  });

  it('starts when the request is sent; only the deadline limits the wait before', async () => {
    const waiting = new ScriptedTransport(async (request, { queued, signal }) => {
      // A transport with a queue.
      const turn = new Promise<void>((resolve) => void clock.after(4_000, resolve));
      await (queued?.(turn) ?? turn);
      signal.throwIfAborted();
      return new Promise((resolve) => void clock.after(900, () => resolve(success(request.target))));
    });
    const { clock, get, outcomes } = setUp([], { transport: waiting, timeoutMs: 1_000, deadlineMs: 5_000 });
    await clock.run(get().do(any));
    expect([clock.monotonicMs(), clock.timers]).toEqual([4_900, 0]);
    const error = await rejection(clock.run(get().deadline(3_000).do(any)));
    expect(isApiError(error, 'Timeout') && error.details.timeoutMs).toBe(3_000);
    expect(clock.monotonicMs()).toBe(7_900);
    // Its turn comes after its end.
    await clock.advance(1_500);
    expect([outcomes(), clock.timers]).toEqual([['ok', 'Timeout'], 0]);
  });

  it('ends at the deadline in the middle of an attempt', async () => {
    const { clock, get } = setUp([silence], { timeoutMs: 1_000, deadlineMs: 1_500 });
    const error = await rejection(clock.run(get().do(any)));
    expect(isApiError(error, 'Timeout') && error.details.timeoutMs).toBe(1_500);
    expect([clock.monotonicMs(), clock.timers]).toEqual([1_500, 0]);
  });

  it('does not retry if the deadline is before the next attempt', async () => {
    const { clock, get, transport } = setUp([unavailable()], { deadlineMs: 100 });
    expect(isApiError(await rejection(clock.run(get().do(any))), 'Unavailable')).toBe(true);
    expect([clock.monotonicMs(), transport.requests.length]).toEqual([0, 1]);
  });

  it('is not affected by a clock that is set back', async () => {
    const { clock, get } = setUp([silence], { timeoutMs: 900, deadlineMs: 1_000, attemptsMax: 100 });
    const call = rejection(get().do(any));
    await clock.advance(500);
    clock.step(-3_600_000);
    expect(isApiError(await clock.run(call))).toBe(true);
    expect(clock.monotonicMs()).toBeLessThanOrEqual(1_000);
    expect(clock.timers).toBe(0);
  });

  it('can be set for one call', async () => {
    const { clock, get } = setUp([silence]);
    const timedOut = async (call: Promise<unknown>) => {
      const error = await rejection(clock.run(call));
      return isApiError(error, 'Timeout') && error.details.timeoutMs;
    };
    expect(await timedOut(get().deadline(70).do(any))).toBe(70);
    expect(await timedOut(get().timeout(50).deadline(60).do(any))).toBe(50);
    expect(clock.monotonicMs()).toBe(120);
  });

  it('aborts the signal of the transport', async () => {
    const reasons: unknown[] = [];
    const listening: Step = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        });
      });
    const { clock, get } = setUp([listening], { timeoutMs: 10, attemptsMax: 2 });
    await rejection(clock.run(get().do(any)));
    expect(reasons.map((reason) => isApiError(reason, 'Timeout'))).toEqual([true, true]);
  });
});

describe('an aborting caller', () => {
  it('gets its own reason immediately, without a retry', async () => {
    const reason = new Error('shutting down');
    for (const script of [[silence], [unavailable()]]) {
      const { clock, get, transport, outcomes } = setUp(script);
      const controller = new AbortController();
      const call = rejection(get().signal(controller.signal).do(any));
      await settled();
      controller.abort(reason);
      expect(await call).toBe(reason);
      await clock.advance(60_000);
      expect([transport.requests.length, clock.timers]).toEqual([1, 0]);
      expect(outcomes()).toEqual([script[0] === silence ? 'Aborted' : 'Unavailable']);
    }
  });

  it('sends nothing if the signal is already aborted', async () => {
    const { get, transport, clock } = setUp([success(1)]);
    const reason = new ApiError('Closed', { what: 'the operator' });
    expect(await rejection(get().signal(AbortSignal.abort(reason)).do(any))).toBe(reason);
    expect([transport.requests.length, clock.timers]).toEqual([0, 0]);
  });

  it('has no listeners left on its signal, and never many', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const { clock, get } = setUp([success(1), unavailable(), silence, refusal(1, 'x')]);
    for (let round = 0; round < 3; round++) {
      const call = () =>
        get()
          .signal(signal)
          .do(any)
          .catch(() => undefined);
      await clock.run(Promise.all(Array.from({ length: 200 }, call)));
      expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([round + 1, round + 1]);
      expect(removed.mock.calls[round]?.[1]).toBe(added.mock.calls[round]?.[1]);
    }
    expect(clock.timers).toBe(0);
  });
});

describe('the headers hook', () => {
  it('is called before each attempt; headers of the call have precedence', async () => {
    let asked = 0;
    const headers = () => Promise.resolve({ Authorization: `Bearer ${++asked}`, accept: 'x' });
    const { clock, get, transport } = setUp([unavailable(), success(1)], { headers });
    await clock.run(get().do(any));
    expect(transport.requests.map((request) => request.headers)).toEqual([
      { accept: 'application/json', authorization: 'Bearer 1' },
      { accept: 'application/json', authorization: 'Bearer 2' },
    ]);
  });

  it('fails the call without leaking secrets if it throws, hangs or returns invalid headers', async () => {
    const failing = setUp([success(1)], {
      headers: () => {
        throw new Error('cannot refresh token=hunter2');
      },
    });
    const error = await rejection(failing.clock.run(failing.get().do(any)));
    expect(isApiError(error, 'Unavailable') && error.message).toContain('the headers hook failed: cannot refresh');
    expect(String(error)).not.toContain('hunter2');

    const hanging = setUp([success(1)], { headers: () => new Promise(() => {}) });
    expect(isApiError(await rejection(hanging.clock.run(hanging.get().do(any))), 'Timeout')).toBe(true);

    const odd = setUp([success(1)], { headers: () => ({ authorization: 'hunter2\n' }) });
    const refused = await rejection(odd.get().do(any));
    expect(isApiError(refused, 'BadRequest') && refused.message).toBe(
      'the header authorization has to be text of printable ASCII characters',
    );
    for (const { transport } of [failing, hanging, odd]) expect(transport.requests).toEqual([]);
  });

  it('prevents sending if it resolves too late', async () => {
    let release = () => {};
    const headers = () => new Promise<Record<string, string>>((resolve) => (release = () => resolve({})));
    const { clock, client, transport } = setUp([success(1)], { headers });
    await rejection(clock.run(client.post().resource('service').do(any)));
    release();
    await settled();
    expect(transport.requests).toEqual([]);
  });
});

describe('the records of a call', () => {
  it('include every attempt', async () => {
    const slow: Step = (_, { meter }) => {
      meter.bytesDown += 5;
      return new Promise(() => {});
    };
    const { clock, get, records, recorder } = setUp([slow, success(1)], { timeoutMs: 1_000 });
    await clock.run(get().do(any));
    const bytesDown = success(1).body.byteLength;
    expect(records).toEqual([
      { endpoint: 'GET /service/:id', bytesUp: 10, bytesDown: 5, outcome: 'Timeout', durationMs: 1_000 },
      { endpoint: 'GET /service/:id', bytesUp: 10, bytesDown, outcome: 'ok', durationMs: 0 },
    ]);
    expect(recorder.totals()).toEqual({ calls: 2, failures: 1, bytesUp: 20, bytesDown: 5 + bytesDown });
  });

  it('log every attempt without ids or bodies', async () => {
    const lines: [string, string, LogFields | undefined][] = [];
    const log = { write: (level: string, message: string, fields?: LogFields) => lines.push([level, message, fields]) };
    const { client, clock } = setUp([response('', 503), success({ password: 'hunter2' })], {
      log: { write: (...line) => void log.write(...line) },
    });
    await clock.run(client.put().resource('service').name('x').body({ password: 'hunter2' }).safe().do(any));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toEqual([
      'debug',
      'called the platform',
      {
        endpoint: 'PUT /service/:id',
        attempt: 1,
        outcome: 'Unavailable',
        status: 503,
        bytesUp: 10,
        bytesDown: 0,
        durationMs: 0,
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });
});
