import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeConformance } from '../conformance.suite.ts';
import type { Store } from '../contract.ts';
import { FileStore } from './store.ts';

const directories = new Map<Store, string>();

async function openIn(directory: string): Promise<Store> {
  const store = await FileStore.open({ directory });
  directories.set(store, directory);
  return store;
}

storeConformance('file', {
  create: () => openIn(mkdtempSync(join(tmpdir(), 'ecsm-file-'))),
  connect: (store) => openIn(directories.get(store) ?? ''),
  async cleanup() {
    for (const [store] of directories) await store.close();
    for (const directory of new Set(directories.values())) rmSync(directory, { recursive: true, force: true });
    directories.clear();
  },
});
