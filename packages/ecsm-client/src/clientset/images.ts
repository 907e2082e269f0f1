/** `/image` and `/registry`: the images of services. */
import type { RestClient } from '../rest/client.ts';
import { type CallOptions, fetchOne, withOptions } from './call.ts';
import { formatImageRef, type ImageRef } from './image-ref.ts';
import {
  type HashCheck,
  type ImageDetail,
  type ImageRow,
  type ImageSummary,
  imageConfig,
  imageCounts,
  imageDetail,
  imageRow,
  imageSummary,
  imageTags,
  progress,
  startedSync,
  type TagDetail,
  tagDetail,
} from './image-shapes.ts';
import type { ClientLimits } from './limits.ts';
import { fetchPage, type ListOptions, type Page, type PageSource, pageOf, rowsOf } from './pages.ts';
import { flag, isOn, numberOf } from './tolerant.ts';
import { checkHash, type Uploaded, type UploadOptions, type UploadSource, upload } from './upload.ts';

/** The id of the platform's own registry. */
export const localRegistry = 'local';

export interface ImageFilter {
  /** Default `local`. */
  readonly registryId?: string;
  readonly name?: string;
  readonly os?: string;
  readonly author?: string;
}

export interface ImageCount {
  readonly registryId: string;
  readonly registryName?: string;
  readonly count: number;
}

export interface ImageSync {
  readonly registryId: string;
  readonly imageName: string;
  /** MB. */
  readonly imageSize: number;
  readonly tag: string;
  readonly id?: string;
  readonly os: string;
  readonly arch: string;
}

export interface Progress {
  readonly percent?: number;
  readonly status?: 'starting' | 'running' | 'success' | 'fail' | (string & {});
}

export class Images {
  readonly #rest: RestClient;
  readonly #limits: ClientLimits;

  constructor(rest: RestClient, limits: ClientLimits) {
    this.#rest = rest;
    this.#limits = limits;
  }

  list(filter: ImageFilter = {}, options: ListOptions = {}): AsyncIterable<ImageRow> {
    return rowsOf(this.#source(filter), this.#limits, options);
  }

  page(
    pageNum: number,
    pageSize: number,
    filter: ImageFilter = {},
    options: CallOptions = {},
  ): Promise<Page<ImageRow>> {
    return pageOf(this.#source(filter), this.#limits, pageNum, pageSize, options);
  }

  /** Throws `NotFound`, or `Rejected` with a platform-specific code, if there is none. */
  get(imageId: string, options: CallOptions & { readonly registryId?: string } = {}): Promise<ImageDetail> {
    const { registryId = localRegistry } = options;
    const request = this.#rest.get().resource('registry').name(registryId, 'registryId').resource('image');
    return fetchOne(withOptions(request.name(imageId, 'imageId'), options), imageDetail, 'image', imageId);
  }

  summary(options: CallOptions = {}): Promise<ImageSummary> {
    return withOptions(this.#rest.get().resource('image', 'summary'), options).do(imageSummary);
  }

  /** Number of images per registry. The platform does not count those of OCI registries. */
  async counts(
    filter: Omit<ImageFilter, 'registryId'> = {},
    options: CallOptions = {},
  ): Promise<readonly ImageCount[]> {
    const { name, os, author } = filter;
    const request = this.#rest.get().resource('image', 'count');
    const filtered = request.param('name', name).param('os', os).param('author', author);
    const rows = (await withOptions(filtered, options).do(imageCounts)) ?? [];
    return rows.map(({ registryId, registryName, imageCount, count }) => ({
      registryId,
      count: numberOf(imageCount ?? count) ?? 0,
      ...(typeof registryName === 'string' && { registryName }),
    }));
  }

  /** The configuration of an image: the template of a service's `image.config`. */
  async config(ref: ImageRef | string, options: CallOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    const text = typeof ref === 'string' ? ref : formatImageRef(ref);
    const request = this.#rest.get().resource('image', 'config').param('ref', text);
    return (await fetchOne(withOptions(request, options), imageConfig, 'image', text)).config;
  }

  /** Uploads an image. Resumes an earlier upload of the same image. */
  upload(source: UploadSource, options: UploadOptions = {}): Promise<Uploaded> {
    return upload(this.#rest, source, options);
  }

  /** Which chunks of an image the platform already has; chunk indexes start at 1. */
  checkHash(
    imageHash: string,
    chunkIndexes: readonly number[],
    imageSize: number,
    options: CallOptions = {},
  ): Promise<HashCheck> {
    return checkHash(this.#rest, imageHash, chunkIndexes, imageSize, options);
  }

  uploadProgress(uploadId: string, options: CallOptions = {}): Promise<Progress> {
    return this.#progress('upload', uploadId, 'uploadId', options);
  }

  /** Starts to copy an image from a remote registry to the local one. Returns the id for `syncProgress`. */
  async sync(body: ImageSync, options: CallOptions = {}): Promise<string> {
    const request = this.#rest.post().resource('image', 'sync').body(body).kind('image', body.imageName);
    return (await withOptions(request, options).do(startedSync)).syncId;
  }

  syncProgress(syncId: string, options: CallOptions = {}): Promise<Progress> {
    return this.#progress('sync', syncId, 'syncId', options);
  }

  /** The tags of one image in an OCI registry. */
  async tags(registryId: string, imageName: string, options: CallOptions = {}): Promise<readonly string[]> {
    const request = this.#rest.get().resource('image', 'tags').param('registryId', registryId);
    const rows = await withOptions(request.param('imageName', imageName), options).do(imageTags);
    return (rows ?? []).map((row) => row.tag);
  }

  tagDetail(registryId: string, imageName: string, tag: string, options: CallOptions = {}): Promise<TagDetail> {
    const request = this.#rest.get().resource('image', 'tagDetail').param('registryId', registryId);
    const filtered = request.param('imageName', imageName).param('tag', tag);
    return fetchOne(withOptions(filtered, options), tagDetail, 'image', `${imageName}@${tag}`);
  }

  /** Whether a registry other than `exceptId` has this address. */
  async isRegistryAddressTaken(
    address: string,
    options: CallOptions & { readonly exceptId?: string } = {},
  ): Promise<boolean> {
    const request = this.#rest.get().resource('registry', 'address', 'check').param('address', address);
    return isOn(await withOptions(request.param('id', options.exceptId), options).do(flag));
  }

  async #progress(what: string, id: string, label: string, options: CallOptions): Promise<Progress> {
    const request = this.#rest.get().resource('image', what).name(id, label);
    const response = await fetchOne(withOptions(request, options), progress, what, id);
    const percent = numberOf(response.progress);
    return {
      ...(percent !== undefined && { percent }),
      ...(response.status != null && { status: response.status }),
    };
  }

  #source(filter: ImageFilter): PageSource<ImageRow> {
    return {
      endpoint: 'GET /image',
      keyOf: (row) => row.id,
      fetch: (pageNum, pageSize, options) => {
        const request = this.#rest
          .get()
          .resource('image')
          .param('registryId', filter.registryId ?? localRegistry)
          .param('name', filter.name)
          .param('os', filter.os)
          .param('author', filter.author);
        return fetchPage(request, pageNum, pageSize, options, imageRow);
      },
    };
  }
}
