/**
 * Records that are valid only in one registry: leases, which name the leader, and fences, which depend on the revision
 * that they were written at. With a copied lease all candidates would wait for a leader that does not exist. An absent
 * fence refuses every former leader, a copied one might accept one.
 *
 * Everything else is transferred, in particular the registry's identity, which marks its services on the platform.
 */
import { isFenceKey } from '../registry/keys.ts';

/** Any version of the kind. The module that defines it may not be imported here; a test compares the two. */
const leaseKey = /^coordination\.k8s\.io\/[^/]+\/leases\//u;

export interface LeadershipOption {
  /**
   * Whether leases and fences are transferred too. Default `leave out`: the controllers of the target elect a new leader.
   * `carry over` creates an exact copy, for inspection only; no controller should run on it.
   */
  readonly leadership?: 'leave out' | 'carry over';
}

export function isLeadershipKey(key: string): boolean {
  return isFenceKey(key) || leaseKey.test(key);
}

/** Whether a record is transferred. */
export function isCarried(key: string, { leadership = 'leave out' }: LeadershipOption): boolean {
  return leadership === 'carry over' || !isLeadershipKey(key);
}
