import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedRegistry, MemoryStore } from '@ecsm/runtime';
import { expect, it } from 'vitest';
import { Namespace } from '../kinds/core.ts';
import { serverKinds } from '../kinds/server-kinds.ts';
import { Gadget } from './server.kit.ts';
import { startServing } from './serving.ts';

it('has the namespaces of its views, and no list of version 0, before its first request', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-serving-'));
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Gadget, ...serverKinds] });
  const address = { host: '127.0.0.1', port: 0 };
  const serving = await startServing({ registry, address, directory, viewNamespaces: ['views'] });
  const { items } = await registry.resource(Namespace).list();
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['default', 'views']);
  expect((await registry.resource(Gadget).list()).resourceVersion).not.toBe('0');
  await serving.close();
  await registry.close();
  rmSync(directory, { recursive: true, force: true });
});
