/** The Node object: registered as ready, with a heartbeat, so that Kubernetes keeps its pods on it. */
import { Node } from '@ecsm/kubernetes';
import { type Clock, isApiError, type Log, type Registry, sleep, timestampAt } from '@ecsm/runtime';

interface NodeRegistration {
  readonly registry: Registry;
  readonly name: string;
  readonly address: string;
  readonly clock: Clock;
  readonly log: Log;
}

const notReadyTaint = 'node.kubernetes.io/not-ready';
const capacity = { cpu: '8', memory: '16Gi', pods: '250', 'ephemeral-storage': '100Gi' };

/** Creates the Node if it does not exist, and reports that it is ready. */
export async function registerNode(registration: NodeRegistration): Promise<void> {
  const { registry, name } = registration;
  const nodes = registry.resource(Node);
  try {
    await nodes.create({
      metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } },
      spec: {},
    });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
  await heartbeat(registration);
  const { spec } = await nodes.get(name);
  const taints = Array.isArray(spec.taints) ? spec.taints : [];
  const kept = taints.filter((taint) => taint?.key !== notReadyTaint);
  if (kept.length < taints.length) await nodes.patch(name, { spec: { taints: kept } });
}

/** Until the signal aborts. */
export async function keepReady(registration: NodeRegistration, everyMs: number, signal: AbortSignal): Promise<void> {
  const { clock, log } = registration;
  for (;;) {
    await sleep(clock, everyMs, signal);
    if (signal.aborted) return;
    try {
      await heartbeat(registration);
    } catch (error) {
      if (isApiError(error, 'NotFound')) await registerNode(registration).catch(() => {});
      else log.write('warn', 'heartbeat failed; retrying', { error: String(error) });
    }
  }
}

async function heartbeat({ registry, name, address, clock }: NodeRegistration): Promise<void> {
  const nodes = registry.resource(Node);
  const { metadata, status } = await nodes.get(name);
  const now = timestampAt(clock.now());
  const before = status?.conditions?.find(({ type }) => type === 'Ready');
  const ready = {
    type: 'Ready',
    status: 'True' as const,
    reason: 'KubeletReady',
    message: 'the process node is ready',
    lastTransitionTime: before?.status === 'True' ? (before.lastTransitionTime ?? now) : now,
    lastHeartbeatTime: now,
  };
  const next = {
    ...status,
    conditions: [...(status?.conditions ?? []).filter(({ type }) => type !== 'Ready'), ready],
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    capacity,
    allocatable: capacity,
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: '',
      kubeletVersion: 'v1.34.4',
      kubeProxyVersion: '',
      osImage: 'processes',
      kernelVersion: '',
      containerRuntimeVersion: 'process://1',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  };
  await nodes.updateStatus({ metadata, status: next });
}

/** Whether new pods may be assigned to the node. */
export async function isSchedulable(registry: Registry, name: string): Promise<boolean> {
  return !(await registry.resource(Node).get(name)).spec.unschedulable;
}
