/**
 * What belongs to the processes at work on one registry and means nothing in another: leases, which say who leads, and
 * fences, whose meaning is the revision that they were written at. A copied lease would make everybody wait for a
 * leader that is not there; a fence that is absent shuts out every former leader, a copied one might let one in.
 *
 * Everything else is carried over, above all the registry's identity, by which it knows its services on the platform.
 */
import { isFenceKey } from '../registry/keys.ts';

/** Any version of the kind. The room that defines it stands above this one; a test compares the two. */
const leaseKey = /^coordination\.ecsm\.sh\/[^/]+\/leases\//u;

export interface LeadershipOption {
  /**
   * Whether leases and fences are transferred too. Default `leave out`: whoever works on the target elects its leader
   * anew. `carry over` makes an exact copy, for looking at; nobody should work on that.
   */
  readonly leadership?: 'leave out' | 'carry over';
}

export function isLeadershipKey(key: string): boolean {
  return isFenceKey(key) || leaseKey.test(key);
}

/** Whether a record goes along. */
export function isCarried(key: string, { leadership = 'leave out' }: LeadershipOption): boolean {
  return leadership === 'carry over' || !isLeadershipKey(key);
}
