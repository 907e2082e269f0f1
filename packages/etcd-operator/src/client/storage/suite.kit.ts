/** What storage.suite.ts needs of a store, and streams to put into it. */
import type { BackupStorageClient, StorageErrorCode } from './contract.ts';
import { isStorageError } from './error.ts';

export interface SuiteStorage {
  /** A client of the same store; `path` is the destination's. */
  open(path?: string): BackupStorageClient;
  close(): Promise<void>;
}

export interface StorageHarness {
  /** Whether one of two puts at the same time is refused. Without conditional puts, only an object that exists is. */
  readonly isExclusive: boolean;
  /** Of the smallest object that is stored in several parts. */
  readonly largeBytes: number;
  create(): Promise<SuiteStorage>;
}

/** Repeatable bytes that differ from part to part. */
export function pattern(sizeBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(sizeBytes);
  let state = 1 + (sizeBytes % 1_000);
  for (let index = 0; index < sizeBytes; index++) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    bytes[index] = state >>> 16;
  }
  return bytes;
}

/** In memory that is used again for each chunk, as the contract allows. */
export async function* chunked(bytes: Uint8Array | string, chunkBytes = 65_536): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(bytes);
  const chunk = Buffer.alloc(Math.min(chunkBytes, all.byteLength));
  for (let offset = 0; offset < all.byteLength; offset += chunkBytes) {
    yield chunk.subarray(0, all.copy(chunk, 0, offset, offset + chunkBytes));
    chunk.fill(0xee);
  }
}

/** Yields the bytes, then fails. */
export async function* failing(bytes: Uint8Array, error: Error): AsyncGenerator<Uint8Array> {
  yield* chunked(bytes);
  throw error;
}

export async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

export async function keysOf(client: BackupStorageClient, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of client.list(prefix)) keys.push(key);
  return keys.sort();
}

/** `ok`, or the code of the error. Anything but a `StorageError` is thrown. */
export async function outcome(call: Promise<unknown>): Promise<StorageErrorCode | 'ok'> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    if (isStorageError(error)) return error.code;
    throw error;
  }
}

/** The message of the error that a call ends with. */
export async function messageOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('the call did not fail');
}
