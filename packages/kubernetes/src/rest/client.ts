/**
 * Requests to one API server, and its streams of events. A request ends with a response, an `ApiError`, or the reason of
 * its caller's signal.
 */
import type { IncomingMessage } from 'node:http';
import { ApiError, type Clock, type Log, type Random } from '@ecsm/runtime';
import type { Connection } from '../config/connection.ts';
import { Agents } from './agents.ts';
import { AttemptFailed, repeated } from './attempts.ts';
import { exchange, readBody, readLines } from './exchange.ts';
import { type ErrorContext, errorOf, isStatus, type Subject } from './status.ts';

export interface RestOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** From the first attempt to the response, in all. Default 30 s. */
  readonly timeoutMs?: number;
  /** A larger response is `TooLarge`. Default 128 MiB: a list without a limit has everything in it. */
  readonly responseBytesMax?: number;
  /** A longer event of a watch is `TooLarge`. Default 16 MiB; an object in etcd has at most 1.5 MB. */
  readonly eventBytesMax?: number;
  /** Concurrent requests; further ones wait. Watches do not count. Default 16. */
  readonly connectionsMax?: number;
}

export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Undefined values are omitted. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  /** For errors. */
  readonly subject?: Subject;
  readonly signal?: AbortSignal;
}

export interface RestResponse {
  readonly status: number;
  /** Parsed JSON. */
  readonly body: unknown;
}

const timeoutMsDefault = 30_000;
const responseBytesMaxDefault = 128 * 1024 * 1024;
const eventBytesMaxDefault = 16 * 1024 * 1024;
const connectionsMaxDefault = 16;
/** The error response to a watch. */
const errorBytesMax = 1024 * 1024;

/** A request with everything that is derived from it once. */
interface Call {
  readonly request: RestRequest;
  readonly body: Buffer | undefined;
  readonly context: ErrorContext;
  readonly isWatch: boolean;
}

export class RestClient {
  readonly connection: Connection;
  readonly #options: RestOptions;
  readonly #timeoutMs: number;
  readonly #agents: Agents;
  readonly #active = new Set<AbortController>();
  #isClosed = false;

  constructor(options: RestOptions) {
    const { connection, connectionsMax = connectionsMaxDefault, timeoutMs = timeoutMsDefault } = options;
    this.connection = connection;
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    this.#agents = new Agents(connection.server, connection.trust, connectionsMax);
  }

  /** Throws `Closed` after `close`. */
  async request(request: RestRequest): Promise<RestResponse> {
    const call = this.#call(request, false);
    const limitBytes = this.#options.responseBytesMax ?? responseBytesMaxDefault;
    return this.#attempts(call, request.signal, async (response, signal) => {
      const body = parse(await readBody(response, { ...call.context, limitBytes, signal }));
      const status = response.statusCode ?? 0;
      if (status >= 400) throw new AttemptFailed(status, body, response.headers['retry-after'], call.context);
      if (status < 200 || status >= 300 || body === undefined) throw unexpected(call, status);
      return { status, body };
    });
  }

  /**
   * The JSON lines of a watch. Ends when the server ends it; throws `Timeout` after `lifeMsMax`, because a dead
   * connection is silent. Until the response starts, the deadline of a request applies.
   */
  async *stream(request: RestRequest, lifeMsMax: number): AsyncGenerator<unknown, void> {
    const call = this.#call(request, true);
    const limitBytes = this.#options.eventBytesMax ?? eventBytesMaxDefault;
    const life = this.#limited(call, lifeMsMax, request.signal);
    try {
      const response = await this.#attempts(call, life.signal, async (started, signal) => {
        const status = started.statusCode ?? 0;
        if (status === 200) return started;
        const body = parse(await readBody(started, { ...call.context, limitBytes: errorBytesMax, signal }));
        if (status < 400) throw unexpected(call, status);
        throw new AttemptFailed(status, body, started.headers['retry-after'], call.context);
      });
      for await (const line of readLines(response, { ...call.context, limitBytes, signal: life.signal })) {
        const event = parse(line);
        if (event === undefined) throw badAnswer(call, 'an event of the watch is not JSON');
        yield event;
      }
    } finally {
      life.release();
    }
  }

  /** The error of a Status within a stream. */
  errorOf(status: unknown, request: RestRequest): ApiError {
    const code = isStatus(status) ? (status.code ?? 500) : 500;
    return errorOf(code, status, this.#call(request, true).context);
  }

  /** Ends requests and watches, and closes all connections. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#active) controller.abort(this.#closedError());
    this.#agents.close();
  }

  #call(request: RestRequest, isWatch: boolean): Call {
    const { method, path, subject } = request;
    const { server, name: connection } = this.connection;
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    const [what, requestBytes, timeoutMs] = [`${method} ${path}`, body?.byteLength ?? 0, this.#timeoutMs];
    return { request, body, isWatch, context: { subject, what, server, connection, requestBytes, timeoutMs } };
  }

  /** Sends the request, again where that is safe, and reads its response. */
  async #attempts<T>(
    call: Call,
    callerSignal: AbortSignal | undefined,
    read: (response: IncomingMessage, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { clock, random, log } = this.#options;
    const deadline = this.#limited(call, this.#timeoutMs, callerSignal);
    const { signal } = deadline;
    const isRead = call.request.method === 'GET';
    const { what, timeoutMs } = call.context;
    const { credentials } = this.connection;
    try {
      return await repeated({ clock, random, log, credentials, isRead, what, timeoutMs, signal }, async () =>
        read(await this.#send(call, signal), signal),
      );
    } finally {
      deadline.release();
    }
  }

  async #send({ request, body, context, isWatch }: Call, signal: AbortSignal): Promise<IncomingMessage> {
    const { server } = context;
    const credential = await this.connection.credentials.current();
    const headers = {
      accept: request.accept ?? 'application/json',
      'user-agent': 'ecsm-operator',
      ...(isWatch ? {} : { 'accept-encoding': 'gzip' }),
      ...(body ? { 'content-type': request.contentType ?? 'application/json' } : {}),
      // As in kubectl, nothing secret is sent without TLS.
      ...(server.startsWith('https:') ? credential.headers : {}),
    };
    const agent = this.#agents.agentFor(credential.certificate, isWatch);
    return exchange({ server, method: request.method, target: targetOf(request), headers, body, agent, signal });
  }

  /** A signal that aborts after a time, with the caller's signal, and when the client is closed. */
  #limited(
    { context: { what } }: Call,
    timeoutMs: number,
    callerSignal: AbortSignal | undefined,
  ): { readonly signal: AbortSignal; release(): void } {
    const controller = new AbortController();
    if (this.#isClosed) controller.abort(this.#closedError());
    const abort = () => controller.abort(callerSignal?.reason);
    if (callerSignal?.aborted) abort();
    callerSignal?.addEventListener('abort', abort, { once: true });
    const cancel = this.#options.clock.after(timeoutMs, () =>
      controller.abort(new ApiError('Timeout', { what, timeoutMs })),
    );
    this.#active.add(controller);
    return {
      signal: controller.signal,
      release: () => {
        cancel();
        callerSignal?.removeEventListener('abort', abort);
        this.#active.delete(controller);
      },
    };
  }

  #closedError(): ApiError {
    return new ApiError('Closed', { what: `the registry of ${this.connection.server}` });
  }
}

function targetOf({ path, query = {} }: RestRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** Undefined if it is not JSON. */
function parse(body: Buffer | string): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function unexpected(call: Call, status: number): ApiError {
  const isRedirect = status >= 300 && status < 400;
  return badAnswer(call, isRedirect ? `it is a redirection (${status})` : 'it is not JSON');
}

function badAnswer({ context: { what } }: Call, reason: string): ApiError {
  return new ApiError('BadAnswer', { what, reason });
}
