/**
 * One candidate's hand on the Lease: reads it, and writes it only against the version that was read. A write without
 * an answer may have happened; a claim is known again by what it says, so that is found out by looking.
 */
import { isApiError } from '../api/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Registry } from '../registry/contract.ts';
import { claimed, type Holder, Lease, type LeaseObject, type LeaseSpec, released, renewed } from './lease.ts';

export interface LeaseLockOptions extends Holder {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly name: string;
  readonly namespace: string;
}

type Leases = ReturnType<typeof leasesOf>;

export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #leases: Leases;
  /** What we last claimed to be, whether or not the answer came. */
  #claim: LeaseSpec | undefined;
  #held: LeaseObject | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#leases = leasesOf(options.registry);
  }

  async read(): Promise<LeaseObject | undefined> {
    const { name, namespace } = this.#options;
    try {
      return await this.#leases.get(name, { namespace });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Whether this is our claim, and not one of another process or of a former life under the same name. */
  isMine({ spec }: LeaseObject): boolean {
    const claim = this.#claim;
    return (
      claim !== undefined &&
      spec.holderIdentity === claim.holderIdentity &&
      spec.acquireTime === claim.acquireTime &&
      spec.leaseTransitions === claim.leaseTransitions
    );
  }

  /** Takes the lease over as it was found. Nothing if another was quicker. */
  async claim(found: LeaseObject | undefined): Promise<LeaseObject | undefined> {
    const { name, namespace, clock } = this.#options;
    const spec = claimed(found?.spec, this.#options, clock.now());
    this.#claim = spec;
    this.#held = await overtakenAsNothing(
      found ? this.#leases.update({ ...found, spec }) : this.#leases.create({ metadata: { name, namespace }, spec }),
    );
    return this.#held;
  }

  /**
   * False if the lease is not ours any more. Any other failure throws, and may have renewed it all the same. Goes through
   * the leader's own registry: a leader whose fence is gone, however that came to be, could write nothing else either.
   */
  async renew(fenced: Registry): Promise<boolean> {
    const leases = leasesOf(fenced);
    try {
      if (this.#held && (await this.#write(leases, this.#held, renewed))) return true;
      // The version is not the one we know: an answer of ours was lost, somebody set a label, or somebody took over.
      const found = await this.read();
      return found !== undefined && this.isMine(found) && (await this.#write(leases, found, renewed));
    } catch (error) {
      if (isApiError(error, 'Fenced')) return false;
      throw error;
    }
  }

  /** Lets go of the lease if it is ours; else does nothing. */
  async release(): Promise<void> {
    const found = this.#claim && (await this.read());
    if (found && this.isMine(found)) await this.#write(this.#leases, found, released);
    this.#claim = undefined;
    this.#held = undefined;
  }

  async #write(
    leases: Leases,
    found: LeaseObject,
    change: (spec: LeaseSpec, nowMs: number) => LeaseSpec,
  ): Promise<boolean> {
    const spec = change(found.spec, this.#options.clock.now());
    const written = await overtakenAsNothing(leases.update({ ...found, spec }));
    if (written) this.#held = written;
    return written !== undefined;
  }
}

function leasesOf(registry: Registry) {
  return registry.resource(Lease);
}

async function overtakenAsNothing(write: Promise<LeaseObject>): Promise<LeaseObject | undefined> {
  try {
    return await write;
  } catch (error) {
    if (isApiError(error, 'Conflict') || isApiError(error, 'AlreadyExists') || isApiError(error, 'NotFound')) {
      return undefined;
    }
    throw error;
  }
}
