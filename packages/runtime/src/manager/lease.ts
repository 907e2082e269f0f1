/**
 * The kind Lease of Kubernetes: the current leader and its last renewal. Its times are informative only and never
 * compared with a clock, because the clocks of two machines may differ by hours. Candidates observe changes of the record
 * instead. Leases of other programs, such as client-go, may lack any field.
 */
import { defineKind, type ObjectOf } from '../api/kind.ts';
import { microTimestamp } from '../api/names.ts';
import { integer, number, object, optional, string, withDefault } from '../api/schema/build.ts';
import type { Infer } from '../api/schema/schema.ts';
import { microTimestampAt } from './precise-timestamp.ts';

/** The longest lease of an election here: a longer one would delay the fail-over after a crash by hours. */
export const LEASE_SECONDS_MAX = 3600;
/** For a lease that does not state its duration. */
const leaseSecondsDefault = 15;
/** `setTimeout` fires at once after a longer delay. Kubernetes accepts leases of any duration. */
const leaseMsMax = 2 ** 31 - 1;

const leaseSpec = object({
  holderIdentity: optional(string({ maxLength: 253, description: 'Identity of the leader; empty if there is none.' })),
  leaseDurationSeconds: optional(
    number({
      minimum: 0.001,
      maximum: 2 ** 31 - 1,
      description:
        'How long the record must stay unchanged before another candidate may take over. Kubernetes accepts integers only.',
    }),
  ),
  acquireTime: optional(microTimestamp({ description: 'Time at which the holder took over, by its own clock.' })),
  renewTime: optional(microTimestamp({ description: 'Time of the last renewal, by the clock of the holder.' })),
  leaseTransitions: optional(
    integer({ minimum: 0, description: 'Number of times that the lease has changed its holder.' }),
  ),
  strategy: optional(string({ description: 'Strategy of a coordinated leader election. Not used here.' })),
  preferredHolder: optional(
    string({ description: 'Candidate to which a coordinated leader election gives the lease. Not used here.' }),
  ),
});

export type LeaseSpec = Infer<typeof leaseSpec>;

export const Lease = defineKind({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  names: 'subdomain',
  description: 'The leader among several candidate processes.',
  spec: withDefault(leaseSpec, {}),
  columns: [
    { name: 'HOLDER', path: 'spec.holderIdentity' },
    { name: 'RENEWED', path: 'spec.renewTime', wide: true },
    { name: 'TRANSITIONS', path: 'spec.leaseTransitions', wide: true },
  ],
});

export type LeaseObject = ObjectOf<typeof Lease>;

export interface Holder {
  readonly identity: string;
  readonly leaseMs: number;
}

/** How long the record must stay unchanged before another candidate may take over. */
export function leaseMsOf({ leaseDurationSeconds = leaseSecondsDefault }: LeaseSpec): number {
  return Math.min(leaseDurationSeconds * 1000, leaseMsMax);
}

/** The spec of a lease that is taken over. */
export function claimed(before: LeaseSpec | undefined, { identity, leaseMs }: Holder, nowMs: number): LeaseSpec {
  const time = laterTime(before?.renewTime, nowMs);
  return {
    ...before,
    holderIdentity: identity,
    leaseDurationSeconds: leaseMs / 1000,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: before === undefined ? 0 : (before.leaseTransitions ?? 0) + 1,
  };
}

export function renewed(before: LeaseSpec, nowMs: number): LeaseSpec {
  return { ...before, renewTime: laterTime(before.renewTime, nowMs) };
}

/** Without a holder, so that the next candidate need not wait. */
export function released(before: LeaseSpec, nowMs: number): LeaseSpec {
  return { ...renewed(before, nowMs), holderIdentity: '' };
}

/** A clock that was set back may return the same time twice, and an update without a difference is not written. */
function laterTime(before: string | undefined, nowMs: number): string {
  const time = microTimestampAt(nowMs);
  return time === before ? microTimestampAt(nowMs + 1) : time;
}
