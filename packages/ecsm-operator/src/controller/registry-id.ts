/** The id of a registry, created on first use. */
import { isApiError, type Registry } from '@ecsm/runtime';
import { OperatorIdentity } from '../apis/operator-identity.ts';

/** The name of the only object. */
export const identityName = 'registry';
/** It is never removed, so that a deletion by mistake has no effect. */
const finalizer = 'ecsm.sh/keeps-ownership';

/** Stable: every caller gets the same id. */
export async function registryIdOf(registry: Registry): Promise<string> {
  const known = await readRegistryId(registry);
  if (known !== undefined) return known;
  try {
    const metadata = { name: identityName, finalizers: [finalizer] };
    const made = await registry.resource(OperatorIdentity).create({ metadata, spec: { id: registry.random.uuid() } });
    return made.spec.id;
  } catch (error) {
    // Another process created it first.
    if (!isApiError(error, 'AlreadyExists')) throw error;
    return (await registry.resource(OperatorIdentity).get(identityName)).spec.id;
  }
}

/** Returns undefined if it was not created yet. */
export async function readRegistryId(registry: Registry): Promise<string | undefined> {
  try {
    return (await registry.resource(OperatorIdentity).get(identityName)).spec.id;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
