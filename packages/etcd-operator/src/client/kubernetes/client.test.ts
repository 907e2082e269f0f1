import { ConfigMap } from '@ecsm/apiserver';
import { EmbeddedRegistry, MemoryStore } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { KubernetesClient } from './client.ts';

const input = (data: Readonly<Record<string, string>>, name = 'one') =>
  ConfigMap.input({ name, namespace: 'default', labels: { app: 'a' } }, { data });

function start() {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [ConfigMap], clock: new VirtualClock() });
  const maps = registry.resource(ConfigMap);
  const client = new KubernetesClient(registry);
  const data = async () => ConfigMap.fieldsOf(await maps.get('one')).data;
  return { registry, maps, client, data };
}

describe('KubernetesClient', () => {
  it('finds nothing where nothing is, and tells other failures', async () => {
    const { client, maps } = start();
    expect(await client.find(ConfigMap, 'default', 'one')).toBeUndefined();
    await maps.create(input({ a: '1' }));
    expect((await client.find(ConfigMap, 'default', 'one'))?.metadata.name).toBe('one');
    const broken = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [], clock: new VirtualClock() });
    await expect(new KubernetesClient(broken).find(ConfigMap, 'default', 'one')).rejects.toThrow();
  });

  it('lists by labels, within a namespace', async () => {
    const { client, maps } = start();
    await maps.create(input({}, 'one'));
    await maps.create(ConfigMap.input({ name: 'two', namespace: 'default' }, {}));
    await maps.create(ConfigMap.input({ name: 'three', namespace: 'other', labels: { app: 'a' } }, {}));
    const found = await client.list(ConfigMap, 'default', 'app=a');
    expect(found.map(({ metadata }) => metadata.name)).toEqual(['one']);
  });

  it('applies: it creates, takes over fields of others, and removes what it applied before', async () => {
    const { client, maps, data } = start();
    await client.apply(ConfigMap, input({ a: '1', b: '1' }));
    await maps.patch('one', { data: { a: '2', c: '2' } }, { manager: 'kubectl' });
    await client.apply(ConfigMap, input({ a: '3' }));
    expect(await data()).toEqual({ a: '3', c: '2' });
  });

  it('creates only what does not exist', async () => {
    const { client, data } = start();
    expect(await client.create(ConfigMap, input({ a: '1' }))).toBe(true);
    expect(await client.create(ConfigMap, input({ a: '2' }))).toBe(false);
    expect(await data()).toEqual({ a: '1' });
    await expect(client.create(ConfigMap, input({}, 'Not A Name'))).rejects.toMatchObject({ code: 'Invalid' });
  });

  it('updates and patches only the version that was read', async () => {
    const { client, maps, data } = start();
    const { metadata } = await maps.create(input({ a: '1' }));
    await client.update(ConfigMap, ConfigMap.input(metadata, { data: { a: '2' } }));
    const stale = ConfigMap.input(metadata, { data: { a: '3' } });
    await expect(client.update(ConfigMap, stale)).rejects.toMatchObject({ code: 'Conflict' });
    const { uid, resourceVersion } = metadata;
    const patch = { data: { a: '4' } };
    await expect(client.patch(ConfigMap, 'default', 'one', patch, { uid, resourceVersion })).rejects.toMatchObject({
      code: 'Conflict',
    });
    await client.patch(ConfigMap, 'default', 'one', patch, { uid });
    expect(await data()).toEqual({ a: '4' });
  });

  it('deletes the object that was meant, and is content if it is gone', async () => {
    const { client, maps } = start();
    const { metadata } = await maps.create(input({}));
    await client.delete(ConfigMap, 'default', 'one', 'another');
    expect((await maps.list()).items).toHaveLength(1);
    await client.delete(ConfigMap, 'default', 'one', metadata.uid);
    expect((await maps.list()).items).toHaveLength(0);
    await client.delete(ConfigMap, 'default', 'one', metadata.uid);
  });
});
