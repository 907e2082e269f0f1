/** What the journal keeps, and what it drops. */
import { describe, expect, it } from 'vitest';
import type { ObservedCall } from '../link/simulated-call.ts';
import { Journal, journalLimits } from './journal.ts';

function observed(number: number, change: Partial<ObservedCall> = {}): ObservedCall {
  const response = { status: 200, headers: {}, body: Buffer.from('{"status":200,"message":"success"}') };
  return {
    request: { method: 'GET', target: `/api/v1/node/${number}`, headers: {}, body: new Uint8Array() },
    response,
    status: (change.response === undefined ? response : change.response)?.status ?? null,
    fate: 'answered',
    startedMs: number,
    durationMs: 2,
    bytesUp: 10,
    bytesDown: 100,
    ...change,
  };
}

const journal = () => new Journal({ endpointOf: (method) => `${method} /node/:id` });

describe('a journal', () => {
  it('records each call and its result', () => {
    const kept = journal();
    const request = {
      method: 'POST',
      target: '/api/v1/node?x=1',
      headers: {},
      body: Buffer.from('{"name":"a","password":"hunter2"}'),
    };
    const response = { status: 409, headers: {}, body: Buffer.from('{ "status": 31006, "message": "no" }') };
    kept.record(observed(5, { request, response }));
    expect(kept.entries()).toEqual([
      {
        number: 1,
        timeMs: 5,
        method: 'POST',
        target: '/api/v1/node?x=1',
        endpoint: 'POST /node/:id',
        fate: 'answered',
        status: 409,
        code: 31006,
        bytesUp: 10,
        bytesDown: 100,
        durationMs: 2,
        request: '{"name":"a","password":"<hidden>"}',
        answer: '{ "status": 31006, "message": "no" }',
      },
    ]);
  });

  it('has no status for a lost call, and no code without an envelope', () => {
    const kept = journal();
    kept.record(observed(1, { fate: 'request lost', response: null }));
    kept.record(
      observed(2, { fate: 'error page', response: { status: 503, headers: {}, body: Buffer.from('<html>') } }),
    );
    expect(kept.entries()).toMatchObject([
      { status: null, code: null, answer: '' },
      { status: 503, code: null, answer: '<html>' },
    ]);
    expect(kept.totals).toEqual({ calls: 2, failures: 2, bytesUp: 20, bytesDown: 200 });
  });

  it('keeps the last calls, and counts all', () => {
    const kept = journal();
    const count = journalLimits.entriesMax + 500;
    for (let number = 1; number <= count; number++) kept.record(observed(number));
    const entries = kept.entries();
    expect(entries).toHaveLength(journalLimits.entriesMax);
    expect([entries[0]?.number, entries.at(-1)?.number]).toEqual([501, count]);
    expect(entries[0]?.timeMs).toBe(501);
    expect(kept.byEndpoint()).toEqual([
      { endpoint: 'GET /node/:id', calls: count, failures: 0, bytesUp: count * 10, bytesDown: count * 100 },
    ]);
  });

  it('is read in pages', () => {
    const kept = journal();
    for (let number = 1; number <= 10; number++) kept.record(observed(number));
    expect(kept.entries(3, 2).map(({ number }) => number)).toEqual([4, 5]);
    expect(kept.entries(9, 5).map(({ number }) => number)).toEqual([10]);
    expect(kept.entries(10)).toEqual([]);
  });

  it('is cleared, and continues its numbering', () => {
    const kept = journal();
    for (let number = 1; number <= 3; number++) kept.record(observed(number));
    kept.clear();
    expect([kept.entries(), kept.totals.calls, kept.byEndpoint()]).toEqual([[], 0, []]);
    kept.record(observed(9));
    expect(kept.entries().map(({ number }) => number)).toEqual([4]);
  });
});
