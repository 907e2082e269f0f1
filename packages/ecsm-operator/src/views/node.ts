/** Converts a node of the platform to a Node of Kubernetes. */
import { timestampAt } from '@ecsm/runtime';
import { platformNameAnnotation } from '../apis/well-known.ts';
import { type Capacity, hostOf, isIpAddress, metadataOf, type NodeFacts, type Observation } from './facts.ts';
import { labelValueOf, nodeNameOf } from './names.ts';
import { Node, type NodeStatus } from './node-kind.ts';
import { kibibytesQuantity } from './quantity.ts';

/** Architectures of the platform whose names in Go, and so in Kubernetes' labels, are others. */
const goArchitectures: Readonly<Record<string, string>> = {
  'x86-64': 'amd64',
  x86_64: 'amd64',
  aarch64: 'arm64',
  loongarch: 'loong64',
};
const systemNames: Readonly<Record<string, string>> = { sylixos: 'SylixOS', linux: 'Linux' };

export function nodeOf(facts: NodeFacts, observation: Observation): Node {
  const { row } = facts;
  const name = nodeNameOf(row.name);
  const architecture = architectureOf(row.arch);
  const system = (row.type ?? '').toLowerCase();
  const ready = readyOf(facts, observation);
  const taint = taintsOf(ready.status);
  const capacity = quantitiesOf(facts.capacity);
  const agent = facts.version ?? '';
  return {
    apiVersion: Node.apiVersion,
    kind: Node.kind,
    metadata: metadataOf(
      {
        name,
        uid: row.id,
        createdMs: observation.timeOf(row.createdTime),
        labels: {
          'kubernetes.io/hostname': name.slice(0, 63).replace(/[.-]+$/u, ''),
          ...labelOf('kubernetes.io/arch', architecture),
          ...labelOf('kubernetes.io/os', system),
        },
        ...(name !== row.name && { annotations: { [platformNameAnnotation]: row.name } }),
      },
      observation,
    ),
    spec: { providerID: `ecsm://${row.id}`, ...(taint && { taints: [taint] }) },
    status: {
      ...(capacity && { capacity, allocatable: capacity }),
      conditions: [ready],
      addresses: addressesOf(row.address, name),
      nodeInfo: {
        architecture,
        operatingSystem: system,
        osImage: systemNames[system] ?? row.type ?? '',
        kernelVersion: '',
        kubeletVersion: agent,
        kubeProxyVersion: '',
        containerRuntimeVersion: agent && `ecsd://${agent}`,
        bootID: '',
        machineID: '',
        systemUUID: row.id,
      },
    },
  };
}

/** `online`, `offline`, another word of the platform, or undefined. The live status is newer than the list. */
export function stateOf({ row, live }: Pick<NodeFacts, 'row' | 'live'>): string | undefined {
  return live?.status ?? row.status ?? undefined;
}

type Condition = NonNullable<NodeStatus['conditions']>[number];

function readyOf(facts: NodeFacts, { observedMs, staleReason }: Observation): Condition {
  const state = stateOf(facts);
  const transition = facts.sinceMs === undefined ? {} : { lastTransitionTime: timestampAt(facts.sinceMs) };
  const common = { type: 'Ready', lastHeartbeatTime: timestampAt(facts.heartbeatMs), ...transition };
  if (staleReason !== undefined) {
    const read = timestampAt(observedMs);
    const message = `the platform was last read at ${read}, when the node was ${state ?? 'in an unknown state'}: ${staleReason}`;
    const times = { lastHeartbeatTime: read, lastTransitionTime: read };
    return { ...common, ...times, status: 'Unknown', reason: 'PlatformUnreachable', message };
  }
  switch (state) {
    case 'online':
      return { ...common, status: 'True', reason: 'NodeOnline', message: 'the platform reaches the node' };
    case 'offline':
      return { ...common, status: 'False', reason: 'NodeOffline', message: 'the platform does not reach the node' };
    default:
      return {
        ...common,
        status: 'Unknown',
        reason: 'StatusUnknown',
        message: state === undefined ? 'the platform reports no status' : `the platform reports the status ${state}`,
      };
  }
}

/** As Kubernetes' node controller sets them. */
function taintsOf(ready: Condition['status']): { readonly key: string; readonly effect: string } | undefined {
  if (ready === 'True') return undefined;
  return { key: `node.kubernetes.io/${ready === 'False' ? 'not-ready' : 'unreachable'}`, effect: 'NoSchedule' };
}

/** The unit of the disk is not documented; bytes are assumed, as for memory. */
function quantitiesOf({ cores, memoryBytes, diskBytes }: Capacity): Readonly<Record<string, string>> | undefined {
  const quantities = {
    ...(cores !== undefined && { cpu: String(cores) }),
    ...(memoryBytes !== undefined && { memory: kibibytesQuantity(memoryBytes) }),
    ...(diskBytes !== undefined && { 'ephemeral-storage': kibibytesQuantity(diskBytes) }),
  };
  return Object.keys(quantities).length === 0 ? undefined : quantities;
}

function addressesOf(address: string | null | undefined, name: string): NonNullable<NodeStatus['addresses']> {
  const host = hostOf(address);
  const hostname = { type: 'Hostname', address: name };
  if (host === undefined) return [hostname];
  return [{ type: isIpAddress(host) ? 'InternalIP' : 'InternalDNS', address: host }, hostname];
}

function labelOf(key: string, text: string): Readonly<Record<string, string>> {
  const value = labelValueOf(text);
  return value === undefined ? {} : { [key]: value };
}

function architectureOf(arch: string | null | undefined): string {
  const name = (arch ?? '').toLowerCase();
  return goArchitectures[name] ?? name;
}
