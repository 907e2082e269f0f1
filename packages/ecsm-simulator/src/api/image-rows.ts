/** Images in responses. */
import type { JsonObject } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Image } from '../platform/model.ts';
import { timeText } from './times.ts';

/** The address of the platform's own registry. */
const localRegistry = '127.0.0.1:5000';

export function imageRow(platform: Platform, image: Image): JsonObject {
  const { id, name, tag, os, arch, author, pulled, description, ociVersion } = image;
  const createdTime = timeText(image.createdMs, 'image', platform.behaviour);
  const size = megabytes(image.sizeBytes);
  return { id, name, tag, os, arch, size, author, createdTime, pulled, description, ociVersion };
}

export function imageDetail(platform: Platform, image: Image): JsonObject {
  const { id, name, tag, os, arch, author, pulled, ociVersion, config } = image;
  return {
    id,
    name,
    path: imagePath(platform, image),
    os,
    arch,
    createdTime: timeText(image.createdMs, 'image', platform.behaviour),
    size: megabytes(image.sizeBytes),
    author,
    rawConfig: JSON.stringify(config),
    config,
    ociVersion,
    hostname: hostnameOf(image),
    tag,
    pulled,
  };
}

export function tagDetail(platform: Platform, image: Image): JsonObject {
  return {
    size: megabytes(image.sizeBytes),
    os: image.os,
    arch: image.arch,
    createdTime: timeText(image.createdMs, 'image', platform.behaviour),
    path: imagePath(platform, image),
    hostname: hostnameOf(image),
    pulled: image.pulled,
  };
}

export function imagePath(platform: Platform, { registryId, name, tag }: Image): string {
  const registry = platform.registries().find(({ id }) => id === registryId);
  const address = (registry?.address ?? localRegistry).replace(/^https?:\/\//, '');
  return `http://${address}/${name}@${tag}`;
}

function hostnameOf({ config }: Image): string | null {
  return typeof config['hostname'] === 'string' ? config['hostname'] : null;
}

/** Rounded to two decimals, at least 0.01. */
function megabytes(bytes: number): number {
  return Math.max(0.01, Math.round((bytes / 2 ** 20) * 100) / 100);
}
