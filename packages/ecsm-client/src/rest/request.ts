/**
 * A request, said in the order one thinks of it:
 *
 *     client.get().resource('service').name(id).do(serviceShape)
 *
 * Each step gives a new builder, so that a common beginning can be kept and used again. A step that makes no sense does
 * not throw in the middle of the chain: `do()` rejects with it, and nothing is sent.
 */
import { isApiError, type Shape } from '@ecsm/runtime';
import { type Call, perform } from './call.ts';
import { readAnswer } from './envelope.ts';
import { checkHeader } from './headers.ts';
import { badRequest, checkTime, type Headers, type RestSettings } from './options.ts';
import { isPlainSegment, itemPair, nameSegment, queryPair, type Segment } from './target.ts';
import type { Method, WireAnswer } from './transport.ts';

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
  readonly about?: { readonly kind: string; readonly name: string };
  /** The first step that made no sense. */
  readonly problem?: Error;
}

export class RequestBuilder {
  readonly #settings: RestSettings;
  readonly #parts: Parts;

  constructor(settings: RestSettings, method: Method, parts?: Parts) {
    this.#settings = settings;
    this.#parts = parts ?? { method, segments: [], query: [], headers: {}, isSafe: method === 'GET' };
  }

  /** What this calls, without the values in it: `POST /service/:action/ids`. */
  get endpoint(): string {
    const { method, segments } = this.#parts;
    return `${method} ${segments.map(({ template }) => `/${template}`).join('') || '/'}`;
  }

  /** Words of the path that are always the same. */
  resource(...words: readonly string[]): RequestBuilder {
    return this.#step(({ segments }) => {
      const wrong = words.find((word) => !isPlainSegment(word));
      if (wrong !== undefined) throw badRequest(`${JSON.stringify(wrong)} is no plain word for a path`);
      return { segments: [...segments, ...words.map((word) => ({ encoded: word, template: word }))] };
    });
  }

  /** One value in the path, which `endpoint` shows as `:label`. */
  name(value: string, label = 'id'): RequestBuilder {
    return this.#step(({ segments }) => ({ segments: [...segments, nameSegment(value, label)] }));
  }

  /** One value in the query; undefined is left out. */
  param(name: string, value: string | number | boolean | undefined): RequestBuilder {
    if (value === undefined) return this;
    return this.#step(({ query }) => ({ query: [...query, queryPair(name, value)] }));
  }

  /** Several values in the query, the way the platform reads them: `name[]=a&name[]=b`. */
  list(name: string, values: readonly string[]): RequestBuilder {
    return this.#step(({ query }) => ({ query: [...query, ...values.map((value) => itemPair(name, value))] }));
  }

  header(name: string, value: string): RequestBuilder {
    return this.#step(({ headers }) => ({
      headers: { ...headers, ...Object.fromEntries([checkHeader(name, value)]) },
    }));
  }

  /** A body as JSON, as the value is now. */
  body(json: unknown): RequestBuilder {
    return this.#step(() => ({ body: jsonBytes(json), contentType: 'application/json' }));
  }

  bytes(body: Uint8Array): RequestBuilder {
    return this.#step(() => ({ body, contentType: 'application/octet-stream' }));
  }

  /** For one attempt, instead of the client's. */
  timeout(timeoutMs: number): RequestBuilder {
    return this.#step(() => ({ timeoutMs: checkTime('timeoutMs', timeoutMs) }));
  }

  /** For the whole call, instead of the client's. */
  deadline(deadlineMs: number): RequestBuilder {
    return this.#step(() => ({ deadlineMs: checkTime('deadlineMs', deadlineMs) }));
  }

  /** When it aborts, the call rejects with its reason at once. What was sent may have happened. */
  signal(signal: AbortSignal | undefined): RequestBuilder {
    return signal === undefined ? this : this.#step(() => ({ signal }));
  }

  /** Declares that repeating this call is harmless, so that it is retried as a read is. */
  safe(): RequestBuilder {
    return this.#step(() => ({ isSafe: true }));
  }

  /** What the call is about: an error then names it, `service "worker" already exists`. */
  kind(kind: string, name: string): RequestBuilder {
    return this.#step(() => ({ about: { kind, name } }));
  }

  /** Sends it, and answers the envelope's `data` once it has that shape. */
  do<T>(shape: Shape<T>): Promise<T> {
    const { endpoint } = this;
    const about = { endpoint, kind: this.#parts.about?.kind, name: this.#parts.about?.name };
    return this.#perform((answer) => readAnswer(answer, about, shape));
  }

  /** Sends it, and answers whatever comes back, an error of the platform too. */
  doRaw(): Promise<WireAnswer> {
    return this.#perform((answer) => answer);
  }

  async #perform<T>(read: (answer: WireAnswer) => T): Promise<T> {
    if (this.#parts.problem) throw this.#parts.problem;
    return perform(this.#settings, this.#call(), read);
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
    // It is all ASCII by now, so that characters are bytes.
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
  return new TextEncoder().encode(text);
}
