/** Verifies a snapshot in a file: its length, its checksum, and every page of its database. */
import { open } from 'node:fs/promises';
import { ChecksumReader, type SnapshotChecksum } from './checksum.ts';
import { readFacts, type SnapshotFacts } from './facts.ts';
import { readFile } from './file.ts';

interface VerifyOptions {
  readonly signal?: AbortSignal;
  /** Called with the number of bytes whose checksum is computed. */
  readonly onProgress?: (bytes: number) => void;
}

interface VerifiedSnapshot extends SnapshotChecksum {
  readonly facts: SnapshotFacts;
}

/** Throws `SnapshotError`. */
export async function verifySnapshot(path: string, options: VerifyOptions = {}): Promise<VerifiedSnapshot> {
  const handle = await open(path, 'r');
  const reader = new ChecksumReader();
  try {
    for await (const chunk of readFile(handle)) {
      options.signal?.throwIfAborted();
      reader.update(chunk);
      options.onProgress?.(reader.sizeBytes);
    }
  } finally {
    await handle.close();
  }
  return { ...reader.finish(), facts: await readFacts(path, options.signal ? { signal: options.signal } : {}) };
}
