/** Images in responses. */
import type { JsonObject } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Image } from '../platform/model.ts';
import { timeText } from './times.ts';
import { megabytes } from './units.ts';

/** The address of the platform's own registry. */
const localRegistry = '127.0.0.1:5000';

export function imageRow(platform: Platform, image: Image): JsonObject {
  const { id, name, tag, os, arch, author, pulled, description, ociVersion } = image;
  const createdTime = timeText(image.createdMs, 'image', platform.behaviour);
  const size = sizeOf(image);
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
    size: sizeOf(image),
    author,
    rawConfig: JSON.stringify(config),
    config,
    ociVersion,
    hostname: hostnameOf(image),
    tag,
    pulled,
    // Its meaning is not documented.
    delete: false,
  };
}

export function tagDetail(platform: Platform, image: Image): JsonObject {
  return {
    size: sizeOf(image),
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

/** At least 0.01. */
function sizeOf({ sizeBytes }: Image): number {
  return Math.max(0.01, megabytes(sizeBytes));
}
