/**
 * Uploads an image to the platform's registry, in chunks. The platform keeps chunks by the hash of the whole image, so
 * an interrupted upload can be resumed, and chunks can be repeated.
 */
import { Buffer } from 'node:buffer';
import type { RestClient } from '../rest/client.ts';
import { badRequest, checkCount } from '../rest/options.ts';
import { type CallOptions, withOptions } from './call.ts';
import { type HashCheck, hashCheck, uploadedChunk } from './image-shapes.ts';
import { isOn, numberOf } from './tolerant.ts';

export interface UploadSource {
  /** Total size in bytes. */
  readonly size: number;
  /** Hash of the whole image, in hex. The algorithm is not documented: SHA-1 and MD5 have been used. */
  readonly hash: string;
  read(offset: number, length: number): Promise<Uint8Array> | Uint8Array;
}

export interface UploadProgress {
  /** Including chunks that the platform already had. */
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface UploadOptions {
  /** Default 5 MiB, as in the vendor's example. Each chunk is held in memory. */
  readonly chunkBytes?: number;
  readonly description?: string;
  readonly onProgress?: (progress: UploadProgress) => void;
  readonly signal?: AbortSignal;
  /** Timeout of one attempt for one chunk. Default 120 s, because of slow links. */
  readonly chunkTimeoutMs?: number;
}

export interface Uploaded {
  /** The id for `uploadProgress`. Absent if the platform already had the image. */
  readonly uploadId?: string;
  /** Only present if the platform already had the image. */
  readonly imageId?: string;
}

const uploadLimits = { chunkBytes: 5 * 1024 * 1024, chunksMax: 100_000, chunkTimeoutMs: 120_000 } as const;

/** Deadline of one chunk, as a multiple of its timeout. */
const deadlinePerTimeout = 3;

export async function checkHash(
  rest: RestClient,
  imageHash: string,
  chunkIndexes: readonly number[],
  imageSize: number,
  options: CallOptions,
): Promise<HashCheck> {
  const body = { imageHash, chunkIndexArray: chunkIndexes, imageSize };
  // A read, although its method is POST.
  return withOptions(rest.post().resource('image', 'hash', 'check').body(body).safe(), options).do(hashCheck);
}

/** Sends the chunks that the platform does not have. */
export async function upload(rest: RestClient, source: UploadSource, options: UploadOptions): Promise<Uploaded> {
  const { onProgress } = options;
  const plan = planUpload(source, options);
  const call = options.signal === undefined ? {} : { signal: options.signal };
  const known = await checkHash(rest, source.hash, plan.indexes, source.size, call);
  if (known.imageId != null) {
    onProgress?.({ bytesDone: source.size, bytesTotal: source.size });
    return { imageId: known.imageId, ...(known.uploadId != null && { uploadId: known.uploadId }) };
  }
  const missing = missingOf(known, plan.indexes);
  let bytesDone = source.size - missing.reduce((sum, index) => sum + plan.bytesOf(index), 0);
  let uploadId = known.uploadId ?? undefined;
  for (const index of missing) {
    options.signal?.throwIfAborted();
    uploadId = await sendChunk(rest, source, options, plan, index);
    bytesDone += plan.bytesOf(index);
    onProgress?.({ bytesDone, bytesTotal: source.size });
  }
  return uploadId === undefined ? {} : { uploadId };
}

interface Plan {
  readonly chunkBytes: number;
  /** Starting at 1. */
  readonly indexes: readonly number[];
  readonly bytesOf: (index: number) => number;
}

function planUpload({ size, hash }: UploadSource, options: UploadOptions): Plan {
  const chunkBytes = checkCount('chunkBytes', options.chunkBytes ?? uploadLimits.chunkBytes);
  const chunks = Math.ceil(checkCount('size', size) / chunkBytes);
  if (chunks > uploadLimits.chunksMax)
    throw badRequest(`${chunks} chunks are over the limit of ${uploadLimits.chunksMax}`);
  // The hash is sent in a header: other characters could inject another header.
  if (!/^[\w+/=:-]+$/.test(hash)) throw badRequest('the hash of an image has to be hex or base64 text');
  return {
    chunkBytes,
    indexes: Array.from({ length: chunks }, (_, at) => at + 1),
    bytesOf: (index) => Math.min(chunkBytes, size - (index - 1) * chunkBytes),
  };
}

function missingOf(known: HashCheck, indexes: readonly number[]): readonly number[] {
  const present = new Set((known.chunkIndexArray ?? []).filter(({ isExist }) => isOn(isExist)).map(indexOf));
  const missing = indexes.filter((index) => !present.has(index));
  // If the platform has all chunks but returns no upload id, sending one chunk again returns it.
  return missing.length === 0 && known.uploadId == null ? indexes.slice(-1) : missing;
}

function indexOf({ index }: { readonly index: number | string }): number | undefined {
  return numberOf(index);
}

async function sendChunk(
  rest: RestClient,
  source: UploadSource,
  options: UploadOptions,
  plan: Plan,
  index: number,
): Promise<string> {
  const { signal, description, chunkTimeoutMs = uploadLimits.chunkTimeoutMs } = options;
  const length = plan.bytesOf(index);
  const bytes = await source.read((index - 1) * plan.chunkBytes, length);
  if (bytes.byteLength !== length) {
    throw badRequest(`the source returned ${bytes.byteLength} bytes for chunk ${index} instead of ${length}`);
  }
  let request = rest
    .post()
    .resource('image')
    .header('total', String(plan.indexes.length))
    .header('index', String(index))
    .header('imageHash', source.hash)
    .header('totalSize', String(source.size))
    .header('bufferSize', String(length))
    // Despite its name, the size of a chunk and not a position.
    .header('offset', String(plan.chunkBytes))
    .bytes(bytes)
    .timeout(chunkTimeoutMs)
    .deadline(chunkTimeoutMs * deadlinePerTimeout)
    .safe();
  if (description !== undefined) request = request.header('description', headerText(description));
  if (signal !== undefined) request = request.signal(signal);
  return (await request.do(uploadedChunk)).uploadId;
}

/** Percent-encodes non-ASCII bytes. `encodeURIComponent` would throw for half a surrogate pair. */
function headerText(text: string): string {
  return Array.from(Buffer.from(text), (byte) =>
    byte > 0x20 && byte < 0x7f && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}
