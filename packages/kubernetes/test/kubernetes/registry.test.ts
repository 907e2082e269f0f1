import { registryRules } from '../../../runtime/src/registry/registry.suite.ts';
import { realHarness } from './registries.kit.ts';

registryRules('registry on kube-apiserver', realHarness());
