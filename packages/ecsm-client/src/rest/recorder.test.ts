import { describe, expect, it } from 'vitest';
import { type AttemptRecord, endpointsMax, otherEndpoints, Recorder } from './recorder.ts';

const attempt = (endpoint: string, outcome: AttemptRecord['outcome'] = 'ok'): AttemptRecord => ({
  endpoint,
  outcome,
  bytesUp: 10,
  bytesDown: 100,
  durationMs: 5,
});

describe('a recorder', () => {
  it('counts by endpoint and in total, until it is reset', () => {
    const recorder = new Recorder();
    recorder.record(attempt('GET /service'));
    recorder.record(attempt('GET /node', 'Timeout'));
    recorder.record(attempt('GET /service', 'Aborted'));
    expect(recorder.byEndpoint()).toEqual([
      { endpoint: 'GET /node', calls: 1, failures: 1, bytesUp: 10, bytesDown: 100 },
      { endpoint: 'GET /service', calls: 2, failures: 1, bytesUp: 20, bytesDown: 200 },
    ]);
    expect(recorder.totals()).toEqual({ calls: 3, failures: 2, bytesUp: 30, bytesDown: 300 });
    recorder.reset();
    expect(recorder.byEndpoint()).toEqual([]);
    expect(recorder.totals()).toEqual({ calls: 0, failures: 0, bytesUp: 0, bytesDown: 0 });
  });

  it('calls its listener with every attempt', () => {
    const received: AttemptRecord[] = [];
    new Recorder((record) => received.push(record)).record(attempt('GET /node', 'Timeout'));
    expect(received).toEqual([attempt('GET /node', 'Timeout')]);
  });

  it('counts endpoints beyond its limit together', () => {
    const recorder = new Recorder();
    for (let index = 0; index < endpointsMax + 5; index++) recorder.record(attempt(`GET /${index}`));
    recorder.record(attempt('GET /0'));
    expect(recorder.byEndpoint()).toHaveLength(endpointsMax + 1);
    expect(recorder.byEndpoint().find(({ endpoint }) => endpoint === otherEndpoints)?.calls).toBe(5);
    expect(recorder.byEndpoint().find(({ endpoint }) => endpoint === 'GET /0')?.calls).toBe(2);
    expect(recorder.totals().calls).toBe(endpointsMax + 6);
  });
});
