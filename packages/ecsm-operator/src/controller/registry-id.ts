/** The id of a registry, made the first time that somebody asks. */
import { isApiError, type Registry } from '@ecsm/runtime';
import { OperatorIdentity } from '../apis/operator-identity.ts';

const name = 'registry';
/** Nobody removes it, so a deletion by mistake leaves the object where it is. */
const finalizer = 'ecsm.sh/keeps-ownership';

/** The same for everybody who asks, now and later. */
export async function registryIdOf(registry: Registry): Promise<string> {
  const known = await readRegistryId(registry);
  if (known !== undefined) return known;
  try {
    const metadata = { name, finalizers: [finalizer] };
    const made = await registry.resource(OperatorIdentity).create({ metadata, spec: { id: registry.random.uuid() } });
    return made.spec.id;
  } catch (error) {
    // Somebody else was faster.
    if (!isApiError(error, 'AlreadyExists')) throw error;
    return (await registry.resource(OperatorIdentity).get(name)).spec.id;
  }
}

/** Nothing if nobody has asked for it yet. */
export async function readRegistryId(registry: Registry): Promise<string | undefined> {
  try {
    return (await registry.resource(OperatorIdentity).get(name)).spec.id;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
