/** Whether an operator works on a registry, as far as the registry can tell. */
import { leaseName } from '@ecsm/operator/kinds';
import { isApiError, Lease, type Registry } from '@ecsm/runtime';

/**
 * A sentence if it looks as if none did; nothing if one may, or if nobody knows: most operators run without a lease. The
 * times in a lease are compared with no clock of ours, so one that was let go of is the only sign.
 */
export async function missingOperator(registry: Registry): Promise<string | undefined> {
  try {
    const { spec } = await registry.resource(Lease).get(leaseName);
    if (spec.holderIdentity !== '') return undefined;
    return `no operator seems to be running: nobody holds the lease "${leaseName}"`;
  } catch (error) {
    // No lease, or one that cannot be read: nothing is known, and nobody has asked.
    if (isApiError(error)) return undefined;
    throw error;
  }
}
