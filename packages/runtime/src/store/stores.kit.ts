/** Harnesses of the four stores for tests: a new, empty store, a second client, and cleanup. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../ports/clock.ts';
import { silentLog } from '../ports/log.ts';
import { systemRandom } from '../ports/random.ts';
import type { StoreHarness } from './conformance.suite.ts';
import type { Store } from './contract.ts';
import { type EtcdServer, skipWithoutEtcd, startEtcd } from './etcd/etcd.kit.ts';
import { openEtcdStore } from './etcd/store.ts';
import { FileStore } from './file/store.ts';
import { MemoryStore } from './memory/store.ts';
import { SqliteStore } from './sqlite/store.ts';

interface AvailableStore {
  readonly name: string;
  readonly harness: StoreHarness;
  /** Number of random histories that take a few seconds on this store. */
  readonly runs: number;
}

/** Builds a harness from functions that create the location of a store, open it, and remove the location. */
function harnessOf<Place>(parts: {
  make(): Place;
  open(place: Place): Promise<Store>;
  remove(place: Place): void;
}): StoreHarness {
  const opened = new Map<Store, Place>();
  const openAt = async (place: Place) => {
    const store = await parts.open(place);
    opened.set(store, place);
    return store;
  };
  return {
    create: () => openAt(parts.make()),
    connect: async (store) => openAt(opened.get(store) as Place),
    async cleanup() {
      for (const store of opened.keys()) await store.close();
      for (const place of new Set(opened.values())) parts.remove(place);
      opened.clear();
    },
  };
}

const scratch = (kind: string) => mkdtempSync(join(tmpdir(), `ecsm-${kind}-`));
const discard = (directory: string) => rmSync(directory, { recursive: true, force: true });

export const memoryHarness = harnessOf({
  make: () => new MemoryStore(),
  // Every user of the object is a client.
  open: async (store) => store,
  remove: () => {},
});

export const sqliteHarness = harnessOf({
  make: () => scratch('sqlite'),
  open: (directory) => SqliteStore.open({ directory }),
  remove: discard,
});

export const fileHarness = harnessOf({
  make: () => scratch('file'),
  open: async (directory) => FileStore.open({ directory }),
  remove: discard,
});

/** One server for a test file, one prefix for a store. To be called at the top of a test file. */
export function etcdHarness(): StoreHarness {
  let server: EtcdServer | undefined;
  let prefixes = 0;
  beforeAll(async () => {
    server = await startEtcd();
  });
  afterAll(() => server?.stop());
  return harnessOf({
    make: () => `test${++prefixes}`,
    open: (prefix) =>
      openEtcdStore({
        endpoints: [server?.endpoint ?? ''],
        prefix,
        clock: systemClock,
        random: systemRandom,
        log: silentLog,
      }),
    remove: () => {},
  });
}

/** To be called at the top of a test file. Without etcd it prints so, and the others are tested. */
export function availableStores(): AvailableStore[] {
  return [
    { name: 'memory', harness: memoryHarness, runs: 300 },
    { name: 'sqlite', harness: sqliteHarness, runs: 100 },
    { name: 'file', harness: fileHarness, runs: 25 },
    ...(skipWithoutEtcd() ? [] : [{ name: 'etcd', harness: etcdHarness(), runs: 50 }]),
  ];
}
