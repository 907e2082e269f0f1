/**
 * Records when the platform was last observed, for tools. The status of services is written only when it changes, so it does
 * not say how old it is, and a record that is written only at the start does not show that the operator has ended since.
 *
 * The record is a small Lease, at most one write a minute. With a slower observation it is written after each one.
 */
import { isApiError, Lease, type Log, type Registry, type Runnable, sleep, timestampAt } from '@ecsm/runtime';
import { observationName } from '../apis/well-known.ts';

interface ObservationOptions {
  /** Of this process: `host_pid_uuid`. */
  readonly identity: string;
  /** Time of day of the last complete observation. */
  readonly observedMs: () => number | undefined;
  /** Maximum interval between observations. */
  readonly observeMs: number;
  readonly log: Log;
}

const namespace = 'default';
/** Shorter than the default interval between observations, so that each of those is recorded. */
const recordMs = 50_000;
const checkMs = 5_000;

/** Never fails: what cannot be recorded now is recorded after the next observation. */
export function observation({ identity, observedMs, observeMs, log }: ObservationOptions): Runnable {
  return {
    name: 'observation',
    async run({ registry, signal }) {
      let recordedMs = Number.NEGATIVE_INFINITY;
      while (!signal.aborted) {
        const atMs = observedMs();
        // A clock that was set back does not stop the records.
        if (atMs !== undefined && Math.abs(atMs - recordedMs) >= recordMs) {
          recordedMs = atMs;
          await record(registry, { identity, atMs, observeMs }, log);
        }
        await sleep(registry.clock, checkMs, signal);
      }
    },
  };
}

interface Observation {
  readonly identity: string;
  readonly atMs: number;
  readonly observeMs: number;
}

async function record(registry: Registry, { identity, atMs, observeMs }: Observation, log: Log): Promise<void> {
  const leases = registry.resource(Lease);
  const spec = {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(observeMs / 1000),
    leaseTransitions: 0,
    renewTime: timestampAt(atMs).replace(/(\.\d+)?Z$/, '.000000Z'),
  };
  try {
    const metadata = { name: observationName, namespace };
    const found = await leases.get(observationName, { namespace }).catch((error: unknown) => {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    });
    if (found) await leases.update({ ...found, spec });
    else await leases.create({ metadata, spec });
  } catch (error) {
    if (!isApiError(error)) throw error;
    log.write('debug', 'the time of the observation could not be recorded', { error: error.message });
  }
}
