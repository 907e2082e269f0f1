import { availableStores } from '../store/stores.kit.ts';
import { registryRules } from './registry.suite.ts';

for (const { name, harness } of availableStores()) registryRules(name, harness);
