/** A platform in memory with scripted responses, which records the requests. */

import { RestClient } from '../rest/client.ts';
import { Recorder } from '../rest/recorder.ts';
import type { Transport, WireRequest, WireResponse } from '../rest/transport.ts';
import { Ecsm, type EcsmOptions } from './ecsm.ts';

export interface Seen {
  readonly method: string;
  /** Without base path and query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly bytes: Uint8Array | undefined;
}

/** A whole envelope, instead of the `data` of a success. */
export class Envelope {
  readonly status: number;
  readonly message: string;
  readonly data: unknown;

  constructor(status: number, message: string, data: unknown = null) {
    this.status = status;
    this.message = message;
    this.data = data;
  }
}

/** Text in place of an envelope. */
export class Garbage {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Answer = (seen: Seen) => unknown;

export function scripted(response: Answer, options: EcsmOptions = {}) {
  const requests: Seen[] = [];
  const recorder = new Recorder();
  const transport: Transport = {
    async send(request): Promise<WireResponse> {
      const seen = read(request);
      requests.push(seen);
      return { status: 200, headers: {}, body: new TextEncoder().encode(written(response(seen))) };
    },
    close() {},
  };
  // One attempt: otherwise an invalid response is retried, and the test would wait.
  const rest = new RestClient({ transport, recorder, attemptsMax: 1 });
  return { ecsm: new Ecsm(rest, options), requests, recorder };
}

function read({ method, target, headers, body }: WireRequest): Seen {
  const url = new URL(target, 'http://platform');
  const isJson = headers['content-type'] === 'application/json';
  return {
    method,
    path: url.pathname.replace(/^\/api\/v1/, ''),
    query: url.searchParams,
    target,
    headers,
    body: isJson && body !== undefined ? JSON.parse(new TextDecoder().decode(body)) : undefined,
    bytes: body,
  };
}

function written(response: unknown): string {
  if (response instanceof Garbage) return response.text;
  if (response instanceof Envelope) return JSON.stringify({ ...response, fieldErrors: null });
  return JSON.stringify({ status: 200, message: 'success', data: response, fieldErrors: null });
}

/** A page of a correct platform. */
export function pageFrom<Row>(rows: readonly Row[], { query }: Seen, pageSizeMax = Number.POSITIVE_INFINITY) {
  const pageNum = Number(query.get('pageNum'));
  const pageSize = Math.min(Number(query.get('pageSize')), pageSizeMax);
  return {
    list: rows.slice((pageNum - 1) * pageSize, pageNum * pageSize),
    total: rows.length,
    pageNum,
    pageSize,
  };
}

export const service = (id: string, more: object = {}) => ({
  id,
  name: `name-${id}`,
  status: 'complete',
  updatedTime: '2024-06-03 23:28:20',
  policy: 'static',
  ...more,
});

export const container = (taskId: string, more: object = {}) => ({
  taskId,
  name: `name-${taskId}`,
  serviceId: 'service-1',
  nodeName: 'node-1',
  deployStatus: 'success',
  status: 'running',
  ...more,
});

export const node = (id: string, more: object = {}) => ({ id, name: `name-${id}`, status: 'online', ...more });

/** A page with just these rows. */
export const onePage = (...list: readonly unknown[]) => ({ list, total: list.length, pageNum: 1, pageSize: 100 });

/** What a promise rejects with; a failure of the test if it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not reject');
}
