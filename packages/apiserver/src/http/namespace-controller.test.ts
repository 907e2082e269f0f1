import { EmbeddedRegistry, Informers, MemoryStore, silentLog } from '@ecsm/runtime';
import { expect, it, vi } from 'vitest';
import { Namespace } from '../kinds/core.ts';
import { serverKinds } from '../kinds/server-kinds.ts';
import { contentsFinalizer } from '../verbs/prepare.ts';
import { namespaceController } from './namespace-controller.ts';
import { Gadget } from './server.kit.ts';

it('creates the other namespaces if the object of one cannot be read', async () => {
  const store = new MemoryStore();
  const registry = new EmbeddedRegistry({ store, kinds: [Gadget, ...serverKinds] });
  await store.commit([{ type: 'put', key: 'core/v1/namespaces/default', value: Buffer.from('{damaged') }]);
  await registry.resource(Gadget).create({ metadata: { name: 'a', namespace: 'used' }, spec: {} });
  const messages: string[] = [];
  const log = { write: (_: string, message: string) => void messages.push(message) };
  const stop = new AbortController();
  const creator = namespaceController(log, ['default']).find(({ name }) => name === 'namespaces');
  const running = creator?.run({ registry, informers: new Informers({ registry }), signal: stop.signal });
  const names = async () => (await registry.resource(Namespace).list()).items.map(({ metadata }) => metadata.name);
  await expect.poll(names).toEqual(['used']);
  expect(messages).toEqual(['namespace cannot be read']);
  stop.abort();
  await running;
  await registry.close();
});

it('keeps a namespace that is being deleted while it has contents', async () => {
  const store = new MemoryStore();
  const registry = new EmbeddedRegistry({ store, kinds: [Gadget, ...serverKinds] });
  const [gadgets, namespaces] = [registry.resource(Gadget), registry.resource(Namespace)];
  const finalizers = ['example.io/wait'];
  await namespaces.create({ metadata: { name: 'full', finalizers: [contentsFinalizer] }, spec: {} });
  for (const name of ['a', 'b'])
    await gadgets.create({ metadata: { name, namespace: 'full', ...(name === 'a' ? { finalizers } : {}) }, spec: {} });
  await namespaces.delete('full');
  const read = vi.spyOn(store, 'versions');
  const passes = () => read.mock.calls.filter(([prefix]) => prefix.includes('gadgets/full')).length;
  const exists = async () => (await namespaces.list()).items.length > 0;
  const stop = new AbortController();
  const informers = new Informers({ registry });
  const controller = namespaceController(silentLog, []).find(({ name }) => name === 'namespace');
  const running = controller?.run({ registry, informers, signal: stop.signal });
  // Another pass follows only while the namespace is there.
  await expect.poll(async () => passes() >= 2 || !(await exists())).toBe(true);
  expect(await exists()).toBe(true);
  expect((await gadgets.list({ namespace: 'full' })).items.map(({ metadata }) => metadata.name)).toEqual(['a']);
  await gadgets.patch('a', { metadata: { finalizers: null } }, { namespace: 'full' });
  await expect.poll(exists).toBe(false);
  stop.abort();
  await running;
  await registry.close();
});
