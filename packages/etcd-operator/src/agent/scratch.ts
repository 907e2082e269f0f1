/** Snapshots in files: written from a stream, with the space that they need. */
import { open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ChecksumReader } from '../snapshot/checksum.ts';
import { type AgentContext, startStep } from './context.ts';
import { AgentError, systemCode } from './failure.ts';

/** Throws if the directory does not exist, or less than that is free. */
export async function requireSpace(directory: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw new AgentError('NoScratch', `there is no directory ${directory}; mount a volume there`);
  });
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return;
  const problem = `${directory} has ${megabytes(freeBytes)} MB free, and ${megabytes(neededBytes)} MB are needed`;
  throw new AgentError('ScratchFull', `${problem}; use a larger volume`);
}

export interface CopyOptions {
  readonly step: string;
  readonly totalBytes: number;
  readonly maxBytes?: number;
  readonly flush?: boolean;
}

/** Writes a stream into a file, and computes its checksums. */
export async function writeSnapshot(
  source: AsyncIterable<Uint8Array>,
  path: string,
  context: AgentContext,
  options: CopyOptions,
): Promise<ChecksumReader> {
  const reader = new ChecksumReader();
  for await (const _ of copying(source, path, reader, context, options));
  return reader;
}

/**
 * Writes a stream into a file while it passes. A stream of more than `maxBytes` fails: it is not what was announced, and
 * would fill the volume.
 */
export async function* copying(
  source: AsyncIterable<Uint8Array>,
  path: string,
  reader: ChecksumReader,
  context: AgentContext,
  { step, totalBytes, maxBytes = Number.POSITIVE_INFINITY, flush = false }: CopyOptions,
): AsyncGenerator<Uint8Array> {
  startStep(context, step, totalBytes);
  const handle = await open(path, 'w', 0o600);
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const chunk of source) {
      context.signal.throwIfAborted();
      if (reader.sizeBytes + chunk.byteLength > maxBytes) {
        throw new AgentError('SnapshotMismatch', `the snapshot has more than the expected ${maxBytes} bytes`);
      }
      // The next chunk arrives and is hashed while this one is written.
      await writing;
      writing = write(handle, chunk, reader.sizeBytes);
      writing.catch(() => {});
      reader.update(chunk);
      context.progress.bytes = reader.sizeBytes;
      yield chunk;
    }
    await writing;
    if (flush) await handle.sync();
  } finally {
    await writing.catch(() => {});
    await handle.close();
  }
}

async function write(handle: Awaited<ReturnType<typeof open>>, chunk: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < chunk.byteLength; ) {
    done += (await handle.write(chunk, done, chunk.byteLength - done, position + done)).bytesWritten;
  }
}

/** After a rename: the new name survives a crash of the machine. */
export async function flushDirectoryOf(path: string): Promise<void> {
  const handle = await open(dirname(path), 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}
