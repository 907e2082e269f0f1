/**
 * Routes to upload an image in chunks: the bytes are in the body, the metadata in headers. An upload is identified by
 * the hash of the whole file, so that an interrupted upload can be resumed.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type JsonObject, shape } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import { Refusal } from '../platform/refusal.ts';
import { chunksMax, describedBytesMax } from '../platform/uploads.ts';
import type { Call } from './call.ts';
import { badRequest, checkStorable } from './input.ts';
import { known } from './known.ts';
import type { Route } from './route.ts';
import { bytes, listLengthMax, text, whole } from './shapes.ts';

export const uploadRoutes: readonly Route[] = [
  { method: 'POST', path: '/image', section: '8', mark: 'DOC', handle: receive },
  { method: 'POST', path: '/image/hash/check', section: '8', mark: 'DOC', handle: check },
  { method: 'GET', path: '/image/upload/:uploadId', section: '8', mark: 'TOOL', handle: follow },
];

/** An upload is held in memory until it is complete. */
const uploadBytesMax = 2 ** 30;

function receive(call: Call): JsonObject {
  const { platform } = call;
  const imageHash = required(call, 'imageHash');
  if (!/^[0-9a-z+/=:_-]{1,256}$/i.test(imageHash)) throw badRequest('imageHash', 'should be a hash');
  const chunkCount = number(call, 'total', chunksMax);
  const index = number(call, 'index', chunkCount);
  const totalSizeBytes = number(call, 'totalSize', uploadBytesMax);
  const bufferSize = number(call, 'bufferSize', uploadBytesMax);
  // Despite its name, the size of a chunk; the last one may be shorter.
  number(call, 'offset', uploadBytesMax);
  const chunk = call.bytes();
  if (chunk.length !== bufferSize) throw badRequest('bufferSize', `should be ${chunk.length}, the size of the body`);

  const before = platform.uploadOfHash(imageHash);
  if (before && (before.chunkCount !== chunkCount || before.totalSizeBytes !== totalSizeBytes)) {
    throw badRequest('total', 'differs from that of earlier chunks');
  }
  if (before?.imageId) return { uploadId: before.id };
  const encoded = Buffer.from(chunk).toString('base64');
  checkComplete(platform, imageHash, totalSizeBytes, chunkCount, { ...before?.chunks, [index]: encoded });
  const description = decoded(call.header('description') ?? '');
  const upload = platform.uploadChunk({ imageHash, totalSizeBytes, chunkCount, index, bytes: encoded, description });
  return { uploadId: upload.id };
}

/** Validates size and hash with the last chunk, before the image is created. */
function checkComplete(
  { behaviour }: Platform,
  imageHash: string,
  totalSizeBytes: number,
  chunkCount: number,
  chunks: Readonly<Record<string, string>>,
): void {
  if (Object.keys(chunks).length < chunkCount) return;
  const parts = Array.from({ length: chunkCount }, (_, index) => Buffer.from(chunks[index + 1] ?? '', 'base64'));
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  if (size !== totalSizeBytes) {
    throw new Refusal('imageDamaged', `received ${size} bytes, expected ${totalSizeBytes}`);
  }
  if (size <= describedBytesMax) checkDescription(Buffer.concat(parts));
  if (behaviour.imageHash === 'any') return;
  const hash = createHash(behaviour.imageHash);
  for (const part of parts) hash.update(part);
  const digest = hash.digest('hex');
  if (digest !== imageHash.toLowerCase()) throw new Refusal('imageDamaged', `its ${behaviour.imageHash} is ${digest}`);
}

/** A short JSON file describes its image and becomes part of the state. */
function checkDescription(file: Buffer): void {
  let value: unknown;
  try {
    value = JSON.parse(file.toString('utf8'));
  } catch {
    return;
  }
  checkStorable(value);
}

function check(call: Call): JsonObject {
  const body = call.body(
    shape.object({ imageHash: text, chunkIndexArray: shape.list(whole(0, chunksMax)), imageSize: bytes }),
  );
  if (body.chunkIndexArray.length > listLengthMax) throw badRequest('chunkIndexArray', 'is too long');
  const upload = call.platform.uploadOfHash(body.imageHash);
  const imageId = upload?.imageId && call.platform.image('local', upload.imageId) ? upload.imageId : null;
  // The chunks are removed when the image is created, and the image may have been deleted since.
  const chunks = upload?.imageId === null ? upload.chunks : {};
  return {
    imageId,
    uploadId: upload?.id ?? null,
    imageHashExist: imageId !== null,
    isImage: { result: imageId !== null, detail: null },
    chunkIndexArray: body.chunkIndexArray.map((index) => ({
      index,
      isExist: imageId !== null || Object.hasOwn(chunks, String(index)),
    })),
  };
}

function follow(call: Call): JsonObject {
  const id = call.parameter('uploadId');
  const { imageId, chunks, chunkCount } = known(call.platform.upload(id), 'imageNotFound', id);
  if (imageId !== null) return { progress: 100, status: 'success' };
  const there = Object.keys(chunks).length;
  return { progress: Math.floor((100 * there) / chunkCount), status: there === 0 ? 'starting' : 'running' };
}

function required(call: Call, name: string): string {
  const value = call.header(name);
  if (value === undefined) throw badRequest(name, 'is missing in the headers');
  return value;
}

function number(call: Call, name: string, max: number): number {
  const value = required(call, name);
  const number = /^\d{1,15}$/.test(value) ? Number(value) : 0;
  if (number < 1 || number > max) throw badRequest(name, `should be a whole number from 1 to ${max}`);
  return number;
}

/** Headers are ASCII; other characters are percent-encoded. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
