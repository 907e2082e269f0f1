/**
 * An image on its way into the platform's own registry, in chunks. The platform remembers chunks by the hash of the
 * whole image, so an upload that broke off goes on where it stopped, and a chunk that is sent twice does no harm.
 */
import { Buffer } from 'node:buffer';
import { ApiError } from '@ecsm/runtime';
import type { RestClient } from '../rest/client.ts';
import { type CallOptions, within } from './call.ts';
import { type HashCheck, hashCheck, uploadedChunk } from './image-shapes.ts';
import { checkCount } from './limits.ts';
import { isOn, numberOf } from './tolerant.ts';

export interface UploadSource {
  /** Bytes in all. */
  readonly size: number;
  /** Of the whole image, in hex. Which algorithm the platform expects is not documented: SHA-1 and MD5 have been used. */
  readonly hash: string;
  read(offset: number, length: number): Promise<Uint8Array> | Uint8Array;
}

export interface UploadProgress {
  /** With what the platform had before. */
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface UploadOptions {
  /** Default 5 MiB, as in the vendor's example. Each chunk is held in memory. */
  readonly chunkBytes?: number;
  readonly description?: string;
  readonly onProgress?: (progress: UploadProgress) => void;
  readonly signal?: AbortSignal;
  /** For one attempt at one chunk. Default 120 s: on a thin link, 5 MiB take longer than any other request. */
  readonly chunkTimeoutMs?: number;
}

export interface Uploaded {
  /** Follow the processing of the image by it. Absent if the platform had the image already. */
  readonly uploadId?: string;
  /** Known only if the platform had the image already. */
  readonly imageId?: string;
}

export const uploadLimits = { chunkBytes: 5 * 1024 * 1024, chunksMax: 100_000, chunkTimeoutMs: 120_000 } as const;

/** Attempts at one chunk fit into this many time-outs. */
const deadlinePerTimeout = 3;

export async function checkHash(
  rest: RestClient,
  imageHash: string,
  chunkIndexes: readonly number[],
  imageSize: number,
  options: CallOptions,
): Promise<HashCheck> {
  const body = { imageHash, chunkIndexArray: chunkIndexes, imageSize };
  // It only asks, whatever its method.
  return within(rest.post().resource('image', 'hash', 'check').body(body).safe(), options).do(hashCheck);
}

/** Sends what the platform does not have yet. */
export async function upload(rest: RestClient, source: UploadSource, options: UploadOptions): Promise<Uploaded> {
  const { onProgress } = options;
  const plan = planned(source, options);
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
  /** From 1. */
  readonly indexes: readonly number[];
  readonly bytesOf: (index: number) => number;
}

function planned({ size, hash }: UploadSource, options: UploadOptions): Plan {
  const chunkBytes = checkCount('chunkBytes', options.chunkBytes ?? uploadLimits.chunkBytes);
  const chunks = Math.ceil(checkCount('size', size) / chunkBytes);
  if (chunks > uploadLimits.chunksMax)
    throw refused(`${chunks} chunks are over the limit of ${uploadLimits.chunksMax}`);
  // It travels in a header, where anything else than plain letters could end the header and begin another.
  if (!/^[\w+/=:-]+$/.test(hash)) throw refused('the hash of an image has to be hex or base64 text');
  return {
    chunkBytes,
    indexes: Array.from({ length: chunks }, (_, at) => at + 1),
    bytesOf: (index) => Math.min(chunkBytes, size - (index - 1) * chunkBytes),
  };
}

function missingOf(known: HashCheck, indexes: readonly number[]): readonly number[] {
  const there = new Set((known.chunkIndexArray ?? []).filter(({ isExist }) => isOn(isExist)).map(indexOf));
  const missing = indexes.filter((index) => !there.has(index));
  // All chunks and no name for what they became: only sending one again gets an upload to follow.
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
    throw refused(`the source gave ${bytes.byteLength} bytes for chunk ${index} instead of ${length}`);
  }
  let request = rest
    .post()
    .resource('image')
    .header('total', String(plan.indexes.length))
    .header('index', String(index))
    .header('imageHash', source.hash)
    .header('totalSize', String(source.size))
    .header('bufferSize', String(length))
    // The size of a slice, not a position, whatever its name.
    .header('offset', String(plan.chunkBytes))
    .bytes(bytes)
    .timeout(chunkTimeoutMs)
    .deadline(chunkTimeoutMs * deadlinePerTimeout)
    .safe();
  if (description !== undefined) request = request.header('description', headerText(description));
  if (signal !== undefined) request = request.signal(signal);
  return (await request.do(uploadedChunk)).uploadId;
}

/** Headers carry ASCII alone. Bytes, not `encodeURIComponent`, which throws at half a surrogate pair. */
function headerText(text: string): string {
  return Array.from(Buffer.from(text), (byte) =>
    byte > 0x20 && byte < 0x7f && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}

function refused(reason: string): ApiError {
  return new ApiError('BadRequest', { reason });
}
