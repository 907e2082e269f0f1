import { EmbeddedRegistry, Informers, MemoryStore } from '@ecsm/runtime';
import { expect, it } from 'vitest';
import { Namespace } from '../kinds/core.ts';
import { serverKinds } from '../kinds/server-kinds.ts';
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
