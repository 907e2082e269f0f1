/**
 * One suite that every registry passes. It uses the contract alone. What needs a capability runs where the harness has it;
 * elsewhere it is reported as skipped, with the name of the capability.
 */
import { describe } from 'vitest';
import { applyRules } from './suite/apply.suite.ts';
import { capabilityRules } from './suite/capabilities.suite.ts';
import { createRules } from './suite/create.suite.ts';
import { deleteRules } from './suite/delete.suite.ts';
import { encodedRules } from './suite/encoded.suite.ts';
import { kindRules } from './suite/kinds.suite.ts';
import { listRules } from './suite/list.suite.ts';
import { type RegistryHarness, registrySuite } from './suite/suite.kit.ts';
import { updateRules } from './suite/update.suite.ts';
import { watchRules } from './suite/watch.suite.ts';

export type { RegistryHarness };

export function registryRules(name: string, harness: RegistryHarness): void {
  describe(name, () => {
    const suite = registrySuite(harness);
    kindRules(suite);
    createRules(suite);
    updateRules(suite);
    applyRules(suite);
    deleteRules(suite);
    listRules(suite);
    watchRules(suite);
    capabilityRules(suite);
    encodedRules(suite);
  });
}
