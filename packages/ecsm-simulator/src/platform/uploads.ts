/**
 * Uploads of images in chunks. A file is not parsed as an OCI archive. If it is JSON such as
 * `{"name":"camera","tag":"1.0.0","os":"sylixos"}`, that is its reference; else its description is used, if it is a
 * reference (`camera@1.0.0#sylixos`); else the name is `upload-1`, `upload-2` and so on, with the tag `latest`, for
 * SylixOS. The API validates the hash.
 */
import { Buffer } from 'node:buffer';
import { type JsonObject, shape } from '@ecsm/runtime';
import type { NewImage } from './contract.ts';
import { parseImageRef } from './image-ref.ts';
import { pushImage } from './images.ts';
import type { Upload } from './model.ts';
import { Refusal } from './refusal.ts';
import type { World } from './world.ts';

/** The oldest uploads are dropped, even if they are not complete. */
export const uploadsMax = 100;
export const chunksMax = 10_000;
/** A larger file is not parsed as a description of an image. */
export const describedBytesMax = 1024 * 1024;

interface Chunk {
  readonly imageHash: string;
  readonly totalSizeBytes: number;
  readonly chunkCount: number;
  readonly index: number;
  /** Base64. */
  readonly bytes: string;
  readonly description: string;
}

export function uploadOfHash(world: World, imageHash: string): Upload | undefined {
  for (const upload of world.uploads.values()) if (upload.imageHash === imageHash) return upload;
  return undefined;
}

/** Chunks may be sent in any order and repeated; the last one creates the image. */
export function uploadChunk(world: World, chunk: Chunk): Upload {
  const { chunkCount, index } = chunk;
  if (!(Number.isInteger(chunkCount) && chunkCount >= 1 && chunkCount <= chunksMax)) {
    throw new Refusal('badRequest', 'total', { total: `has to be 1 to ${chunksMax}` });
  }
  if (!(Number.isInteger(index) && index >= 1 && index <= chunkCount)) {
    throw new Refusal('badRequest', 'index', { index: `has to be 1 to ${chunkCount}` });
  }
  const upload = uploadOfHash(world, chunk.imageHash) ?? startUpload(world, chunk);
  if (upload.chunkCount !== chunkCount) {
    throw new Refusal('badRequest', 'total', { total: `was ${upload.chunkCount} with the first chunk` });
  }
  if (upload.imageId !== null) return upload;
  upload.chunks[index] = chunk.bytes;
  if (Object.keys(upload.chunks).length === chunkCount) finish(world, upload, chunk.description);
  return upload;
}

function startUpload(world: World, { imageHash, totalSizeBytes, chunkCount }: Chunk): Upload {
  const upload: Upload = { id: world.uuid(), imageHash, totalSizeBytes, chunkCount, chunks: {}, imageId: null };
  world.uploads.set(upload.id, upload);
  return upload;
}

function finish(world: World, upload: Upload, description: string): void {
  const file = contentOf(upload);
  const described = describedBy(file);
  const ref = parseImageRef(description);
  const image: NewImage = {
    name: described?.name ?? ref?.name ?? `upload-${world.images.size + 1}`,
    tag: described?.tag ?? ref?.tag ?? 'latest',
    os: (described?.os ?? ref?.os) === 'linux' ? 'linux' : 'sylixos',
    sizeBytes: described?.sizeBytes ?? file.byteLength,
    description,
    ...(described?.arch === undefined ? {} : { arch: described.arch }),
    ...(described?.config === undefined ? {} : { config: described.config }),
  };
  upload.imageId = pushImage(world, image).id;
  // The content is no longer needed, and would make every snapshot large.
  for (const index of Object.keys(upload.chunks)) upload.chunks[index] = '';
}

/** The received chunks, in order. */
function contentOf(upload: Upload): Uint8Array {
  const indexes = Object.keys(upload.chunks).sort((a, b) => Number(a) - Number(b));
  return Buffer.concat(indexes.map((index) => Buffer.from(upload.chunks[index] ?? '', 'base64')));
}

const description = shape.object({
  name: shape.string(),
  tag: shape.string(),
  os: shape.exactly('linux', 'sylixos'),
  arch: shape.optional(shape.string()),
  sizeBytes: shape.optional(shape.integer()),
  config: shape.optional(shape.record(shape.anything())),
});

interface Description {
  readonly name: string;
  readonly tag: string;
  readonly os: 'linux' | 'sylixos';
  readonly arch?: string;
  readonly sizeBytes?: number;
  readonly config?: JsonObject;
}

function describedBy(file: Uint8Array): Description | undefined {
  if (file.byteLength > describedBytesMax) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(file).toString('utf8'));
    if (!isDescription(value) || parseImageRef(`${value.name}@${value.tag}`) === undefined) return undefined;
    return (value.sizeBytes ?? 0) >= 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The value comes from `JSON.parse`, so an object is a `JsonObject`. */
function isDescription(value: unknown): value is Description {
  return description.check(value) === undefined;
}
