/**
 * Detects from the records of the registry whether an operator uses it. With `--leader-elect` that is a lease, which the
 * leader renews; without, a record that is written at the start and deleted at the end. Their holder is `HOST_PID_UUID`.
 */
import { duration, type Terminal } from '@ecsm/command-line';
import { leaseName, OperatorIdentity, observationName, presenceName } from '@ecsm/operator/kinds';
import { isApiError, Lease, type ObjectOf, type Registry, sleep, timeMsOf } from '@ecsm/runtime';

type LeaseSpec = ObjectOf<typeof Lease>['spec'];

type OperatorPresence =
  /** Nothing indicates that none runs. */
  | { readonly is: 'assumed' }
  /** It has ended: its lease was released or is not renewed, or its process does not exist. */
  | { readonly is: 'stopped'; readonly message: string }
  /** There is no record: it was stopped in order. */
  | { readonly is: 'none'; readonly message: string }
  /** None has ever used the registry, or one is being started for the first time. */
  | { readonly is: 'never'; readonly message: string };

type Observer = Pick<Terminal, 'clock' | 'machine'>;

/** A leader renews its lease several times in its duration. Clocks of machines may differ by this time. */
const clockSkewMsMax = 60_000;
const leaseSecondsDefault = 15;

export async function operatorPresence(registry: Registry, observer: Observer): Promise<OperatorPresence> {
  const [lease, record] = await Promise.all([leaseNamed(registry, leaseName), leaseNamed(registry, presenceName)]);
  // Without a readable record nothing is known about the operator.
  if (lease === 'unreadable' || record === 'unreadable') return { is: 'assumed' };
  const problems = [lease, record].flatMap((one) => (one === undefined ? [] : [problemOf(one, observer)]));
  if (problems.length === 0) {
    return (await hasIdentity(registry))
      ? { is: 'none', message: 'no operator seems to be running' }
      : { is: 'never', message: 'no operator has ever used this registry' };
  }
  const [first] = problems;
  if (first === undefined || problems.includes(undefined)) return { is: 'assumed' };
  return { is: 'stopped', message: `no operator seems to be running: ${first}` };
}

/** A warning if an operator was there and has ended. */
export async function missingOperatorWarning(registry: Registry, observer: Observer): Promise<string | undefined> {
  const presence = await operatorPresence(registry, observer);
  return presence.is === 'stopped' ? presence.message : undefined;
}

/** A warning if no operator has ever used the registry: it may be another one than that of the operator. */
export function unusedRegistryText({ message }: OperatorPresence & { readonly is: 'never' }, url: string): string {
  return `${message}: start one with --registry ${url}, or name the registry of yours`;
}

type Warner = { readonly registry: Registry; readonly warn: (text: string) => void };

export async function warnWithoutOperator({ registry, warn }: Warner, observer: Observer): Promise<void> {
  const presence = await operatorPresence(registry, observer);
  if (presence.is !== 'assumed') warn(`${presence.message}; nothing changes until ecsm-operator is started`);
}

/** An operator that is being started or restarted has no record, and one that is part of another program never has. */
const startMsMax = 10_000;

/**
 * For commands that wait for the operator: warns once while `work` runs, if the operator has ended, ends, or does not
 * start. Before `timeoutMs` of the command.
 */
export async function warningWithoutOperator<T>(
  warner: Warner,
  terminal: Observer,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const watching = async () => {
    let wasMissing = false;
    while (!end.signal.aborted) {
      const { is } = await operatorPresence(warner.registry, terminal);
      const isMissing = is === 'none' || is === 'never';
      if (is === 'stopped' || (isMissing && wasMissing)) return warnWithoutOperator(warner, terminal);
      wasMissing = isMissing;
      await sleep(terminal.clock, Math.min(startMsMax, timeoutMs / 2), end.signal);
    }
  };
  // The work reports what is wrong with the registry.
  const watched = watching().catch(() => {});
  try {
    return await work();
  } finally {
    end.abort();
    await watched;
  }
}

/** An operator creates its identity when it is first started, and keeps it. */
async function hasIdentity(registry: Registry): Promise<boolean> {
  try {
    return (await registry.resource(OperatorIdentity).list({ limit: 1 })).items.length > 0;
  } catch (error) {
    if (isApiError(error)) return true;
    throw error;
  }
}

/** When an operator last recorded that it has observed the platform. */
export async function recordedObservationMs(registry: Registry): Promise<number | undefined> {
  const record = await leaseNamed(registry, observationName);
  const { renewTime } = record === undefined || record === 'unreadable' ? {} : record;
  return renewTime === undefined ? undefined : timeMsOf(renewTime);
}

async function leaseNamed(registry: Registry, name: string): Promise<LeaseSpec | 'unreadable' | undefined> {
  try {
    return (await registry.resource(Lease).get(name)).spec;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    if (isApiError(error)) return 'unreadable';
    throw error;
  }
}

/** Undefined: its holder may be running. */
function problemOf(
  { holderIdentity, renewTime, leaseDurationSeconds = leaseSecondsDefault }: LeaseSpec,
  { clock, machine }: Observer,
): string | undefined {
  const renewedMs = renewTime === undefined ? undefined : timeMsOf(renewTime);
  const sinceMs = renewedMs === undefined ? undefined : clock.now() - renewedMs;
  const seen = sinceMs === undefined ? '' : `it was last seen ${duration(Math.max(sinceMs, 0))} ago`;
  if (!holderIdentity) return `the lease "${leaseName}" has no holder`;
  const [, host, processId] = /^(.+)_(\d+)_[^_]+$/.exec(holderIdentity) ?? [];
  if (host === machine.hostname && processId !== undefined && !machine.isRunning(Number(processId))) {
    return `its process ${processId} has ended${seen === '' ? '' : `, ${seen}`}`;
  }
  if (sinceMs === undefined || sinceMs <= leaseDurationSeconds * 1000 + clockSkewMsMax) return undefined;
  return seen;
}
