/**
 * Builds a request:
 *
 *     client.get().resource('service').name(id).do(serviceShape)
 *
 * Each step returns a new builder, so a common prefix can be reused. An invalid step does not throw: `do()` rejects
 * with its error, and nothing is sent.
 */
import { isApiError, type Shape } from '@ecsm/runtime';
import { type Call, perform } from './call.ts';
import { readResponse } from './envelope.ts';
import type { CallSubject } from './errors.ts';
import { checkHeader } from './headers.ts';
import { badRequest, checkTime, type Headers, type RestSettings } from './options.ts';
import { isPlainSegment, itemPair, nameSegment, queryPair, type Segment } from './target.ts';
import type { Method, WireResponse } from './transport.ts';

interface Parts {
  readonly method: Method;
  readonly segments: readonly Segment[];
  readonly query: readonly string[];
  readonly headers: Headers;
  readonly body?: Uint8Array;
  readonly contentType?: string;
  readonly timeoutMs?: number;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  readonly isSafe: boolean;
  readonly subject?: { readonly kind: string; readonly name: string };
  /** The error of the first invalid step. */
  readonly problem?: Error;
}

export class RequestBuilder {
  readonly #settings: RestSettings;
  readonly #parts: Parts;

  constructor(settings: RestSettings, method: Method, parts?: Parts) {
    this.#settings = settings;
    this.#parts = parts ?? { method, segments: [], query: [], headers: {}, isSafe: method === 'GET' };
  }

  /** The path template, without values: `POST /service/:action/ids`. */
  get endpoint(): string {
    const { method, segments } = this.#parts;
    return `${method} ${segments.map(({ template }) => `/${template}`).join('') || '/'}`;
  }

  /** Fixed segments of the path. */
  resource(...path: readonly string[]): RequestBuilder {
    return this.#step(({ segments }) => {
      const invalid = path.find((segment) => !isPlainSegment(segment));
      if (invalid !== undefined) throw badRequest(`${JSON.stringify(invalid)} is not a valid path segment`);
      return { segments: [...segments, ...path.map((segment) => ({ encoded: segment, template: segment }))] };
    });
  }

  /** One value in the path, which `endpoint` shows as `:label`. */
  name(value: string, label = 'id'): RequestBuilder {
    return this.#step(({ segments }) => ({ segments: [...segments, nameSegment(value, label)] }));
  }

  /** One query parameter; undefined is omitted. */
  param(name: string, value: string | number | boolean | undefined): RequestBuilder {
    if (value === undefined) return this;
    return this.#step(({ query }) => ({ query: [...query, queryPair(name, value)] }));
  }

  /** A query parameter with several values, as the platform expects it: `name[]=a&name[]=b`. */
  list(name: string, values: readonly string[]): RequestBuilder {
    return this.#step(({ query }) => ({ query: [...query, ...values.map((value) => itemPair(name, value))] }));
  }

  header(name: string, value: string): RequestBuilder {
    return this.#step(({ headers }) => ({
      headers: { ...headers, ...Object.fromEntries([checkHeader(name, value)]) },
    }));
  }

  /** Sets a JSON body. The value is serialized immediately. */
  body(json: unknown): RequestBuilder {
    return this.#step(() => ({ body: jsonBytes(json), contentType: 'application/json' }));
  }

  bytes(body: Uint8Array): RequestBuilder {
    return this.#step(() => ({ body, contentType: 'application/octet-stream' }));
  }

  /** Timeout of one attempt, instead of the client's. */
  timeout(timeoutMs: number): RequestBuilder {
    return this.#step(() => ({ timeoutMs: checkTime('timeoutMs', timeoutMs) }));
  }

  /** Deadline of the whole call, instead of the client's. */
  deadline(deadlineMs: number): RequestBuilder {
    return this.#step(() => ({ deadlineMs: checkTime('deadlineMs', deadlineMs) }));
  }

  /** When it aborts, the call rejects with its reason immediately. A request that was sent may still be executed. */
  signal(signal: AbortSignal | undefined): RequestBuilder {
    return signal === undefined ? this : this.#step(() => ({ signal }));
  }

  /** Declares that this call may be repeated, so that it is retried like a read. */
  safe(): RequestBuilder {
    return this.#step(() => ({ isSafe: true }));
  }

  /** The object of the call, for error messages: `service "worker" already exists`. */
  kind(kind: string, name: string): RequestBuilder {
    return this.#step(() => ({ subject: { kind, name } }));
  }

  /** Sends the request and returns the envelope's `data`, validated against the shape. */
  do<T>(shape: Shape<T>): Promise<T> {
    return this.doRead((response, subject) => readResponse(response, subject, shape));
  }

  /**
   * Sends the request and returns what `read` makes of the response. An error that it throws is one of the call: an
   * unexpected response is requested again.
   */
  doRead<T>(read: (response: WireResponse, subject: CallSubject) => T): Promise<T> {
    const subject = this.#subject;
    return this.#perform((response) => read(response, subject));
  }

  /** Sends the request and returns the unparsed response, including an error response of the platform. */
  doRaw(): Promise<WireResponse> {
    return this.#perform((response) => response);
  }

  async #perform<T>(read: (response: WireResponse) => T): Promise<T> {
    if (this.#parts.problem) throw this.#parts.problem;
    return perform(this.#settings, this.#call(), read);
  }

  get #subject(): CallSubject {
    return { endpoint: this.endpoint, kind: this.#parts.subject?.kind, name: this.#parts.subject?.name };
  }

  #call(): Call {
    const { method, headers, body, contentType, timeoutMs, deadlineMs, signal, isSafe } = this.#parts;
    return {
      endpoint: this.endpoint,
      method,
      target: this.#target(),
      headers: { accept: 'application/json', ...(contentType ? { 'content-type': contentType } : {}), ...headers },
      body,
      timeoutMs: timeoutMs ?? this.#settings.timeoutMs,
      deadlineMs: deadlineMs ?? this.#settings.deadlineMs,
      signal,
      isSafe,
    };
  }

  #target(): string {
    const { basePath, targetBytesMax } = this.#settings;
    const { segments, query } = this.#parts;
    const path = `${basePath}${segments.map(({ encoded }) => `/${encoded}`).join('')}` || '/';
    const target = query.length === 0 ? path : `${path}?${query.join('&')}`;
    // The target is ASCII, so its length is in bytes.
    if (target.length > targetBytesMax)
      throw badRequest(`the path and query of ${this.endpoint} are ${target.length} bytes, over ${targetBytesMax}`);
    return target;
  }

  #step(change: (parts: Parts) => Partial<Parts>): RequestBuilder {
    if (this.#parts.problem) return this;
    return new RequestBuilder(this.#settings, this.#parts.method, { ...this.#parts, ...this.#changed(change) });
  }

  #changed(change: (parts: Parts) => Partial<Parts>): Partial<Parts> {
    try {
      return change(this.#parts);
    } catch (error) {
      if (isApiError(error)) return { problem: error };
      throw error;
    }
  }
}

function jsonBytes(json: unknown): Uint8Array {
  let text: string | undefined;
  try {
    text = JSON.stringify(json);
  } catch (error) {
    throw badRequest('the body cannot be written as JSON', error);
  }
  if (text === undefined) throw badRequest('the body cannot be written as JSON');
  return Buffer.from(text);
}
