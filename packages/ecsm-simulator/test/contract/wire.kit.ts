/** What went over the wire, kept as it went, and whether a request is to the letter what it should be. */
import type { Transport } from '@ecsm/client';
import { expect } from 'vitest';

export interface Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly http: number;
  readonly answerType: string | undefined;
  readonly answer: unknown;
}

export interface ExpectedRequest {
  /** The values of `:names` in the path. */
  readonly path?: Readonly<Record<string, string>>;
  /** All of the query; a list is `name[]`, repeated. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** All of a JSON body. */
  readonly body?: unknown;
  /** A body that is not JSON. */
  readonly bytes?: Uint8Array;
  /** Beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Passes everything on as it is, and keeps it. */
export function recording(link: Transport, exchanges: Exchange[]): Transport {
  return {
    async send(request, options) {
      const answer = await link.send(request, options);
      const { method, target, headers, body } = request;
      exchanges.push({
        method,
        target,
        headers,
        body,
        http: answer.status,
        answerType: answer.headers['content-type'],
        answer: parsed(answer.body),
      });
      return answer;
    },
    close: () => link.close(),
  };
}

/** Fails unless the request is exactly what is expected: path, query, headers and body. */
export function checkRequest(exchange: Exchange, endpoint: string, expected: ExpectedRequest): void {
  const [method = '', template = ''] = endpoint.split(' ');
  const path = template.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(expected.path?.[name] ?? expect.unreachable(`${endpoint}: no ${name} is given`)),
  );
  const url = new URL(exchange.target, 'http://platform');
  expect(`${exchange.method} ${url.pathname}`).toBe(`${method} /api/v1${path}`);
  expect([...url.searchParams].sort(byName), `query of ${endpoint}`).toEqual(pairsOf(expected.query).sort(byName));
  checkContent(exchange, endpoint, expected);
  expect(exchange.answerType).toMatch(/^application\/json\b/);
}

function checkContent(exchange: Exchange, endpoint: string, { body, bytes, headers }: ExpectedRequest): void {
  const type = bytes ? 'application/octet-stream' : body === undefined ? undefined : 'application/json';
  expect(exchange.headers, `headers of ${endpoint}`).toEqual({
    accept: 'application/json',
    ...(type && { 'content-type': type }),
    ...headers,
  });
  if (bytes) expect(exchange.body, `body of ${endpoint}`).toEqual(bytes);
  else if (body === undefined) expect(exchange.body, `body of ${endpoint}`).toBeUndefined();
  else expect(parsed(exchange.body ?? new Uint8Array()), `body of ${endpoint}`).toEqual(body);
}

function parsed(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

function pairsOf(query: ExpectedRequest['query'] = {}): [string, string][] {
  return Object.entries(query).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : value.map((item) => [`${name}[]`, item]),
  );
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
