import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeConformance } from '../conformance.suite.ts';
import type { Store } from '../contract.ts';
import { LmdbStore } from './store.ts';

const directories = new Map<Store, string>();

storeConformance('lmdb', {
  async create() {
    const directory = mkdtempSync(join(tmpdir(), 'ecsm-lmdb-'));
    const store = new LmdbStore({ directory });
    directories.set(store, directory);
    return store;
  },
  async connect(store) {
    const directory = directories.get(store) ?? '';
    const other = new LmdbStore({ directory });
    directories.set(other, directory);
    return other;
  },
  async cleanup() {
    for (const [store] of directories) await store.close();
    for (const directory of new Set(directories.values())) rmSync(directory, { recursive: true, force: true });
    directories.clear();
  },
});
