/** Requests to one bucket: signed with the newest credentials, sent, and repeated if that may help. */
import type { Clock, Random } from '@ecsm/runtime';
import type { ReadS3Credentials, S3Credentials } from '../contract.ts';
import { StorageError } from '../error.ts';
import { type BucketAddress, pathOf } from './address.ts';
import { Repeater } from './attempts.ts';
import { type Answer, Connections } from './connections.ts';
import { type Refusal, refusalError, refusalOf, TransientError } from './failure.ts';
import type { S3Limits } from './limits.ts';
import { emptySha256, queryString, signed } from './signature.ts';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** In the bucket. Without it, the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Of the body, in hexadecimal. Required with a body. */
  readonly bodySha256?: string;
  /** The permission that it needs, for messages. */
  readonly action: string;
  readonly idleMsMax?: number;
  readonly signal: AbortSignal | undefined;
}

interface Repetition<T> {
  readonly lookup?: () => Promise<T | undefined>;
  /** Default: that of the limits. */
  readonly attemptsMax?: number;
}

/** The answer to a request: a success, or a refusal that repeating does not change. */
export type Reply =
  | { readonly isRefused: false; readonly answer: Answer }
  | { readonly isRefused: true; readonly refusal: Refusal; readonly error: StorageError };

interface RequestsOptions {
  readonly address: BucketAddress;
  readonly credentials: ReadS3Credentials;
  readonly ca: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: S3Limits;
}

export class Requests {
  readonly limits: S3Limits;
  readonly address: BucketAddress;
  readonly #credentials: ReadS3Credentials;
  readonly #clock: Clock;
  readonly #connections: Connections;
  readonly #repeater: Repeater;

  constructor({ address, credentials, ca, clock, random, limits }: RequestsOptions) {
    this.limits = limits;
    this.address = address;
    this.#credentials = credentials;
    this.#clock = clock;
    this.#connections = new Connections(address, ca, clock, limits);
    this.#repeater = new Repeater(clock, random, limits);
  }

  /** `read` reads the answer; a connection that breaks meanwhile is repeated too. */
  run<T>(request: S3Request, read: (reply: Reply) => Promise<T> | T, repetition: Repetition<T> = {}): Promise<T> {
    const { attemptsMax = this.limits.attemptsMax, lookup } = repetition;
    return this.#repeater.run<T>({
      attempt: async () => read(await this.#send(request)),
      ...(lookup === undefined ? {} : { lookup }),
      attemptsMax,
      signal: request.signal,
    });
  }

  close(): void {
    this.#connections.close();
  }

  async #send(request: S3Request): Promise<Reply> {
    const credentials = await this.#read();
    const answer = await this.#connections.send({
      method: request.method,
      path: this.#pathAndQuery(request),
      headers: this.#headers(request, credentials),
      body: request.body,
      idleMsMax: request.idleMsMax ?? this.limits.idleMsMax,
      signal: request.signal,
    });
    if (answer.status >= 200 && answer.status < 300) return { isRefused: false, answer };
    const refusal = refusalOf(answer, await answer.text());
    const error = withoutSecrets(refusalError(refusal, this.address, request.action), credentials);
    if (error instanceof TransientError) throw error;
    // The credentials may have been rotated between reading them and sending the request.
    if ([400, 401, 403].includes(answer.status) && !areEqual(credentials, await this.#read())) {
      throw new TransientError(error.code, error.message);
    }
    return { isRefused: true, refusal, error };
  }

  async #read(): Promise<S3Credentials> {
    const credentials = await this.#credentials();
    if (credentials.accessKeyId === '' || credentials.secretAccessKey === '') {
      throw new StorageError('Denied', `${this.address.label}: the access key id or the secret access key is empty`);
    }
    return credentials;
  }

  #headers(request: S3Request, credentials: S3Credentials): Record<string, string> {
    const { region, hostHeader } = this.address;
    const headers = signed(
      {
        method: request.method,
        path: pathOf(this.address, request.key),
        query: request.query ?? {},
        headers: { host: hostHeader, ...request.headers },
        payloadSha256: request.bodySha256 ?? emptySha256,
      },
      credentials,
      { region, timeMs: this.#clock.now() },
    );
    const hasBody = request.method === 'PUT' || request.method === 'POST';
    return hasBody ? { ...headers, 'content-length': String(request.body?.byteLength ?? 0) } : headers;
  }

  #pathAndQuery({ key, query = {} }: S3Request): string {
    const text = queryString(query);
    return text === '' ? pathOf(this.address, key) : `${pathOf(this.address, key)}?${text}`;
  }
}

/** A store could repeat what it was sent. */
function withoutSecrets(error: StorageError, { secretAccessKey, sessionToken }: S3Credentials): StorageError {
  let { message } = error;
  for (const secret of [secretAccessKey, sessionToken]) if (secret) message = message.replaceAll(secret, '***');
  if (message === error.message) return error;
  return error instanceof TransientError
    ? new TransientError(error.code, message)
    : new StorageError(error.code, message);
}

function areEqual(one: S3Credentials, other: S3Credentials): boolean {
  return (
    one.accessKeyId === other.accessKeyId &&
    one.secretAccessKey === other.secretAccessKey &&
    one.sessionToken === other.sessionToken
  );
}
