import { describe, expect, it } from 'vitest';
import { found, refusal, setUp, spec, startMs } from './platform.kit.ts';

const image = { name: 'camera', tag: '1.0.0', os: 'sylixos', sizeBytes: 20_000_000 } as const;

describe('an image', () => {
  it('is found by its reference, with the operating system or without', () => {
    const { platform } = setUp();
    const { id } = platform.pushImage(image);
    expect(platform.image('local', id)).toMatchObject({ ...image, ociVersion: '1.0.0', createdMs: startMs });
    expect(platform.imageByRef('camera@1.0.0#sylixos')?.id).toBe(id);
    expect(platform.imageByRef('camera@1.0.0')?.id).toBe(id);
    expect(platform.imageByRef('camera@1.0.0#linux')).toBeUndefined();
    expect(platform.imageByRef('gateway@1.0.0')?.os).toBe('linux');
    expect(platform.image('other', id)).toBeUndefined();
  });

  it('pushed again keeps its id and has other content', () => {
    const { platform } = setUp();
    const first = platform.pushImage(image);
    const second = platform.pushImage({ ...image, sizeBytes: 5 });
    expect(second.id).toBe(first.id);
    expect(second.digest).not.toBe(first.digest);
    expect(platform.images('local').filter(({ name }) => name === 'camera')).toMatchObject([{ sizeBytes: 5 }]);
  });

  it('has a configuration template', () => {
    const { platform } = setUp();
    expect(platform.pushImage(image).config).toMatchObject({ process: { args: ['/apps/camera'] }, sylixos: {} });
    expect(platform.pushImage({ ...image, os: 'linux' }).config).toMatchObject({ restart: 'always', memory: 0 });
    expect(platform.pushImage({ ...image, config: { own: true } }).config).toEqual({ own: true });
  });

  it('is also deleted from the nodes', () => {
    const { platform, pass, node } = setUp();
    platform.createService(spec({ nodeNames: ['n1'] }));
    pass(5_000);
    const { id } = found(platform.imageByRef('worker@1.0.0#sylixos'));
    expect(Object.keys(node('n1').images)).toEqual([id]);
    platform.deleteImage('local', id);
    expect(node('n1').images).toEqual({});
    expect(platform.imageByRef('worker@1.0.0#sylixos')).toBeUndefined();
    expect(refusal(() => platform.deleteImage('local', id))).toBe('imageNotFound');
  });

  it('requires a valid name and tag, and an existing registry', () => {
    const { platform } = setUp();
    for (const wrong of [{ name: '' }, { name: 'a@b' }, { tag: 'a#b' }, { tag: '' }, { sizeBytes: -1 }]) {
      expect(refusal(() => platform.pushImage({ ...image, ...wrong }))).toBe('badRequest');
    }
    expect(refusal(() => platform.pushImage({ ...image, registryId: 'nowhere' }))).toBe('registryNotFound');
  });
});

describe('a remote image', () => {
  function remote() {
    const world = setUp();
    const registry = world.platform.addRegistry({ name: 'hub', address: 'http://10.1.1.1:5000', standard: 'ecsm' });
    const pushed = world.platform.pushImage({ ...image, registryId: registry.id });
    return { ...world, registry, pushed };
  }

  it('is copied to the local registry as quickly as the link allows', () => {
    const { platform, pass, registry, pushed } = remote();
    expect(platform.imageByRef('camera@1.0.0#sylixos')).toBeUndefined();
    const { id } = platform.syncImage(registry.id, pushed.id);
    expect(platform.sync(id)).toMatchObject({ status: 'starting', startedMs: startMs, endsMs: startMs + 2_000 });
    pass(1_000);
    expect(platform.sync(id)?.status).toBe('running');
    pass(999);
    expect(platform.imageByRef('camera@1.0.0#sylixos')).toBeUndefined();
    pass(1);
    expect(platform.sync(id)?.status).toBe('success');
    const local = found(platform.imageByRef('camera@1.0.0#sylixos'));
    expect(local).toMatchObject({ registryId: 'local', sizeBytes: image.sizeBytes });
    expect(local.id).not.toBe(pushed.id);
    expect(platform.image(registry.id, pushed.id)?.pulled).toBe(true);
  });

  it('that is deleted meanwhile is not copied', () => {
    const { platform, pass, registry, pushed } = remote();
    const { id } = platform.syncImage(registry.id, pushed.id);
    platform.deleteImage(registry.id, pushed.id);
    pass(2_000);
    expect(platform.sync(id)?.status).toBe('fail');
    expect(refusal(() => platform.syncImage(registry.id, pushed.id))).toBe('imageNotFound');
    expect(refusal(() => platform.syncImage('nowhere', pushed.id))).toBe('registryNotFound');
  });

  it('does not upgrade services before it is copied', () => {
    const { platform, pass, registry, service } = remote();
    platform.createService(spec({ image: { autoUpgrade: 'Always' } }));
    const newer = platform.pushImage({ ...image, name: 'worker', tag: '3.0.0', registryId: registry.id });
    expect(service('worker').image.ref).toBe('worker@1.0.0#sylixos');
    platform.syncImage(registry.id, newer.id);
    pass(2_000);
    expect(service('worker').image.ref).toBe('worker@3.0.0#sylixos');
  });
});

describe('auto-upgrade', () => {
  function arrived(autoUpgrade: string, tag: string, change: { name?: string; os?: 'linux' | 'sylixos' } = {}) {
    const world = setUp();
    const { id } = world.platform.createService(spec({ image: { ref: 'worker@1.1.0#sylixos', autoUpgrade } }));
    world.pass(5_000);
    world.platform.pushImage({ name: 'worker', tag, os: 'sylixos', sizeBytes: 1_000, ...change });
    const isDeploying = world.only('worker').deployStatus === 'deploying';
    world.pass(5_000);
    expect(world.only('worker').imageRef).toBe(world.service('worker').image.ref);
    return { ref: world.service('worker').image.ref, isDeploying, records: world.platform.recordsOf(id).length, world };
  }

  it('Never keeps the image', () => {
    expect(arrived('Never', '2.0.0')).toMatchObject({ ref: 'worker@1.1.0#sylixos', isDeploying: false, records: 1 });
  });

  it('Larger follows a larger version only', () => {
    const upgraded = { ref: 'worker@1.2.0#sylixos', isDeploying: true, records: 2 };
    expect(arrived('Larger', '1.2.0')).toMatchObject(upgraded);
    for (const tag of ['1.0.5', '1.1.0', 'latest']) {
      expect(arrived('Larger', tag)).toMatchObject({ ref: 'worker@1.1.0#sylixos', isDeploying: false, records: 1 });
    }
  });

  it('Always follows any, even new content of the same tag', () => {
    expect(arrived('Always', '1.0.5')).toMatchObject({ ref: 'worker@1.0.5#sylixos', isDeploying: true, records: 2 });
    expect(arrived('Always', '1.1.0')).toMatchObject({ ref: 'worker@1.1.0#sylixos', isDeploying: true, records: 2 });
  });

  it('updates the time of the update', () => {
    expect(arrived('Always', '2.0.0').world.service('worker').updatedMs).toBe(startMs + 5_000);
  });

  it('applies to images of the same name and operating system', () => {
    expect(arrived('Always', '2.0.0', { name: 'camera' }).isDeploying).toBe(false);
    expect(arrived('Always', '2.0.0', { os: 'linux' }).isDeploying).toBe(false);
  });

  it('does not affect a service that cannot be upgraded, or is being deleted', () => {
    const { platform, node, service } = setUp();
    const always = { autoUpgrade: 'Always' };
    platform.createService(spec({ image: always }));
    const { id } = platform.createService(spec({ name: 'leaving', image: always }));
    platform.deleteService(id);
    platform.setNodeTrueType(node('n1').id, 'linux');
    platform.refreshNodeTypes();
    platform.pushImage({ name: 'worker', tag: '2.0.0', os: 'sylixos', sizeBytes: 1 });
    expect([service('worker').image.ref, service('leaving').image.ref]).toEqual([
      'worker@1.0.0#sylixos',
      'worker@1.0.0#sylixos',
    ]);
  });
});
