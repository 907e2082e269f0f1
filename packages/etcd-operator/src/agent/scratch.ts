/** Snapshots in files: written from a stream, with the space that they need. */
import { open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FileWriter } from '../client/storage/volume/file-writer.ts';
import type { LeafSums } from '../snapshot/bolt/leaf-sums.ts';
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

interface CopyOptions {
  readonly step: string;
  readonly totalBytes: number;
  readonly maxBytes?: number;
  readonly flush?: boolean;
  /** They get the bytes, too. */
  readonly sums?: LeafSums;
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

/** Computes the checksums of a stream only. */
export async function readSnapshot(
  source: AsyncIterable<Uint8Array>,
  context: AgentContext,
  options: CopyOptions,
): Promise<ChecksumReader> {
  const reader = new ChecksumReader();
  for await (const _ of reading(source, reader, context, options));
  return reader;
}

/** Writes a stream into a file while it passes. */
export async function* copying(
  source: AsyncIterable<Uint8Array>,
  path: string,
  reader: ChecksumReader,
  context: AgentContext,
  options: CopyOptions,
): AsyncGenerator<Uint8Array> {
  const handle = await open(path, 'w', 0o600);
  const writer = new FileWriter(handle);
  try {
    for await (const chunk of reading(source, reader, context, options)) {
      await writer.write(chunk);
      yield chunk;
    }
    await writer.end();
    if (options.flush) await handle.sync();
  } finally {
    await writer.settle();
    await handle.close();
  }
}

/**
 * Computes the checksums of a stream while it passes. A stream of more than `maxBytes` fails: it is not what was announced,
 * and would fill the volume.
 */
export async function* reading(
  source: AsyncIterable<Uint8Array>,
  reader: ChecksumReader,
  context: AgentContext,
  { step, totalBytes, sums, maxBytes = Number.POSITIVE_INFINITY }: CopyOptions,
): AsyncGenerator<Uint8Array> {
  startStep(context, step, totalBytes);
  for await (const chunk of source) {
    context.signal.throwIfAborted();
    if (reader.sizeBytes + chunk.byteLength > maxBytes) {
      throw new AgentError('SnapshotMismatch', `the snapshot has more than the expected ${maxBytes} bytes`);
    }
    reader.update(chunk);
    sums?.push(chunk);
    context.progress.bytes = reader.sizeBytes;
    yield chunk;
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
