/**
 * Reads and writes the Lease for one candidate, always with the version that was read as precondition. A write without a
 * response may have happened: the next read recognizes the claim by its content.
 */
import { isApiError } from '../api/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Registry } from '../registry/contract.ts';
import { claimed, type Holder, Lease, type LeaseObject, type LeaseSpec, released, renewed } from './lease.ts';

interface LeaseLockOptions extends Holder {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly name: string;
  readonly namespace: string;
}

type Leases = ReturnType<typeof leasesOf>;

export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #leases: Leases;
  /** The last claim that was sent, whether or not there was a response. */
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

  /** Whether this is our claim, and not one of another process or of an earlier start with the same identity. */
  isMine({ spec }: LeaseObject): boolean {
    const claim = this.#claim;
    return (
      claim !== undefined &&
      spec.holderIdentity === claim.holderIdentity &&
      spec.acquireTime === claim.acquireTime &&
      spec.leaseTransitions === claim.leaseTransitions
    );
  }

  /** Takes over the lease at the version that was read. Returns undefined after a write conflict. */
  async claim(found: LeaseObject | undefined): Promise<LeaseObject | undefined> {
    const { name, namespace, clock } = this.#options;
    const spec = claimed(found?.spec, this.#options, clock.now());
    this.#claim = spec;
    this.#held = await undefinedOnConflict(
      found ? this.#leases.update({ ...found, spec }) : this.#leases.create({ metadata: { name, namespace }, spec }),
    );
    return this.#held;
  }

  /**
   * Returns false if the lease is not ours any more. Any other failure throws, and may have renewed it nevertheless. It
   * uses the leader's fenced registry: a leader without its fence could not write anything else either.
   */
  async renew(fenced: Registry): Promise<boolean> {
    const leases = leasesOf(fenced);
    try {
      if (this.#held && (await this.#write(leases, this.#held, renewed))) return true;
      // The version has changed: a response was lost, a label was edited, or another candidate took over.
      const found = await this.read();
      return found !== undefined && this.isMine(found) && (await this.#write(leases, found, renewed));
    } catch (error) {
      if (isApiError(error, 'Fenced')) return false;
      throw error;
    }
  }

  /** Releases the lease if it is ours. */
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
    const written = await undefinedOnConflict(leases.update({ ...found, spec }));
    if (written) this.#held = written;
    return written !== undefined;
  }
}

function leasesOf(registry: Registry) {
  return registry.resource(Lease);
}

async function undefinedOnConflict(write: Promise<LeaseObject>): Promise<LeaseObject | undefined> {
  try {
    return await write;
  } catch (error) {
    if (isApiError(error, 'Conflict') || isApiError(error, 'AlreadyExists') || isApiError(error, 'NotFound')) {
      return undefined;
    }
    throw error;
  }
}
