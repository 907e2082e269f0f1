/** Registries as tests want them: embedded on a store, and one that has no capability, as a server elsewhere may be. */
import type { StoreHarness } from '../store/conformance.suite.ts';
import type { Capabilities, Registry, WriteObserver } from './contract.ts';
import { EmbeddedRegistry } from './embedded.ts';
import type { RegistryHarness } from './registry.suite.ts';

export function embeddedHarness(stores: StoreHarness): RegistryHarness {
  return {
    capabilities: ['fencing', 'multiKey', 'encoded', 'history', 'garbage', 'storage'],
    create: async (options) => new EmbeddedRegistry({ store: await stores.create(), ...options }),
    async damage(registry, key, text) {
      const { store } = registry as EmbeddedRegistry;
      await store.commit([{ type: 'put', key, value: new TextEncoder().encode(text) }]);
    },
    cleanup: () => stores.cleanup(),
  };
}

export function bareHarness(stores: StoreHarness): RegistryHarness {
  const embedded = embeddedHarness(stores);
  return {
    capabilities: [],
    create: async (options) => bare(await embedded.create(options)),
    damage: undefined,
    cleanup: embedded.cleanup,
  };
}

const none: Capabilities = {
  fencing: undefined,
  multiKey: undefined,
  encoded: undefined,
  history: undefined,
  garbage: undefined,
  storage: undefined,
};

/** The contract and nothing beyond it. */
export function bare(registry: Registry): Registry {
  const { kinds, clock, random } = registry;
  return {
    kinds,
    clock,
    random,
    capabilities: none,
    resource: (kind) => registry.resource(kind),
    locate: (key) => registry.locate(key),
    isNewer: (version, than) => registry.isNewer(version, than),
    checkFence: async () => {},
    observedBy: (observer: WriteObserver) => bare(registry.observedBy(observer)),
    close: () => registry.close(),
  };
}
