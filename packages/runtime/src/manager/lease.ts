/**
 * The kind Lease: the current leader and its last renewal. Its times are informative only and never compared with a
 * clock, because the clocks of two machines may differ by hours. Candidates observe changes of the record instead.
 */
import { defineKind, type ObjectOf } from '../api/kind.ts';
import { timestamp } from '../api/names.ts';
import { integer, number, object, optional, string } from '../api/schema/build.ts';
import type { Infer } from '../api/schema/schema.ts';
import { preciseTimestampAt } from './precise-timestamp.ts';

/** A longer lease would delay the fail-over after a crash by hours. */
export const LEASE_SECONDS_MAX = 3600;

const leaseSpec = object({
  holderIdentity: string({ maxLength: 253, description: 'Identity of the leader; empty if there is none.' }),
  leaseDurationSeconds: number({
    minimum: 0.001,
    maximum: LEASE_SECONDS_MAX,
    description: 'How long the record must stay unchanged before another candidate may take over.',
  }),
  acquireTime: optional(timestamp({ description: 'Time at which the holder took over, by its own clock.' })),
  renewTime: optional(timestamp({ description: 'Time of the last renewal, by the clock of the holder.' })),
  leaseTransitions: integer({ minimum: 0, description: 'Number of times that the lease has changed its holder.' }),
});

export type LeaseSpec = Infer<typeof leaseSpec>;

export const Lease = defineKind({
  group: 'coordination.ecsm.sh',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  description: 'The leader among several candidate processes.',
  spec: leaseSpec,
  status: object({}),
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

/** The spec of a lease that is taken over. */
export function claimed(before: LeaseSpec | undefined, { identity, leaseMs }: Holder, nowMs: number): LeaseSpec {
  const time = laterTime(before?.renewTime, nowMs);
  return {
    holderIdentity: identity,
    leaseDurationSeconds: leaseMs / 1000,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: before === undefined ? 0 : before.leaseTransitions + 1,
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
  const time = preciseTimestampAt(nowMs);
  return time === before ? preciseTimestampAt(nowMs + 1) : time;
}
