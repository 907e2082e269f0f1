/**
 * The names of cluster DNS: services and the pods of headless ones. The name of any service stands for the addresses of
 * its pods, so its port has to be their port.
 */
import { Pod, Service } from '@ecsm/kubernetes';
import { type Clock, type Informers, type Log, labelSelectorOf, matchesLabels, type Registry } from '@ecsm/runtime';
import { clusterNames, type HostsEntry, type HostsFile } from './hosts.ts';

/** Pure: the entries of all services. */
export function hostsEntries(pods: readonly Pod[], services: readonly Service[]): readonly HostsEntry[] {
  return services.flatMap(({ metadata: { name, namespace }, spec }) => {
    const { selector, publishNotReadyAddresses = false } = spec;
    if (selector === undefined) return [];
    const labels = labelSelectorOf({ matchLabels: selector });
    const published = pods.filter(
      (pod) =>
        pod.metadata.namespace === namespace &&
        matchesLabels(labels, pod.metadata.labels) &&
        (publishNotReadyAddresses || isReady(pod)),
    );
    return published.flatMap(({ status, spec: { hostname, subdomain } }): HostsEntry[] => {
      const address = status?.podIP;
      if (address === undefined) return [];
      const service = `${name}.${namespace}`;
      const own = hostname !== undefined && subdomain === name ? clusterNames(`${hostname}.${service}`) : [];
      return [{ address, names: [...own, ...clusterNames(service)] }];
    });
  });
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

interface PublishOptions {
  readonly registry: Registry;
  readonly informers: Informers;
  readonly hosts: HostsFile;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Changes within this time are written together. */
const collectMs = 10;
const retryMs = 1_000;

/** Writes the hosts file after each change of a pod or service, until the signal aborts. */
export async function publishNames(options: PublishOptions): Promise<void> {
  const { registry, informers, hosts, clock, log, signal } = options;
  let cancel: (() => void) | undefined;
  let isWriting = false;
  const schedule = (delayMs: number) => {
    if (signal.aborted || cancel !== undefined) return;
    cancel = clock.after(delayMs, () => {
      cancel = undefined;
      if (isWriting) return schedule(delayMs);
      isWriting = true;
      void write().finally(() => {
        isWriting = false;
      });
    });
  };
  const write = async () => {
    try {
      const pods = await registry.resource(Pod).list();
      const services = await registry.resource(Service).list();
      if (!signal.aborted) hosts.write(hostsEntries(pods.items, services.items));
    } catch (error) {
      if (signal.aborted) return;
      log.write('warn', 'names not published; retrying', { error: String(error) });
      schedule(retryMs);
    }
  };
  const used = [informers.use(Pod), informers.use(Service)];
  const forget = used.map(({ informer }) => informer.addHandler(() => schedule(collectMs)));
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  cancel?.();
  for (const each of forget) each();
  await Promise.all(used.map(({ release }) => release()));
}
