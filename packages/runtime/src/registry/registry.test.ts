import { availableStores, memoryHarness } from '../store/stores.kit.ts';
import { bareHarness, embeddedHarness } from './registries.kit.ts';
import { registryRules } from './registry.suite.ts';

for (const { name, harness } of availableStores()) {
  registryRules(`registry on the ${name} store`, embeddedHarness(harness));
}
registryRules('registry without capabilities', bareHarness(memoryHarness));
