/** Routes of images and registries: the platform's own, `local`, and remote ones. */
import { type JsonObject, shape } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Image, Sync } from '../platform/model.ts';
import type { Call } from './call.ts';
import { imageDetail, imageRow, tagDetail } from './image-rows.ts';
import { known } from './known.ts';
import { pageOf } from './paging.ts';
import type { Query } from './query.ts';
import type { Route } from './route.ts';
import { bytes, maybe, text } from './shapes.ts';
import { searchFor } from './text.ts';

export const imageRoutes: readonly Route[] = [
  { method: 'GET', path: '/image', section: '8', mark: 'GO, TOOL', handle: list },
  { method: 'GET', path: '/image/summary', section: '8', mark: 'GO, TOOL', handle: summarise },
  { method: 'GET', path: '/image/count', section: '8', mark: 'DOC', handle: count },
  { method: 'GET', path: '/image/config', section: '8', mark: 'GO, DAYU, CTRL', handle: config },
  { method: 'GET', path: '/registry/:registryId/image/:imageId', section: '8', mark: 'DOC', handle: get },
  { method: 'DELETE', path: '/registry/:registryId/image/:imageId', section: '8', mark: 'GUESS', handle: remove },
  { method: 'POST', path: '/image/sync', section: '8', mark: 'DOC', handle: startSync },
  { method: 'GET', path: '/image/sync/:syncId', section: '8', mark: 'DOC', handle: followSync },
  { method: 'GET', path: '/image/tags', section: '8', mark: 'DOC', handle: tags },
  { method: 'GET', path: '/image/tagDetail', section: '8', mark: 'DOC', handle: describeTag },
  { method: 'GET', path: '/registry/address/check', section: '8', mark: 'DOC', handle: checkAddress },
];

const local = 'local';
const localName = '本地仓库';

function list(call: Call): JsonObject {
  const images = imagesOf(call.platform, call.query.required('registryId')).filter(matching(call.query));
  return pageOf(call, images, (image) => imageRow(call.platform, image));
}

function summarise({ platform }: Call): JsonObject {
  const remote = platform.registries().reduce((sum, { id }) => sum + platform.images(id).length, 0);
  return { local: platform.images(local).length, remote };
}

/** The images of OCI registries are not counted. */
function count({ platform, query, behaviour }: Call): readonly JsonObject[] {
  const isMatch = matching(query);
  const counted = (id: string) => ({ [behaviour.imageCountField]: platform.images(id).filter(isMatch).length });
  const remote = platform.registries().filter(({ standard }) => standard !== 'oci');
  return [
    { registryId: local, registryName: localName, ...counted(local) },
    ...remote.map(({ id, name, online }) => ({
      registryId: id,
      registryName: name,
      ...counted(id),
      status: online,
      standard: false,
    })),
  ];
}

function config({ platform, query }: Call): JsonObject {
  const ref = query.required('ref');
  return { config: known(platform.imageByRef(ref), 'imageNotFound', ref).config };
}

function get(call: Call): JsonObject {
  return imageDetail(call.platform, knownImage(call));
}

function remove(call: Call): string {
  const { registryId, id } = knownImage(call);
  call.platform.deleteImage(registryId, id);
  return 'success';
}

function startSync(call: Call): JsonObject {
  const wanted = call.body(
    shape.object({
      registryId: text,
      imageName: text,
      imageSize: bytes,
      tag: text,
      id: maybe(shape.string()),
      os: text,
      arch: text,
    }),
  );
  const image = imagesOf(call.platform, wanted.registryId).find((one) =>
    wanted.id ? one.id === wanted.id : isSame(one, wanted),
  );
  const { id } = known(image, 'imageNotFound', wanted.id || `${wanted.imageName}@${wanted.tag}#${wanted.os}`);
  return { syncId: call.platform.syncImage(wanted.registryId, id).id };
}

function isSame(
  image: Image,
  wanted: { readonly imageName: string; readonly tag: string; readonly os: string; readonly arch: string },
): boolean {
  return (
    image.name === wanted.imageName &&
    image.tag === wanted.tag &&
    image.os === wanted.os.toLowerCase() &&
    image.arch === wanted.arch
  );
}

function followSync(call: Call): JsonObject {
  const id = call.parameter('syncId');
  const sync = known(call.platform.sync(id), 'imageNotFound', id);
  return { progress: progressOf(sync, call.platform.now()), status: sync.status };
}

/** Percent of the duration. */
function progressOf({ status, startedMs, endsMs }: Sync, nowMs: number): number {
  if (status === 'success') return 100;
  if (status === 'starting' || endsMs <= startedMs) return 0;
  return Math.min(99, Math.max(0, Math.floor((100 * (nowMs - startedMs)) / (endsMs - startedMs))));
}

function tags({ platform, query }: Call): readonly JsonObject[] {
  const name = query.required('imageName');
  const found = imagesOf(platform, query.required('registryId')).filter((image) => image.name === name);
  return [...new Set(found.map(({ tag }) => tag))].map((tag) => ({ name, tag }));
}

function describeTag({ platform, query }: Call): JsonObject {
  const registryId = query.required('registryId');
  const name = query.required('imageName');
  const tag = query.required('tag');
  const image = imagesOf(platform, registryId).find((one) => one.name === name && one.tag === tag);
  return tagDetail(platform, known(image, 'imageNotFound', `${name}@${tag}`));
}

function checkAddress({ platform, query }: Call): boolean {
  const address = query.required('address');
  const except = query.text('id');
  return platform.registries().some((registry) => registry.address === address && registry.id !== except);
}

function imagesOf(platform: Platform, registryId: string): readonly Image[] {
  if (registryId !== local) {
    known(
      platform.registries().find(({ id }) => id === registryId),
      'registryNotFound',
      registryId,
    );
  }
  return platform.images(registryId);
}

function knownImage(call: Call): Image {
  const registryId = call.parameter('registryId');
  const imageId = call.parameter('imageId');
  imagesOf(call.platform, registryId);
  return known(call.platform.image(registryId, imageId), 'imageNotFound', imageId);
}

function matching(query: Query): (image: Image) => boolean {
  const isNamed = searchFor(query.text('name'));
  const os = query.text('os')?.toLowerCase();
  const author = query.text('author');
  const isBy = searchFor(author);
  return (image) =>
    isNamed(image.name) && (os === undefined || image.os === os) && (author === undefined || isBy(image.author ?? ''));
}
