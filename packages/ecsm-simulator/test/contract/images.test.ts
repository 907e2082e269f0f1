/** Section 8 of the reference: images in registries. How they get there: uploads.test.ts. */
import { collect } from '@ecsm/client';
import { shape } from '@ecsm/runtime';
import { expect, it } from 'vitest';
import type { Behaviour } from '../../src/platform/behaviour.ts';
import { firstPage, imageTime, page } from './common-forms.kit.ts';
import { departures, either, exactly, type Form, list, object, orNull, words } from './form.kit.ts';
import { onEveryPlatform, type Site } from './site.kit.ts';

const os = words('linux', 'sylixos');

function imageRow(behaviour: Behaviour): Form {
  return object({
    id: 'uuid',
    name: 'text',
    tag: 'text',
    os,
    arch: 'text',
    size: 'amount',
    author: orNull('text'),
    createdTime: imageTime(behaviour),
    pulled: 'boolean',
    description: 'text',
    ociVersion: words('v1', '1.0.0'),
  });
}

function imageDetail(behaviour: Behaviour): Form {
  return object({
    id: 'uuid',
    name: 'text',
    path: 'text',
    os,
    arch: 'text',
    createdTime: imageTime(behaviour),
    size: 'amount',
    author: orNull('text'),
    rawConfig: 'jsonText',
    config: 'object',
    ociVersion: words('v1', '1.0.0'),
    hostname: orNull('text'),
    tag: 'text',
    pulled: 'boolean',
    delete: 'boolean',
  });
}

const kernelObjectLimits = object({
  threadLimit: 'count',
  threadPoolLimit: 'count',
  eventLimit: 'count',
  eventSetLimit: 'count',
  partitionLimit: 'count',
  regionLimit: 'count',
  msgQueueLimit: 'count',
  timerLimit: 'count',
  rmsLimit: 'count',
  threadVarLimit: 'count',
  posixMqueueLimit: 'count',
  dlopenLibraryLimit: 'count',
  xsiipcLimit: 'count',
  socketLimit: 'count',
  srtpLimit: 'count',
  deviceLimit: 'count',
});

function field(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((found, name) => (shape.isObject(found) ? found[name] : undefined), value);
}

/** The vendor's table calls the number `imageCount`, the example `count`. */
function imageCounts({ imageCountField }: Behaviour): Form {
  const common: Readonly<Record<string, Form>> = { registryId: 'id', registryName: 'text', [imageCountField]: 'count' };
  return list(either(object(common), object({ ...common, status: 'anything', standard: 'anything' })));
}

/** A registry somewhere else, with one image in it. */
function remote({ platform }: Site, standard: 'oci' | 'ecsm') {
  const registry = platform.addRegistry({ name: 'ground', address: '10.8.8.8:5000', standard });
  const image = platform.pushImage({
    name: 'camera',
    tag: '9.0.0',
    os: 'sylixos',
    sizeBytes: 3 * 2 ** 20,
    registryId: registry.id,
  });
  return { registry, image };
}

onEveryPlatform('images', (site) => {
  it('GET /image: lists the images of a registry by name, system and author', async () => {
    const on = site();
    const filter = { name: 'gate', os: 'linux', author: 'adm' };
    const rows = await collect(on.ecsm.images().list(filter));
    const query = { ...firstPage, ...filter, registryId: 'local' };
    const data = on.saw('GET /image', { query, data: page(imageRow(on.behaviour)) });
    expect(data).toMatchObject({ list: rows, total: 2 });
    expect(rows).toMatchObject([
      { name: 'gateway', tag: '1.0.0', os: 'linux', arch: 'x86-64', author: 'admin', pulled: true, ociVersion: 'v1' },
      { name: 'gateway', tag: '1.1.0', os: 'linux', arch: 'x86-64', author: 'admin', pulled: true, ociVersion: 'v1' },
    ]);
    expect(on.ecsm.timeOf(rows[0]?.createdTime)).toBe(on.clock.now());
  });

  it('GET /image: lists the images of a remote registry', async () => {
    const on = site();
    const { registry, image } = remote(on, 'ecsm');
    const rows = await collect(on.ecsm.images().list({ registryId: registry.id }));
    on.saw('GET /image', { query: { ...firstPage, registryId: registry.id }, data: page(imageRow(on.behaviour)) });
    expect(rows).toMatchObject([{ id: image.id, name: 'camera', size: 3, author: null, pulled: false }]);
  });

  it('GET /image/summary: counts local and remote images', async () => {
    const on = site();
    remote(on, 'ecsm');
    expect(await on.ecsm.images().summary()).toEqual({ local: 12, remote: 1 });
    on.saw('GET /image/summary', { data: exactly({ local: 12, remote: 1 }) });
  });

  it('GET /image/count: counts the images of each registry, except those of the OCI standard', async () => {
    const on = site();
    const { registry } = remote(on, 'ecsm');
    remote(on, 'oci');
    const filter = { name: 'camera', os: 'sylixos' };
    const counts = await on.ecsm.images().counts(filter);
    on.saw('GET /image/count', { query: filter, data: imageCounts(on.behaviour) });
    expect(counts).toEqual([
      { registryId: 'local', registryName: '本地仓库', count: 2 },
      { registryId: registry.id, registryName: 'ground', count: 1 },
    ]);
  });

  it('GET /image/config: returns the template of a service configuration', async () => {
    const on = site();
    const config = await on.ecsm.images().config({ name: 'worker', tag: '1.0.0', os: 'sylixos' });
    const query = { ref: 'worker@1.0.0#sylixos' };
    expect(on.saw('GET /image/config', { query, data: object({ config: 'object' }) })).toEqual({ config });
    const kernelObject = field(config, 'sylixos', 'resources', 'kernelObject');
    expect(departures(kernelObjectLimits, kernelObject)).toEqual([]);
    expect(config).toMatchObject({
      platform: { os: 'sylixos', arch: 'arm64' },
      process: { args: ['/apps/worker'], env: [], cwd: '/' },
      root: { path: 'rootfs', readonly: false },
      sylixos: {
        resources: {
          cpu: { highestPrio: 150, lowestPrio: 250, defaultPrio: 200 },
          memory: { kheapLimit: 536_870_912, memoryLimitMB: 2048 },
          disk: { limitMB: 2048 },
        },
      },
    });
  });

  it('GET /registry/:registryId/image/:imageId: shows one image, with its configuration as text and parsed', async () => {
    const on = site();
    const imageId = on.platform.imageByRef('worker@1.0.0#sylixos')?.id ?? '';
    const image = await on.ecsm.images().get(imageId);
    const endpoint = 'GET /registry/:registryId/image/:imageId';
    const path = { registryId: 'local', imageId };
    expect(on.saw(endpoint, { path, data: imageDetail(on.behaviour) })).toEqual(image);
    expect(image).toMatchObject({ id: imageId, name: 'worker', tag: '1.0.0', ociVersion: '1.0.0', pulled: true });
    expect(JSON.parse(image.rawConfig ?? '')).toEqual(image.config);
    await expect(on.ecsm.images().get('nobody')).rejects.toMatchObject({ code: on.unknownCode });
    on.sawUnknown(endpoint, { path: { ...path, imageId: 'nobody' }, http: 404, code: 34004 });
  });

  it('GET /image/tags: lists the tags of an image in an OCI registry', async () => {
    const on = site();
    const { registry } = remote(on, 'oci');
    expect(await on.ecsm.images().tags(registry.id, 'camera')).toEqual(['9.0.0']);
    const query = { registryId: registry.id, imageName: 'camera' };
    on.saw('GET /image/tags', { query, data: exactly([{ name: 'camera', tag: '9.0.0' }]) });
  });

  it('GET /image/tagDetail: shows one tag of an image in an OCI registry', async () => {
    const on = site();
    const { registry } = remote(on, 'oci');
    const detail = await on.ecsm.images().tagDetail(registry.id, 'camera', '9.0.0');
    const form = object({
      size: 'amount',
      os,
      arch: 'text',
      createdTime: imageTime(on.behaviour),
      path: exactly('http://10.8.8.8:5000/camera@9.0.0'),
      hostname: orNull('text'),
      pulled: 'boolean',
    });
    const query = { registryId: registry.id, imageName: 'camera', tag: '9.0.0' };
    expect(on.saw('GET /image/tagDetail', { query, data: form })).toEqual(detail);
    expect(detail).toMatchObject({ size: 3, os: 'sylixos', arch: 'arm64', pulled: false });
  });

  it('GET /registry/address/check: returns whether another registry has the address', async () => {
    const on = site();
    const { registry } = remote(on, 'oci');
    const { id, address } = registry;
    expect(await on.ecsm.images().isRegistryAddressTaken(address)).toBe(true);
    on.saw('GET /registry/address/check', { query: { address }, data: exactly(true) });
    expect(await on.ecsm.images().isRegistryAddressTaken(address, { exceptId: id })).toBe(false);
    on.saw('GET /registry/address/check', { query: { address, id }, data: exactly(false) });
  });

  it('POST /image/sync: starts to pull an image from a remote registry', async () => {
    const on = site();
    const { registry, image } = remote(on, 'ecsm');
    const body = {
      registryId: registry.id,
      imageName: 'camera',
      imageSize: 3,
      tag: '9.0.0',
      os: 'sylixos',
      arch: 'arm64',
    };
    const syncId = await on.ecsm.images().sync(body);
    expect(on.saw('POST /image/sync', { body, data: object({ syncId: 'uuid' }) })).toEqual({ syncId });
    const again = await on.ecsm.images().sync({ ...body, id: image.id });
    expect(on.saw('POST /image/sync', { body: { ...body, id: image.id }, data: object({ syncId: 'uuid' }) })).toEqual({
      syncId: again,
    });
  });

  it('GET /image/sync/:syncId: shows the progress of a pull, until the image exists', async () => {
    const on = site();
    const { registry } = remote(on, 'ecsm');
    const body = {
      registryId: registry.id,
      imageName: 'camera',
      imageSize: 3,
      tag: '9.0.0',
      os: 'sylixos',
      arch: 'arm64',
    };
    const syncId = await on.ecsm.images().sync(body);
    on.forget();
    const look = async (form: Form) => {
      const progress = await on.ecsm.images().syncProgress(syncId);
      on.saw('GET /image/sync/:syncId', { path: { syncId }, data: form });
      return progress;
    };
    expect(await look(exactly({ progress: 0, status: 'starting' }))).toEqual({ percent: 0, status: 'starting' });
    await on.pass(160);
    const { percent, status } = await look(object({ progress: 'percent', status: exactly('running') }));
    expect(status).toBe('running');
    expect(percent).toBeGreaterThan(10);
    expect(percent).toBeLessThan(100);
    await on.pass(1000);
    expect(await look(exactly({ progress: 100, status: 'success' }))).toEqual({ percent: 100, status: 'success' });
    expect(await collect(on.ecsm.images().list({ name: 'camera' }))).toContainEqual(
      expect.objectContaining({ tag: '9.0.0', size: 3 }),
    );
  });
});
