/** Backups as files below a directory, such as a mounted volume. */
import { stat, unlink } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Clock, Random } from '@ecsm/runtime';
import type {
  BackupStorageClient,
  GetResult,
  PutOptions,
  PutResult,
  StorageCallOptions,
  StoredObject,
  VolumeDestination,
} from '../contract.ts';
import { abortedCall, closedClient, StorageError } from '../error.ts';
import { checkKey, checkPrefix, fullKey, normalizedPath } from '../key.ts';
import { Source } from '../source.ts';
import { download } from './download.ts';
import { errorCode, fileFailure, missingDirectory } from './failure.ts';
import { flushDirectory, upload } from './upload.ts';
import { isMissing, objectAt, walk } from './walk.ts';

export class VolumeStorage implements BackupStorageClient {
  readonly hasFiles = true;
  readonly #root: string;
  readonly #path: string;
  readonly #clock: Clock;
  readonly #random: Random;
  #isClosed = false;

  constructor({ directory, path }: VolumeDestination, clock: Clock, random: Random) {
    if (!isAbsolute(directory)) {
      throw new StorageError(
        'Other',
        `${JSON.stringify(directory)} is not an absolute directory: it has to start with "/"`,
      );
    }
    this.#root = join(directory, '.');
    this.#path = normalizedPath(path);
    this.#clock = clock;
    this.#random = random;
  }

  put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<PutResult> {
    const source = new Source(body);
    const store = async (file: string) => {
      const target = { root: this.#root, file, temporaryName: this.#random.uuid() };
      return { key, ...(await upload(target, source, this.#clock, options)) };
    };
    return this.#call(key, options, store, source);
  }

  head(key: string, options: StorageCallOptions = {}): Promise<StoredObject | undefined> {
    return this.#call(key, options, (file) => objectAt(file, key));
  }

  get(key: string, options: StorageCallOptions = {}): Promise<GetResult> {
    return this.#call(key, options, async (file) => {
      const found = await download(file, () => this.#isClosed, options).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      if (!found) throw new StorageError('NotFound', `there is no ${file}`);
      const { sizeBytes, modifiedAtMs, body } = found;
      return { object: { key, sizeBytes, modifiedAtMs }, file, body };
    });
  }

  async *list(prefix: string, { signal }: StorageCallOptions = {}): AsyncGenerator<StoredObject> {
    checkPrefix(this.#path, prefix);
    const directory = join(this.#root, this.#path);
    try {
      await this.#check(signal);
      for await (const object of walk(directory, prefix)) {
        this.#refuse(signal);
        yield object;
      }
    } catch (error) {
      throw fileFailure(error, directory);
    }
  }

  delete(key: string, options: StorageCallOptions = {}): Promise<void> {
    return this.#call(key, options, async (file) => {
      try {
        await unlink(file);
      } catch (error) {
        if (isMissing(error) || errorCode(error) === 'EISDIR') return;
        throw error;
      }
      await flushDirectory(dirname(file));
    });
  }

  close(): void {
    this.#isClosed = true;
  }

  async #call<T>(
    key: string,
    { signal }: StorageCallOptions,
    action: (file: string) => Promise<T>,
    source?: Source,
  ): Promise<T> {
    checkKey(this.#path, key);
    const file = join(this.#root, fullKey(this.#path, key));
    try {
      await this.#check(signal);
      return await action(file);
    } catch (error) {
      throw source?.hasFailedWith(error) ? error : fileFailure(error, file);
    }
  }

  /** Without the directory nothing is missing: the volume is. */
  async #check(signal: AbortSignal | undefined): Promise<void> {
    this.#refuse(signal);
    const stats = await stat(this.#root).catch((error: unknown) => {
      if (isMissing(error)) throw missingDirectory(this.#root);
      throw error;
    });
    if (!stats.isDirectory()) throw missingDirectory(this.#root);
  }

  #refuse(signal: AbortSignal | undefined): void {
    if (this.#isClosed) throw closedClient(this.#root);
    if (signal?.aborted) throw abortedCall(this.#root);
  }
}
