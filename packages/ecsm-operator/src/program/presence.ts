/**
 * Detects another operator on the same registry when at least one of them does not use leader election: both would act on
 * the platform concurrently.
 *
 * An operator without `--leader-elect` writes its identity into one record when it starts, and watches that record. One
 * that is already running receives the new identity, warns, and writes its own; the new one receives that and warns too. So
 * an operator is only reported if it is running, on any machine, and nothing is written at rest. The last writer removes the
 * record when it stops; an operator that still runs then writes it again, because tools conclude from a missing record that
 * none runs. The lease of operators with `--leader-elect` is watched as well: a holder that renews it is running.
 */
import { Controller, isApiError, keyOf, Lease, type Log, type Registry, type Runnable } from '@ecsm/runtime';
import { presenceName } from '../apis/well-known.ts';

interface PresenceOptions {
  /** Of this process: `host_pid_uuid`. */
  readonly identity: string;
  /** Of the lease of operators that elect a leader. */
  readonly leaseName: string;
  readonly log: Log;
}

const namespace = 'default';
/** A process that restarts without end has a new identity each time. */
const knownMax = 1_000;

/** Never fails: an operator that cannot write the record works without it. */
export function presence({ identity, leaseName, log }: PresenceOptions): Runnable {
  const known = new Set<string>();
  /** Before that the record may be of a process that has ended. */
  let hasAnnounced = false;
  let mustAnnounce = true;
  /** The version of the lease at the first read: its writer may have ended. */
  let leaseVersion: string | undefined;

  const warn = (other: string) => {
    if (known.size >= knownMax) known.clear();
    known.add(other);
    const message =
      'another operator uses this registry, and they act against each other: stop one, or start both with --leader-elect';
    log.write('warn', message, { other, identity });
  };

  const announce = async (registry: Registry, found: LeaseObject | undefined) => {
    const leases = leasesOf(registry);
    const spec = { holderIdentity: identity, leaseDurationSeconds: 1, leaseTransitions: 0 };
    if (found) await leases.update({ ...found, spec });
    else await leases.create({ metadata: { name: presenceName, namespace }, spec });
    hasAnnounced = true;
    mustAnnounce = false;
  };

  const controller = new Controller({
    name: 'presence',
    kind: Lease,
    namespace,
    log,
    reconcile: async ({ name }, { get, registry }) => {
      if (name !== presenceName && name !== leaseName) return;
      const found = await get();
      const { holderIdentity = '' } = found?.spec ?? {};
      const isOther = holderIdentity !== '' && holderIdentity !== identity && !known.has(holderIdentity);
      if (name === presenceName) {
        if (hasAnnounced && isOther) {
          warn(holderIdentity);
          mustAnnounce = true;
        }
        if (mustAnnounce || found === undefined) await announce(registry, found);
        return;
      }
      const version = found?.metadata.resourceVersion;
      if (leaseVersion !== undefined && version !== leaseVersion && isOther) warn(holderIdentity);
      leaseVersion ??= version;
    },
  });

  return {
    name: 'presence',
    needsLeader: false,
    async run(context) {
      const running = controller.run(context);
      controller.queue?.add(keyOf(Lease, namespace, presenceName), { reason: 'started' });
      await running;
      await withdraw(context.registry, identity);
    },
  };
}

type LeaseObject = Awaited<ReturnType<ReturnType<typeof leasesOf>['get']>>;

function leasesOf(registry: Registry) {
  return registry.resource(Lease);
}

/** Removes the record, unless another operator has written it since. */
async function withdraw(registry: Registry, identity: string): Promise<void> {
  const leases = leasesOf(registry);
  try {
    const { spec, metadata } = await leases.get(presenceName, { namespace });
    if (spec.holderIdentity !== identity) return;
    await leases.delete(presenceName, { namespace, resourceVersion: metadata.resourceVersion });
  } catch (error) {
    if (!isApiError(error)) throw error;
  }
}
