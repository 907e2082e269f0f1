/** Backups in a store: their manifests, and the snapshot in them. */
import { createHash } from 'node:crypto';
import type { BackupStorageClient } from '../client/storage/contract.ts';
import { isStorageError } from '../client/storage/error.ts';
import { decrypt, type EncryptionKey, isEncrypted } from '../snapshot/encryption.ts';
import { isSnapshotError, SnapshotError } from '../snapshot/error.ts';
import { decompress } from '../snapshot/gzip.ts';
import { type BackupManifest, type Compression, manifestBytesMax, parseManifest } from '../snapshot/manifest.ts';
import { baseKeyIn, dataKeyOf, isManifestKey, manifestKeyOf } from '../snapshot/names.ts';

export interface StoredBackup {
  readonly baseKey: string;
  readonly manifest: BackupManifest;
}

/** How many backups one listing reads. */
const manifestsMax = 10_000;
const gzipMagic = [0x1f, 0x8b];
/** Enough to recognize a format. */
const startBytes = 32;

/** Undefined if there is none. Throws `SnapshotError` if it is not one of ours. */
export async function readManifest(
  storage: BackupStorageClient,
  manifestKey: string,
  signal?: AbortSignal,
): Promise<BackupManifest | undefined> {
  const options = signal ? { signal } : {};
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    const { body } = await storage.get(manifestKey, options);
    for await (const chunk of body) {
      sizeBytes += chunk.byteLength;
      parts.push(Buffer.from(chunk));
      if (sizeBytes > manifestBytesMax) break;
    }
  } catch (error) {
    if (isStorageError(error, 'NotFound')) return undefined;
    throw error;
  }
  const manifest = parseManifest(Buffer.concat(parts), manifestKey);
  const key = dataKeyOf(baseKeyIn(manifestKey) ?? '', manifest.compression, manifest.encryption !== 'none');
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  // The data is beside it, also if both were moved, or are read from another directory than they were written to.
  if (nameOf(manifest.key) === nameOf(key)) return { ...manifest, key };
  throw new SnapshotError('InvalidManifest', `${manifestKey} describes another object, ${manifest.key}`);
}

/** All complete backups below a prefix. What is not ours is skipped. */
export async function* listBackups(
  storage: BackupStorageClient,
  prefix: string,
  signal?: AbortSignal,
): AsyncGenerator<StoredBackup> {
  const keys: string[] = [];
  for await (const { key } of storage.list(prefix, signal ? { signal } : {})) {
    if (isManifestKey(key) && keys.length < manifestsMax) keys.push(key);
  }
  for (const key of keys.sort()) {
    const manifest = await readManifest(storage, key, signal).catch((error: unknown) => {
      if (isSnapshotError(error)) return undefined;
      throw error;
    });
    const baseKey = baseKeyIn(key);
    if (manifest && baseKey !== undefined) yield { baseKey, manifest };
  }
}

/** Whether the object of a manifest is there, with its bytes. */
export async function isIntact(
  storage: BackupStorageClient,
  manifest: BackupManifest,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    const { body } = await storage.get(manifest.key, signal ? { signal } : {});
    const hash = createHash('sha256');
    for await (const chunk of body) hash.update(chunk);
    return hash.digest('hex') === manifest.stored.sha256;
  } catch (error) {
    if (isStorageError(error, 'NotFound')) return false;
    throw error;
  }
}

/** Deletes the manifest first: what is left then looks like nothing. */
export async function deleteBackup(storage: BackupStorageClient, baseKey: string, signal?: AbortSignal): Promise<void> {
  const options = signal ? { signal } : {};
  await storage.delete(manifestKeyOf(baseKey), options);
  await deleteData(storage, baseKey, signal);
}

/** Without a manifest. */
export async function deleteData(storage: BackupStorageClient, baseKey: string, signal?: AbortSignal): Promise<void> {
  const options = signal ? { signal } : {};
  const forms: readonly (readonly [Compression, boolean])[] = [
    ['none', false],
    ['none', true],
    ['gzip', false],
    ['gzip', true],
  ];
  const keys = forms.map(([compression, encrypted]) => dataKeyOf(baseKey, compression, encrypted));
  await Promise.all(keys.map((key) => storage.delete(key, options)));
}

interface OpenedSnapshot {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Of the bytes as stored, known at their end; undefined if they are the snapshot itself. */
  storedSha256(): string | undefined;
}

/** By the content: an object that is encrypted or compressed says so at its start. */
export function openStored(
  body: AsyncIterable<Uint8Array>,
  key: EncryptionKey | undefined,
  name: string,
): OpenedSnapshot {
  const hash = createHash('sha256');
  let isEncoded = false;
  async function* hashed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      hash.update(chunk);
      yield chunk;
    }
  }
  async function* plain(): AsyncGenerator<Uint8Array> {
    const { start, all } = await peek(body);
    isEncoded = isEncrypted(start) || isCompressed(start);
    if (!isEncoded) return yield* all;
    if (isEncrypted(start) && !key) {
      throw new SnapshotError('WrongKey', `${name} is encrypted; give the key with which it was made`);
    }
    const stored = hashed(all);
    const opened = await peek(isEncrypted(start) && key ? decrypt(stored, key) : stored);
    yield* isCompressed(opened.start) ? decompress(opened.all) : opened.all;
  }
  return { chunks: plain(), storedSha256: () => (isEncoded ? hash.digest('hex') : undefined) };
}

function isCompressed(start: Uint8Array): boolean {
  return gzipMagic.every((byte, index) => start[index] === byte);
}

/** The first chunk, and everything with it. */
async function peek(
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly start: Uint8Array; readonly all: AsyncGenerator<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  let start: Uint8Array = Buffer.alloc(0);
  while (start.byteLength < startBytes) {
    const { done, value } = await iterator.next();
    if (done) break;
    const isWhole = start.byteLength === 0 && value.byteLength >= startBytes;
    start = isWhole ? value : Buffer.concat([start, value]);
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (start.byteLength > 0) yield start;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  }
  return { start, all: all() };
}
