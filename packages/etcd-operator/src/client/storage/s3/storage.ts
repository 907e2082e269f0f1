/** Backups as objects in a bucket of an S3-compatible store. */
import { createHash } from 'node:crypto';
import type {
  BackupStorageClient,
  GetResult,
  PutOptions,
  PutResult,
  S3Destination,
  StorageCallOptions,
  StorageOptions,
  StoredObject,
} from '../contract.ts';
import { StorageError } from '../error.ts';
import { checkKey, checkPrefix, fullKey, normalizedPath } from '../key.ts';
import { bucketAddress } from './address.ts';
import type { Answer } from './connections.ts';
import { Download } from './download.ts';
import { type Facts, factsOf, inspect, why } from './inspect.ts';
import { type S3Limits, s3LimitsDefault } from './limits.ts';
import { listing } from './listing.ts';
import { type ConditionalPuts, Publication } from './publication.ts';
import { Requests } from './requests.ts';
import { upload } from './upload.ts';

export class S3Storage implements BackupStorageClient {
  readonly hasFiles = false;
  readonly #path: string;
  readonly #requests: Requests;
  readonly #options: StorageOptions;
  readonly #conditional: ConditionalPuts = { areKnown: true };

  constructor(destination: S3Destination, options: StorageOptions, limits: S3Limits = s3LimitsDefault) {
    const { clock, random, credentials, ca } = options;
    const address = bucketAddress(destination);
    if (credentials === undefined) {
      throw new StorageError('Denied', `${address.label}: an access key id and a secret access key are required`);
    }
    this.#path = normalizedPath(destination.path);
    this.#options = options;
    const read = typeof credentials === 'function' ? credentials : () => credentials;
    this.#requests = new Requests({ address, credentials: read, ca, clock, random, limits });
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<PutResult> {
    const full = this.#fullKey(key);
    const putId = this.#options.random.uuid();
    const publication = new Publication(this.#requests, full, putId, this.#conditional, options.signal);
    const readBack = () => this.#checksum(full, options.signal);
    const { facts, sha256 } = await upload(this.#requests, publication, body, readBack, options);
    return { ...objectOf(key, facts), sha256 };
  }

  async head(key: string, { signal }: StorageCallOptions = {}): Promise<StoredObject | undefined> {
    const full = this.#fullKey(key);
    const facts = await inspect(this.#requests, full, signal);
    if (facts) return objectOf(key, facts);
    // A bucket that does not exist looks like a missing object.
    const reason = await why(this.#requests, full, signal);
    if (reason && reason.code !== 'NotFound') throw reason;
    return undefined;
  }

  async get(key: string, { signal }: StorageCallOptions = {}): Promise<GetResult> {
    const full = this.#fullKey(key);
    const answer = await this.#open(full, signal);
    return { object: objectOf(key, factsOf(answer)), body: this.#bodyOf(full, answer, signal) };
  }

  async *list(prefix: string, { signal }: StorageCallOptions = {}): AsyncGenerator<StoredObject> {
    checkPrefix(this.#path, prefix);
    const below = fullKey(this.#path, '');
    for await (const object of listing(this.#requests, below + prefix, signal)) {
      yield { ...object, key: object.key.slice(below.length) };
    }
  }

  async delete(key: string, { signal }: StorageCallOptions = {}): Promise<void> {
    const request = { method: 'DELETE', key: this.#fullKey(key), action: 's3:DeleteObject', signal } as const;
    await this.#requests.run(request, async (reply) => {
      if (!reply.isRefused) await reply.answer.text();
      else if (reply.error.code !== 'NotFound') throw reply.error;
    });
  }

  close(): void {
    this.#requests.close();
  }

  #fullKey(key: string): string {
    checkKey(this.#path, key);
    return fullKey(this.#path, key);
  }

  #open(full: string, signal: AbortSignal | undefined): Promise<Answer> {
    return this.#requests.run({ method: 'GET', key: full, action: 's3:GetObject', signal }, (reply) => {
      if (reply.isRefused) throw reply.error;
      return reply.answer;
    });
  }

  async #checksum(full: string, signal: AbortSignal | undefined): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of this.#bodyOf(full, await this.#open(full, signal), signal)) hash.update(chunk);
    return hash.digest('hex');
  }

  #bodyOf(full: string, answer: Answer, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
    return new Download(this.#requests, full, answer, signal ? { signal } : {});
  }
}

function objectOf(key: string, { sizeBytes, modifiedAtMs }: Facts): StoredObject {
  return { key, sizeBytes, modifiedAtMs };
}
