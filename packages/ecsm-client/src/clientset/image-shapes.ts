/** Shapes of images and registries in responses. */
import { type Shaped, shape } from '@ecsm/runtime';
import { flag, maybe, maybeFlag, maybeNumber, maybeText, numeric } from './tolerant.ts';

export const imageRow = shape.object({
  id: shape.string(),
  name: shape.string(),
  tag: maybeText,
  os: maybeText,
  arch: maybeText,
  /** MB. */
  size: maybeNumber,
  author: maybeText,
  createdTime: maybeText,
  pulled: maybe(shape.either(flag, shape.string())),
  description: maybeText,
  ociVersion: maybeText,
});
export type ImageRow = Shaped<typeof imageRow>;

export const imageDetail = shape.object({
  id: shape.string(),
  name: shape.string(),
  path: maybeText,
  tag: maybeText,
  os: maybeText,
  arch: maybeText,
  createdTime: maybeText,
  /** MB, at least 0.01. */
  size: maybeNumber,
  author: maybeText,
  /** JSON text. */
  rawConfig: maybeText,
  config: maybe(shape.record(shape.anything())),
  /** `v1` for Docker, `1.0.0` for SylixOS. */
  ociVersion: maybeText,
  hostname: maybeText,
  pulled: maybe(shape.either(flag, shape.string())),
  delete: maybeFlag,
});
export type ImageDetail = Shaped<typeof imageDetail>;

export const imageSummary = shape.object({ local: shape.number(), remote: shape.number() });
export type ImageSummary = Shaped<typeof imageSummary>;

export const imageCounts = shape.nullable(
  shape.list(
    shape.object({
      registryId: shape.string(),
      registryName: maybeText,
      /** One of these two: the vendor's table and example differ. */
      imageCount: maybeNumber,
      count: maybeNumber,
      status: maybe(shape.either(shape.string(), flag)),
      standard: maybe(shape.either(shape.string(), flag)),
    }),
  ),
);

export const imageConfig = shape.object({ config: shape.record(shape.anything()) });

export const hashCheck = shape.object({
  imageId: maybeText,
  uploadId: maybeText,
  imageHashExist: maybeFlag,
  isImage: maybe(shape.object({ result: maybeFlag, detail: shape.optional(shape.anything()) })),
  chunkIndexArray: maybe(shape.list(shape.object({ index: numeric, isExist: flag }))),
});
export type HashCheck = Shaped<typeof hashCheck>;

export const uploadedChunk = shape.object({ uploadId: shape.string() });

/** The progress of an upload or a synchronisation. */
export const progress = shape.object({
  progress: maybeNumber,
  status: maybe(shape.word('starting', 'running', 'success', 'fail')),
});

export const startedSync = shape.object({ syncId: shape.string() });

export const imageTags = shape.nullable(shape.list(shape.object({ name: maybeText, tag: shape.string() })));

export const tagDetail = shape.object({
  size: maybeNumber,
  os: maybeText,
  arch: maybeText,
  createdTime: maybeText,
  path: maybeText,
  hostname: maybeText,
  pulled: maybe(shape.either(flag, shape.string())),
});
export type TagDetail = Shaped<typeof tagDetail>;
