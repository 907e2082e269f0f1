/**
 * What is rendered has to come back the same: if an unchanged service showed a difference, the operator would
 * update it for ever. Random services, on platforms that take either side of every guess.
 */
import { repetitions } from '@ecsm/runtime/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differences } from './differences.ts';
import { platformOf, registryId, rendered, revisionOf, withoutWaiting } from './platform.kit.ts';
import { anySpec } from './specs.kit.ts';

const numRuns = repetitions({ test: 100, thorough: 300 });

describe.each(['likely', 'contrary'] as const)('on a %s platform', (profile) => {
  it('a service that was created or updated has no differences, and is marked', async () => {
    // Random limits may exceed the nodes, which is not of interest here.
    const { manager, simulator } = platformOf({ ...withoutWaiting(profile), outOfMemory: 'overcommit' });
    const namespaces = fc.constantFrom('default', 'ground');
    let count = 0;
    await fc.assert(
      fc.asyncProperty(anySpec, anySpec, namespaces, async (spec, changed, namespace) => {
        const metadata = { name: `worker-${++count}`, namespace };
        const body = rendered({ metadata, spec });
        const { id } = await manager.create(body);
        const [created, ...others] = await manager.find(body.name);
        expect(others).toEqual([]);
        if (created === undefined) return expect.fail();
        expect(differences(body, created.detail)).toEqual([]);
        const { hash: revision } = revisionOf({ metadata, spec });
        expect(created.mark).toEqual({ registry: registryId, ...metadata, uid: 'uid-1', revision });

        const next = rendered({ metadata, spec: changed });
        await manager.update(id, next);
        const [updated] = await manager.find(body.name);
        if (updated === undefined) return expect.fail();
        expect(differences(next, updated.detail)).toEqual([]);
        // Two different specs are two different services, unless they render to the same body.
        const isSame = JSON.stringify(body) === JSON.stringify({ ...next, prepull: body.prepull });
        expect(differences(body, updated.detail).length > 0 || isSame).toBe(true);
        await manager.delete(updated.id);
      }),
      { numRuns, seed: 5 },
    );
    expect(simulator.platform.services()).toEqual([]);
  });
});
