import { storeConformance } from '../conformance.suite.ts';
import type { Store } from '../contract.ts';
import { MemoryStore } from './store.ts';

const opened: Store[] = [];

storeConformance('memory', {
  async create() {
    const store = new MemoryStore();
    opened.push(store);
    return store;
  },
  // Whoever holds the object is a client.
  connect: async (store) => store,
  async cleanup() {
    for (const store of opened.splice(0)) await store.close();
  },
});
