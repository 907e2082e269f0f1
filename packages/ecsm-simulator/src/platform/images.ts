/** Images and registries. A new image in the local registry may upgrade services. */
import type { JsonObject } from '@ecsm/runtime';
import type { NewImage } from './contract.ts';
import { formatImageRef } from './image-ref.ts';
import type { Image, OperatingSystem, RemoteRegistry, ScheduledEvent, Sync } from './model.ts';
import { checkAmount, Refusal } from './refusal.ts';
import { upgradeServices } from './upgrade.ts';
import type { World } from './world.ts';

const localRegistryId = 'local';
/** The oldest are dropped. */
export const syncsMax = 1_000;

/** An image with an existing reference replaces it: the same id, other content. */
export function pushImage(world: World, wanted: NewImage): Image {
  const registryId = wanted.registryId ?? localRegistryId;
  if (registryId !== localRegistryId && !world.registries.has(registryId)) {
    throw new Refusal('registryNotFound', registryId);
  }
  const { name, tag, os } = wanted;
  if (/[@#\s]|^$/.test(name) || /[@#\s]|^$/.test(tag)) {
    throw new Refusal('badRequest', `${name}@${tag}`, {
      name: 'and tag are required, without "@", "#" and spaces',
    });
  }
  checkAmount(wanted.sizeBytes, 'sizeBytes');
  const existing = findImage(world, registryId, wanted);
  const image: Image = {
    id: existing?.id ?? world.uuid(),
    registryId,
    name,
    tag,
    os,
    arch: wanted.arch ?? (os === 'linux' ? 'x86-64' : 'arm64'),
    sizeBytes: wanted.sizeBytes,
    author: wanted.author ?? null,
    createdMs: world.nowMs,
    pulled: registryId === localRegistryId,
    description: wanted.description ?? '',
    ociVersion: os === 'linux' ? 'v1' : '1.0.0',
    digest: world.hex(64),
    config: wanted.config ?? templateConfig(name, os, wanted.arch),
  };
  world.images.set(image.id, image);
  if (registryId === localRegistryId) {
    world.localImages.set(formatImageRef(image), image);
    upgradeServices(world, image);
  }
  return image;
}

/** Also deletes it on the nodes. Services with this image keep running, and cannot be redeployed. */
export function deleteImage(world: World, registryId: string, id: string): void {
  const image = requireImage(world, registryId, id);
  world.images.delete(id);
  if (registryId === localRegistryId) world.localImages.delete(formatImageRef(image));
  for (const node of world.nodes.values()) delete node.images[id];
  // So that the same file can be uploaded again.
  for (const upload of world.uploads.values()) if (upload.imageId === id) world.uploads.delete(upload.id);
}

export function imagesOf(world: World, registryId: string): Image[] {
  return [...world.images.values()].filter((image) => image.registryId === registryId);
}

export function addRegistry(world: World, wanted: Omit<RemoteRegistry, 'id' | 'online'>): RemoteRegistry {
  const { name, address, standard } = wanted;
  const registry: RemoteRegistry = { id: world.uuid(), name, address, standard, online: true };
  world.registries.set(registry.id, registry);
  return registry;
}

/** Copies a remote image to the local registry, with the bandwidth of an image pull. */
export function syncImage(world: World, registryId: string, imageId: string): Sync {
  if (!world.registries.has(registryId)) throw new Refusal('registryNotFound', registryId);
  const image = requireImage(world, registryId, imageId);
  const durationMs = Math.ceil((image.sizeBytes / world.behaviour.pullBytesPerSecond) * 1000);
  const sync: Sync = {
    id: world.uuid(),
    imageId,
    startedMs: world.nowMs,
    endsMs: world.nowMs + durationMs,
    status: 'starting',
  };
  world.syncs.set(sync.id, sync);
  world.schedule('syncRuns', sync.id, Math.floor(durationMs / 10));
  world.schedule('synchronised', sync.id, durationMs);
  return sync;
}

function findImage(world: World, registryId: string, { name, tag, os }: NewImage): Image | undefined {
  if (registryId === localRegistryId) return world.localImages.get(formatImageRef({ name, tag, os }));
  return imagesOf(world, registryId).find((image) => image.name === name && image.tag === tag && image.os === os);
}

function requireImage(world: World, registryId: string, id: string): Image {
  const image = world.images.get(id);
  if (image === undefined || image.registryId !== registryId) throw new Refusal('imageNotFound', id);
  return image;
}

/** From the vendor's template. */
const kernelObjectLimits = {
  threadLimit: 4096,
  threadPoolLimit: 32,
  eventLimit: 32_768,
  eventSetLimit: 500,
  partitionLimit: 6000,
  regionLimit: 50,
  msgQueueLimit: 8192,
  timerLimit: 64,
  rmsLimit: 32,
  threadVarLimit: 16,
  posixMqueueLimit: 300,
  dlopenLibraryLimit: 50,
  xsiipcLimit: 100,
  socketLimit: 1024,
  srtpLimit: 30,
  deviceLimit: 60,
};

/** The vendor's template, reduced. */
function templateConfig(name: string, os: OperatingSystem, arch = 'arm64'): JsonObject {
  if (os === 'linux') {
    return { hostname: 'auto', env: [], cmd: [`/usr/bin/${name}`], restart: 'always', network: 'bridge', memory: 0 };
  }
  return {
    platform: { os: 'sylixos', arch },
    process: { args: [`/apps/${name}`], env: [], cwd: '/' },
    root: { path: 'rootfs', readonly: false },
    hostname: 'sylixos_ecs',
    mounts: [],
    sylixos: {
      devices: [],
      resources: {
        affinity: [],
        cpu: { highestPrio: 150, lowestPrio: 250, defaultPrio: 200 },
        memory: { kheapLimit: 536_870_912, memoryLimitMB: 2048 },
        disk: { limitMB: 2048 },
        kernelObject: kernelObjectLimits,
      },
      network: { ftpdEnable: false, telnetdEnable: false, sshdEnable: false },
      commands: [],
    },
  };
}

export const imageEvents = {
  syncRuns(world: World, { subject }: ScheduledEvent): void {
    const sync = world.syncs.get(subject);
    if (sync?.status === 'starting') sync.status = 'running';
  },
  /** The image may have been deleted in the meantime. */
  synchronised(world: World, { subject }: ScheduledEvent): void {
    const sync = world.syncs.get(subject);
    if (sync === undefined) return;
    const remote = world.images.get(sync.imageId);
    const isReachable = remote !== undefined && world.registries.get(remote.registryId)?.online === true;
    sync.status = isReachable ? 'success' : 'fail';
    if (!isReachable) return;
    remote.pulled = true;
    pushImage(world, { ...remote, registryId: localRegistryId });
  },
} as const;
