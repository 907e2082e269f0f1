/** What is known of the platform, as the conversions to Kubernetes' objects take it. */
import type { ContainerRow, NodeStatus as LiveNode, NodeBasicRow } from '@ecsm/client';
import { type Metadata, type ObjectMetadataInput, timestampAt } from '@ecsm/runtime';
import { observedAtAnnotation } from '../apis/well-known.ts';
import type { Mark } from '../resource/model.ts';
import type { TimeOf } from '../resource/read.ts';

export interface Capacity {
  readonly cores?: number;
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
}

export interface NodeFacts {
  readonly row: NodeBasicRow;
  /** Absent if the platform did not report it. */
  readonly live?: LiveNode;
  /** Of the agent. */
  readonly version?: string;
  /** The last known one: the platform reports zeros for a node that is offline. */
  readonly capacity: Capacity;
  /** When the platform last reported the node, to a few minutes. */
  readonly heartbeatMs: number;
  /** Since when the node is in its state. */
  readonly sinceMs?: number;
}

export interface InstanceFacts {
  readonly row: ContainerRow;
  /** Absent if the container belongs to no ECSMService of this registry. */
  readonly owner?: Mark;
  readonly namespace: string;
  readonly name: string;
}

/** How and when facts were read. */
export interface Observation {
  readonly timeOf: TimeOf;
  /** When the platform was read, in wall time. */
  readonly observedMs: number;
  /** Why it could not be read again; undefined if these are the newest facts. */
  readonly staleReason?: string;
  /** The creation time of things for which the platform reports none. */
  readonly createdMsDefault: number;
}

/** The version of an object that no view has given one to. */
const unversioned = '0';

type Parts = Pick<ObjectMetadataInput, 'name' | 'labels' | 'ownerReferences'> & {
  readonly namespace?: string;
  readonly uid: string;
  readonly createdMs: number | undefined;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** While the platform cannot be read, an annotation states when it was read. */
export function metadataOf(parts: Parts, { observedMs, staleReason, createdMsDefault }: Observation): Metadata {
  const { createdMs, annotations: own = {}, ...others } = parts;
  const stale = staleReason === undefined ? {} : { [observedAtAnnotation]: timestampAt(observedMs) };
  const annotations = { ...own, ...stale };
  const metadata = {
    ...others,
    ...(Object.keys(annotations).length > 0 && { annotations }),
    resourceVersion: unversioned,
    generation: 1,
    creationTimestamp: timestampAt(createdMs ?? createdMsDefault),
  };
  // A cluster-scoped object has no namespace, contrary to its type.
  return metadata as Metadata;
}

/** The host of `host:port`, of which the host may be an IPv6 address in brackets. */
export function hostOf(address: string | null | undefined): string | undefined {
  const host = address
    ?.trim()
    .replace(/:\d+$/u, '')
    .replace(/^\[(.*)\]$/u, '$1');
  return host === '' ? undefined : host;
}

export function isIpAddress(host: string): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/u.test(host) || /^[0-9a-f:.]*:[0-9a-f:.]*$/iu.test(host);
}
