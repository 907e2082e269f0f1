/** One request and its answer. Nothing is repeated here: `attempts.ts` decides about that. */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Clock } from '@ecsm/runtime';
import { abortedCall, closedClient, StorageError } from '../error.ts';
import type { BucketAddress } from './address.ts';
import { connectionFailure, TransientError } from './failure.ts';
import type { S3Limits } from './limits.ts';

/** Two parts at once, a download beside them, and one more. */
const connectionsMax = 4;
/** A body is written in slices, so that a slow link that makes progress does not count as idle. */
const sliceBytes = 256 * 1024;

interface HttpRequest {
  readonly method: string;
  /** With the query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly idleMsMax: number;
  readonly signal: AbortSignal | undefined;
}

export class Connections {
  readonly #address: BucketAddress;
  readonly #ca: string | undefined;
  readonly #clock: Clock;
  readonly #limits: S3Limits;
  readonly #agent: HttpAgent;
  readonly #calls = new Set<(error: StorageError) => void>();
  #isClosed = false;

  constructor(address: BucketAddress, ca: string | undefined, clock: Clock, limits: S3Limits) {
    this.#address = address;
    this.#ca = ca;
    this.#clock = clock;
    this.#limits = limits;
    const options = {
      keepAlive: true,
      maxSockets: connectionsMax,
      scheduling: 'lifo',
      timeout: limits.connectionIdleMsMax,
    } as const;
    this.#agent = address.isTls ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** Resolves when the headers of the answer are here. The answer has to be read or discarded. */
  send(call: HttpRequest): Promise<Answer> {
    const { label } = this.#address;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closedClient(label));
      if (call.signal?.aborted) return reject(abortedCall(label));
      const request = this.#request(call);
      let answer: Answer | undefined;
      const fail = (error: StorageError) => {
        if (answer) return answer.fail(error);
        finish();
        reject(error);
        request.destroy();
      };
      const onAbort = () => fail(abortedCall(label));
      const idle = new IdleTimer(this.#clock, call.idleMsMax, () => fail(noAnswer(label, call.idleMsMax)));
      const finish = () => {
        idle.stop();
        call.signal?.removeEventListener('abort', onAbort);
        this.#calls.delete(fail);
      };
      call.signal?.addEventListener('abort', onAbort, { once: true });
      this.#calls.add(fail);
      request.on('error', (error) => fail(connectionFailure(error, label)));
      request.on('response', (response) => {
        answer = new Answer(request, response, label, idle, finish, this.#limits.answerBytesMax);
        resolve(answer);
      });
      idle.start();
      void sendBody(request, call.body, () => {
        if (!answer) idle.start();
        return answer === undefined && !request.destroyed;
      });
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const fail of [...this.#calls]) fail(closedClient(this.#address.label));
    this.#agent.destroy();
  }

  #request({ method, path, headers }: HttpRequest): ClientRequest {
    const { host, port, isTls } = this.#address;
    const options = { host, port, path, method, headers, agent: this.#agent };
    if (!isTls) return httpRequest(options);
    return httpsRequest(this.#ca === undefined ? options : { ...options, ca: this.#ca });
  }
}

/** An answer whose body is not read yet. */
export class Answer {
  readonly status: number;
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage;
  readonly #label: string;
  readonly #idle: IdleTimer;
  readonly #finish: () => void;
  readonly #bytesMax: number;
  #failure: StorageError | undefined;

  constructor(
    request: ClientRequest,
    response: IncomingMessage,
    label: string,
    idle: IdleTimer,
    finish: () => void,
    bytesMax: number,
  ) {
    this.status = response.statusCode ?? 0;
    this.#request = request;
    this.#response = response;
    this.#label = label;
    this.#idle = idle;
    this.#finish = finish;
    this.#bytesMax = bytesMax;
    // Only time that is spent waiting for the store counts, not what the reader needs.
    idle.stop();
    // Without a listener, a connection that breaks before the body is read would end the process.
    response.on('error', (error) => this.fail(connectionFailure(error, label)));
  }

  /** Empty if there is no such header. */
  header(name: string): string {
    const value = this.#response.headers[name];
    return typeof value === 'string' ? value : '';
  }

  /** Ends the answer. Reading it fails with the first error. */
  fail(error: StorageError): void {
    this.#failure ??= error;
    this.#finish();
    this.#response.destroy();
    this.#request.destroy();
  }

  discard(): void {
    this.fail(abortedCall(this.#label));
  }

  /** The whole body, which is bounded. */
  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const chunk of this.body()) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > this.#bytesMax) {
        throw new StorageError('Other', `${this.#label}: an answer is over ${this.#bytesMax} bytes`);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  /** Can be iterated once. Not a generator: one that was never started would not end the answer when it is returned. */
  body(): AsyncIterable<Uint8Array> {
    return { [Symbol.asyncIterator]: () => this.#reader() };
  }

  #reader(): AsyncIterator<Uint8Array> {
    const chunks: AsyncIterator<Uint8Array> = this.#response[Symbol.asyncIterator]();
    const done = { done: true, value: undefined } as const;
    return {
      next: async () => {
        if (this.#failure) throw this.#failure;
        this.#idle.start();
        try {
          const result = await chunks.next();
          if (result.done) this.#ended();
          return result;
        } catch (error) {
          this.fail(connectionFailure(error instanceof Error ? error : new Error(String(error)), this.#label));
          throw this.#failure;
        } finally {
          this.#idle.stop();
        }
      },
      return: async () => {
        this.discard();
        return done;
      },
    };
  }

  #ended(): void {
    this.#finish();
    // The store has answered before it had the whole request: the connection cannot be used again.
    if (!this.#request.writableFinished) this.#request.destroy();
  }
}

/** Calls back when it was not started again for a time. */
class IdleTimer {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #onIdle: () => void;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, idleMs: number, onIdle: () => void) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
  }

  start(): void {
    this.stop();
    this.#cancel = this.#clock.after(this.#idleMs, this.#onIdle);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** `onSent` returns whether to go on. */
async function sendBody(request: ClientRequest, body: Uint8Array | undefined, onSent: () => boolean): Promise<void> {
  for (let offset = 0; body !== undefined && offset < body.byteLength; offset += sliceBytes) {
    const slice = body.subarray(offset, offset + sliceBytes);
    // It fails if the request was ended, which has an error of its own.
    await new Promise<void>((resolve) => request.write(slice, () => resolve()));
    if (!onSent()) return;
  }
  request.end();
}

function noAnswer(label: string, idleMs: number): StorageError {
  return new TransientError('Timeout', `${label}: nothing was sent or received for ${idleMs / 1000} s`);
}
