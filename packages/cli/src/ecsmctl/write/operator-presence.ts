/** Detects from the lease whether an operator uses a registry. */
import { leaseName } from '@ecsm/operator/kinds';
import { isApiError, Lease, type Registry } from '@ecsm/runtime';

/**
 * Returns a warning if the lease was released, and undefined otherwise: an operator may run without a lease. Renew times
 * are not compared, because clocks differ.
 */
export async function missingOperatorWarning(registry: Registry): Promise<string | undefined> {
  try {
    const { spec } = await registry.resource(Lease).get(leaseName);
    if (spec.holderIdentity) return undefined;
    return `no operator seems to be running: the lease "${leaseName}" has no holder`;
  } catch (error) {
    // Without a readable lease nothing is known about the operator.
    if (isApiError(error)) return undefined;
    throw error;
  }
}
