import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpTransport, type Transport, type WireRequest } from '@ecsm/client';
import { ApiError, isApiError, systemClock } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Prometheus, responseBytesMax, valueIn } from './prometheus.ts';

const url = 'http://prometheus:9090';
const vector = (...values: readonly string[]) =>
  JSON.stringify({
    status: 'success',
    data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) },
  });

function answering(status: number, text: string, requests: WireRequest[] = []): Transport {
  return {
    send: (request) => {
      requests.push(request);
      return Promise.resolve({ status, headers: {}, body: new TextEncoder().encode(text) });
    },
    close() {},
  };
}

const signal = new AbortController().signal;
const client = (transport: Transport, clock = new VirtualClock()) =>
  new Prometheus({ servers: new Map([[url, transport]]), clock, timeoutMs: 5_000 });
const failure = async (promise: Promise<unknown>) => {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  return isApiError(error) ? `${error.code}: ${error.message}` : error;
};

describe('a query of Prometheus', () => {
  it('sends the query encoded, and returns the only value', async () => {
    const requests: WireRequest[] = [];
    const result = await client(answering(200, vector('12.5'), requests)).query(
      `${url}/`,
      'sum(rate(x{a="b"}[5m]))',
      signal,
    );
    expect(result).toBe(12.5);
    expect(requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'GET /api/v1/query?query=sum(rate(x%7Ba%3D%22b%22%7D%5B5m%5D))',
    ]);
  });

  it('of a server that is not allowed is not sent, and the error names the flag', async () => {
    const requests: WireRequest[] = [];
    const query = client(answering(200, vector('1'), requests)).query('http://other:9090', 'x', signal);
    expect(await failure(query)).toContain('--prometheus-server http://other:9090');
    expect(requests).toEqual([]);
  });

  it('without an answer ends with its timeout, and closes the connection', async () => {
    const clock = new VirtualClock();
    let isClosed = false;
    const silent: Transport = {
      send: (_, options) =>
        new Promise((_resolve, reject) => {
          options.signal.addEventListener('abort', () => {
            isClosed = true;
            reject(options.signal.reason);
          });
        }),
      close() {},
    };
    const ended = failure(client(silent, clock).query(url, 'x', signal));
    await clock.advance(5_000);
    expect(await ended).toContain('Timeout');
    expect(isClosed).toBe(true);
  });

  it.each<[string, number, string, string]>([
    ['no series', 200, vector(), 'the result is empty'],
    ['several series', 200, vector('1', '2'), 'has 2 values: aggregate them'],
    ['not a number', 200, vector('NaN'), 'is not a number'],
    ['a negative number', 200, vector('-1'), 'is not a number of at least 0'],
    ['a matrix', 200, '{"status":"success","data":{"resultType":"matrix","result":[]}}', 'is a matrix'],
    ['an error', 400, '{"status":"error","error":"parse error"}', 'answered 400: parse error'],
    ['another page', 200, '<html>', 'answered 200'],
    ['an error of a proxy', 502, '<html>', 'answered 502'],
  ])('fails with %s', (_, status, text, message) => {
    expect(() => valueIn(status, text)).toThrow(message);
    expect(() => valueIn(status, text)).toThrow(ApiError);
  });

  it('accepts a scalar', () => {
    expect(valueIn(200, '{"status":"success","data":{"resultType":"scalar","result":[1,"7"]}}')).toBe(7);
  });
});

describe('a Prometheus server', () => {
  async function served(body: string): Promise<Prometheus> {
    const server = createServer((request, response) => {
      response.writeHead(request.url?.startsWith('/prefix/api/v1/query?query=up') ? 200 : 404);
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const local = `http://127.0.0.1:${port}/prefix`;
    const transport = httpTransport({ url: local });
    onTestFinished(() => {
      transport.close();
      server.closeAllConnections();
      server.close();
    });
    return new Prometheus({ servers: new Map([[url, transport]]), clock: systemClock, timeoutMs: 20_000 });
  }

  it('is queried over HTTP', async () => {
    const prometheus = await served(vector('3'));
    expect(await prometheus.query(url, 'up', signal)).toBe(3);
    expect(await failure(prometheus.query(url, 'down', signal))).toContain('answered 404');
  });

  it('that returns too much is not read to the end', async () => {
    const prometheus = await served('x'.repeat(responseBytesMax + 1));
    expect(await failure(prometheus.query(url, 'up', signal))).toContain('TooLarge');
  });
});
