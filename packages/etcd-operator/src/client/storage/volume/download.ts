/** Reads a file as a stream that fails if the file is shorter than it was when it was opened. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { StorageCallOptions } from '../contract.ts';
import { abortedCall, closedClient, StorageError } from '../error.ts';
import { fileFailure } from './failure.ts';

const readBytesMax = 256 * 1024;

interface Download {
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Returns undefined if it is not a file. */
export async function download(
  file: string,
  isClosed: () => boolean,
  { signal }: StorageCallOptions,
): Promise<Download | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  };
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) {
      await close();
      return undefined;
    }
    const body = { [Symbol.asyncIterator]: () => reader(handle, file, stats.size, close, isClosed, signal) };
    return { sizeBytes: stats.size, modifiedAtMs: Math.floor(stats.mtimeMs), body };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Not a generator: one that was never started would not close the file when it is returned. */
function reader(
  handle: FileHandle,
  file: string,
  sizeBytes: number,
  close: () => Promise<void>,
  isClosed: () => boolean,
  signal: AbortSignal | undefined,
): AsyncIterator<Uint8Array> {
  let position = 0;
  // One buffer is filled while the reader has the other one.
  let [buffer, other] = [0, 1].map(() => Buffer.allocUnsafeSlow(Math.min(readBytesMax, sizeBytes))) as [Buffer, Buffer];
  let ahead: Promise<number> | undefined;
  const done = { done: true, value: undefined } as const;
  const fill = async () =>
    (await handle.read(buffer, 0, Math.min(readBytesMax, sizeBytes - position), position)).bytesRead;
  const read = async (): Promise<IteratorResult<Uint8Array>> => {
    if (signal?.aborted) throw abortedCall(file);
    if (isClosed()) throw closedClient(file);
    if (position >= sizeBytes) return done;
    const bytesRead = await (ahead ?? fill());
    if (bytesRead === 0) {
      throw new StorageError('Corrupt', `${file} ended after ${position} of ${sizeBytes} bytes: it was cut meanwhile`);
    }
    position += bytesRead;
    const value = buffer.subarray(0, bytesRead);
    [buffer, other] = [other, buffer];
    ahead = position < sizeBytes ? fill() : undefined;
    // It is awaited by the next call, if there is one.
    ahead?.catch(() => {});
    return { done: false, value };
  };
  return {
    async next() {
      try {
        const result = await read();
        if (result.done) await close();
        return result;
      } catch (error) {
        await close();
        throw fileFailure(error, file);
      }
    },
    async return() {
      await close();
      return done;
    },
  };
}
