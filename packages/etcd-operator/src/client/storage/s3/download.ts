/**
 * The bytes of an object. If the connection breaks, the rest is requested again, of the same object only: an object that was
 * replaced meanwhile is an error, and never mixed with the one before.
 *
 *   reading ── cut ──▶ resuming: GET from the byte that is missing ──▶ reading ── end ──▶ whole
 *                          └── another object, or too many cuts: failed
 */
import type { StorageCallOptions } from '../contract.ts';
import { StorageError } from '../error.ts';
import type { Answer } from './connections.ts';
import { TransientError } from './failure.ts';
import { factsOf } from './inspect.ts';
import type { Requests } from './requests.ts';

interface Opened {
  readonly chunks: AsyncIterator<Uint8Array>;
  /** The first bytes of a request that was repeated. */
  readonly first: Uint8Array;
}

export class Download implements AsyncIterableIterator<Uint8Array> {
  readonly #requests: Requests;
  readonly #key: string;
  readonly #signal: AbortSignal | undefined;
  readonly #sizeBytes: number;
  readonly #etag: string;
  #chunks: AsyncIterator<Uint8Array>;
  #readBytes = 0;
  #resumes = 0;

  /** Of an answer whose body was not read yet. */
  constructor(requests: Requests, key: string, answer: Answer, { signal }: StorageCallOptions) {
    const { sizeBytes, etag } = factsOf(answer);
    this.#requests = requests;
    this.#key = key;
    this.#signal = signal;
    this.#sizeBytes = sizeBytes;
    this.#etag = etag;
    this.#chunks = answer.body()[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    try {
      const result = await this.#chunks.next();
      // A server that cuts a body in chunks would not be noticed otherwise.
      if (result.done && this.#readBytes < this.#sizeBytes) throw this.#cut();
      return this.#taken(result);
    } catch (error) {
      if (!(error instanceof TransientError) || !this.#mayResume) throw error;
      this.#resumes++;
      const { chunks, first } = await this.#resume();
      this.#chunks = chunks;
      return this.#taken({ done: false, value: first });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    return (await this.#chunks.return?.()) ?? { done: true, value: undefined };
  }

  /** Without an ETag it cannot be told whether it is the same object. */
  get #mayResume(): boolean {
    const isKnown = this.#etag !== '' && !Number.isNaN(this.#sizeBytes);
    return isKnown && this.#readBytes < this.#sizeBytes && this.#resumes < this.#requests.limits.resumesMax;
  }

  #taken(result: IteratorResult<Uint8Array>): IteratorResult<Uint8Array> {
    if (!result.done) this.#readBytes += result.value.byteLength;
    return result;
  }

  /** With the first bytes, so that a connection that breaks before them counts as a failed attempt of the request. */
  #resume(): Promise<Opened> {
    const headers = { range: `bytes=${this.#readBytes}-`, 'if-match': `"${this.#etag}"` };
    const request = { method: 'GET', key: this.#key, headers, action: 's3:GetObject', signal: this.#signal } as const;
    return this.#requests.run(request, async (reply) => {
      if (reply.isRefused) throw reply.refusal.status === 412 ? this.#replaced() : reply.error;
      const { answer } = reply;
      const range = `bytes ${this.#readBytes}-${this.#sizeBytes - 1}/${this.#sizeBytes}`;
      // Not by the status: some stores answer 200 with a range.
      if (answer.header('content-range') !== range) {
        answer.discard();
        throw new StorageError('Unavailable', `${this.#label}: the store does not return parts of objects`);
      }
      if (factsOf(answer).etag !== this.#etag) {
        answer.discard();
        throw this.#replaced();
      }
      const chunks = answer.body()[Symbol.asyncIterator]();
      const result = await chunks.next();
      if (result.done) throw this.#cut();
      return { chunks, first: result.value };
    });
  }

  get #label(): string {
    return this.#requests.address.label;
  }

  #cut(): TransientError {
    const problem = `the object ended after ${this.#readBytes} of ${this.#sizeBytes} bytes`;
    return new TransientError('Unavailable', `${this.#label}: ${problem}`);
  }

  #replaced(): StorageError {
    return new StorageError('Corrupt', `${this.#label}: ${this.#key} was replaced while it was read: read it again`);
  }
}
