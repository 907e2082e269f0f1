/**
 * Calls to a cluster: chooses the endpoint and the token, and whether to retry.
 *
 * A read is retried on the next endpoint until its deadline. A commit is retried only if etcd cannot have received it:
 * the connection failed, or its token was refused. For any other failed commit the caller has to find out the outcome.
 */
import type { Clock } from '../../ports/clock.ts';
import { Deadline } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import { EtcdFailure, isUnreachable } from './errors.ts';
import { exchange } from './exchange.ts';
import { type JsonObject, stringAt } from './json.ts';
import { openStream, type Stream, type StreamHandlers } from './stream.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

interface TransportOptions {
  readonly endpoints: readonly [Endpoint, ...Endpoint[]];
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly credentials: Credentials | undefined;
}

interface CallOptions {
  /** Whether the call may be retried although etcd may have received it: true for reads. */
  readonly repeatable: boolean;
  readonly signal?: AbortSignal;
  /** Use only this endpoint. */
  readonly endpoint?: Endpoint;
}

interface Call extends CallOptions {
  readonly path: string;
  readonly body: string;
  readonly deadline: Deadline;
}

export class Transport {
  readonly #options: TransportOptions;
  /** The endpoint to try first: the last one that responded. */
  #preferred: Endpoint;
  /** Shared by all calls, so that concurrent calls sign in once. */
  #token: Promise<string> | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#preferred = options.endpoints[0];
  }

  async call(path: string, body: object, options: CallOptions): Promise<JsonObject> {
    const deadline = new Deadline(this.#options.clock, this.#options.timeoutMs, options.signal);
    try {
      const call: Call = { ...options, path, body: JSON.stringify(body), deadline };
      return await this.#withToken((token) => this.#tryEndpoints(call, token));
    } finally {
      deadline.release();
    }
  }

  /** Opens a streaming response from the preferred endpoint. The handlers are not called before this returns. */
  async stream(path: string, body: object, handlers: StreamHandlers): Promise<Stream> {
    const headers = requestHeaders(await this.#currentToken());
    const { clock, timeoutMs } = this.#options;
    return openStream({
      endpoint: this.#preferred,
      path,
      headers,
      body: JSON.stringify(body),
      clock,
      timeoutMs,
      handlers,
    });
  }

  /** Prefers the next endpoint from now on, unless another call has already switched. */
  turnAwayFrom(endpoint: Endpoint): void {
    const { endpoints } = this.#options;
    if (this.#preferred === endpoint)
      this.#preferred = endpoints[(endpoints.indexOf(endpoint) + 1) % endpoints.length] ?? endpoints[0];
  }

  /** Signs in again before the next request. */
  forgetToken(): void {
    this.#token = undefined;
  }

  destroy(): void {
    for (const endpoint of this.#options.endpoints) endpoint.destroy();
  }

  async #tryEndpoints(call: Call, token: string): Promise<JsonObject> {
    const { endpoints, clock, timeoutMs } = this.#options;
    // One more than there are endpoints: the first attempt may have used a dead pooled connection.
    const attemptsMax = call.endpoint ? 1 : endpoints.length + 1;
    const shareMs = timeoutMs / endpoints.length;
    for (let attempt = 1; ; attempt++) {
      const endpoint = call.endpoint ?? this.#preferred;
      try {
        return await exchange({
          endpoint,
          path: call.path,
          headers: requestHeaders(token),
          body: call.body,
          clock,
          deadline: call.deadline,
          connectMsMax: shareMs,
          ...(call.repeatable && endpoints.length > 1 ? { attemptMsMax: shareMs } : {}),
        });
      } catch (error) {
        if (!(error instanceof EtcdFailure) || !isUnreachable(error)) throw error;
        this.turnAwayFrom(endpoint);
        const mayRepeat = call.repeatable || !error.sent;
        if (!mayRepeat || attempt >= attemptsMax || call.deadline.ended) throw error;
      }
    }
  }

  /** etcd checks the token before it processes the request, so even a commit can be retried with a new one. */
  async #withToken(run: (token: string) => Promise<JsonObject>): Promise<JsonObject> {
    const pending = this.#currentToken();
    try {
      return await run(await pending);
    } catch (error) {
      if (!this.#options.credentials || !(error instanceof EtcdFailure) || error.kind !== 'token') throw error;
      if (this.#token === pending) this.#token = undefined;
      return await run(await this.#currentToken());
    }
  }

  #currentToken(): Promise<string> {
    if (this.#token !== undefined) return this.#token;
    const pending = this.#signIn();
    this.#token = pending;
    pending.catch(() => {
      if (this.#token === pending) this.#token = undefined;
    });
    return pending;
  }

  /** Returns the empty token if authentication is disabled; once it is enabled, the next call is refused and signs in. */
  async #signIn(): Promise<string> {
    const { credentials, clock, timeoutMs } = this.#options;
    if (!credentials) return '';
    const deadline = new Deadline(clock, timeoutMs);
    try {
      const body = JSON.stringify({ name: credentials.username, password: credentials.password });
      const answer = await this.#tryEndpoints({ path: '/v3/auth/authenticate', body, deadline, repeatable: true }, '');
      return stringAt(answer, 'token');
    } catch (error) {
      if (error instanceof EtcdFailure && error.kind === 'authenticationOff') return '';
      throw error;
    } finally {
      deadline.release();
    }
  }
}

function requestHeaders(token: string): Readonly<Record<string, string>> {
  // With this header a member without a leader refuses immediately; otherwise it would respond after six seconds.
  const headers = { 'content-type': 'application/json', 'grpc-metadata-hasleader': 'true' };
  return token === '' ? headers : { ...headers, authorization: token };
}
