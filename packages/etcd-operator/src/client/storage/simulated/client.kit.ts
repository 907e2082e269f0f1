/** A client of the simulated store. */
import { sleep } from '@ecsm/runtime';
import type {
  BackupStorageClient,
  GetResult,
  PutOptions,
  PutResult,
  StorageCallOptions,
  StoredObject,
} from '../contract.ts';
import { abortedCall, closedClient, StorageError } from '../error.ts';
import { checkKey, checkPrefix, fullKey, normalizedPath } from '../key.ts';
import type { SimulatedStorage, StorageFault, StorageOperation } from './store.kit.ts';

const label = 'the simulated store';
const chunkBytes = 64 * 1024;

export class SimulatedClient implements BackupStorageClient {
  readonly hasFiles = false;
  readonly #store: SimulatedStorage;
  readonly #path: string;
  #isClosed = false;

  constructor(store: SimulatedStorage, path: string | undefined) {
    this.#store = store;
    this.#path = normalizedPath(path);
  }

  put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<PutResult> {
    return this.#call('put', key, options, async (full, fault) => {
      if (this.#store.objects.has(full)) throw new StorageError('AlreadyExists', `${label}: ${full} exists already`);
      const bytes = await this.#receive(body, fault, options);
      const { sha256, modifiedAtMs } = this.#store.create(full, bytes);
      return { key, sizeBytes: bytes.byteLength, modifiedAtMs, sha256 };
    });
  }

  head(key: string, options: StorageCallOptions = {}): Promise<StoredObject | undefined> {
    return this.#call('head', key, options, (full) => this.#find(full, key));
  }

  get(key: string, options: StorageCallOptions = {}): Promise<GetResult> {
    return this.#call('get', key, options, (full, fault) => {
      const object = this.#find(full, key);
      const stored = this.#store.objects.get(full);
      if (!object || !stored) throw new StorageError('NotFound', `${label}: there is no ${full}`);
      return { object, body: this.#body(stored.bytes, fault, options.signal) };
    });
  }

  async *list(prefix: string, options: StorageCallOptions = {}): AsyncGenerator<StoredObject> {
    checkPrefix(this.#path, prefix);
    const below = fullKey(this.#path, '');
    const read = (full: string, fault: StorageFault | undefined) =>
      this.#store.list(full, fault?.type === 'stale' ? fault.changes : 0);
    for (const object of await this.#perform('list', below + prefix, options, read)) {
      yield { ...object, key: object.key.slice(below.length) };
    }
  }

  delete(key: string, options: StorageCallOptions = {}): Promise<void> {
    return this.#call('delete', key, options, (full) => this.#store.remove(full));
  }

  close(): void {
    this.#isClosed = true;
  }

  async #call<T>(
    operation: StorageOperation,
    key: string,
    options: StorageCallOptions,
    apply: (full: string, fault: StorageFault | undefined) => Promise<T> | T,
  ): Promise<T> {
    checkKey(this.#path, key);
    return this.#perform(operation, fullKey(this.#path, key), options, apply);
  }

  async #perform<T>(
    operation: StorageOperation,
    full: string,
    { signal }: StorageCallOptions,
    apply: (full: string, fault: StorageFault | undefined) => Promise<T> | T,
  ): Promise<T> {
    this.#check(signal);
    const fault = this.#store.arrive(operation, full);
    if (fault?.type === 'slow') await sleep(this.#store.clock, fault.delayMs, signal);
    this.#check(signal);
    if (fault?.type === 'refused') throw new StorageError(fault.code, `${label}: ${fault.code}`);
    const result = await apply(full, fault);
    if (fault?.type === 'lostAnswer')
      throw new StorageError(fault.code ?? 'Unavailable', `${label}: the answer was lost`);
    return result;
  }

  async #receive(
    body: AsyncIterable<Uint8Array>,
    fault: StorageFault | undefined,
    { signal, onProgress }: PutOptions,
  ): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const chunk of body) {
      this.#check(signal);
      chunks.push(Buffer.from(chunk));
      sizeBytes += chunk.byteLength;
      if (fault?.type === 'halfWay' && sizeBytes >= fault.afterBytes) throw broken();
      onProgress?.(sizeBytes);
    }
    this.#check(signal);
    if (fault?.type === 'halfWay') throw broken();
    return Buffer.concat(chunks);
  }

  async *#body(bytes: Uint8Array, fault: StorageFault | undefined, signal: AbortSignal | undefined) {
    const endBytes = fault?.type === 'halfWay' ? Math.min(fault.afterBytes, bytes.byteLength) : bytes.byteLength;
    for (let offset = 0; offset < endBytes; offset += chunkBytes) {
      this.#check(signal);
      const chunk = Buffer.from(bytes.subarray(offset, Math.min(offset + chunkBytes, endBytes)));
      if (fault?.type === 'damaged') flipBit(chunk, fault.offset - offset);
      yield chunk;
    }
    this.#check(signal);
    if (fault?.type === 'halfWay') throw broken();
  }

  #find(full: string, key: string): StoredObject | undefined {
    const found = this.#store.objects.get(full);
    return found && { key, sizeBytes: found.bytes.byteLength, modifiedAtMs: found.modifiedAtMs };
  }

  #check(signal: AbortSignal | undefined): void {
    if (this.#isClosed) throw closedClient(label);
    if (signal?.aborted) throw abortedCall(label);
  }
}

function broken(): StorageError {
  return new StorageError('Unavailable', `${label}: the connection broke`);
}

function flipBit(chunk: Buffer, offset: number): void {
  const byte = chunk[offset];
  if (byte !== undefined) chunk[offset] = byte ^ 1;
}
