/** What the objects of a cluster have in common: names, labels, owner, addresses. */
import { controllerReference, type Metadata, type OwnerReference } from '@ecsm/runtime';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { annotations, labels, labelsOf, names, OPERATOR_NAME, ports, slotOf } from '../apis/well-known.ts';
import type { EtcdEndpoint } from '../client/etcd/contract.ts';
import { schemeOf } from './etcd-config.ts';

/** Metadata of an object of the cluster, which Kubernetes deletes together with the cluster. */
export function metadataOf(cluster: EtcdCluster, name: string) {
  const { namespace } = cluster.metadata;
  return { name, namespace, labels: labelsOf(cluster.metadata.name), ownerReferences: [ownerOf(cluster)] };
}

export function ownerOf(cluster: EtcdCluster): OwnerReference {
  return { ...controllerReference(cluster), blockOwnerDeletion: true };
}

/**
 * Whether an object with a name of this cluster may be changed. One without an owner may if its labels say that it was
 * created for a cluster of this name, as after it was restored from a backup.
 */
export function mayChange(cluster: EtcdCluster, { labels: found, ownerReferences }: Owned): boolean {
  const owner = ownerReferences?.find(({ controller }) => controller === true);
  if (owner) return owner.uid === cluster.metadata.uid;
  return found?.[labels.managedBy] === OPERATOR_NAME && found[labels.cluster] === cluster.metadata.name;
}

type Owned = Pick<Metadata, 'labels' | 'ownerReferences'>;

export function tlsOf({ spec }: Pick<EtcdCluster, 'spec'>): { readonly client: boolean; readonly peer: boolean } {
  const { enabled, clientTLSEnabled, peerTLSEnabled } = spec.security.tls;
  return { client: enabled && clientTLSEnabled, peer: enabled && peerTLSEnabled };
}

export function peerURL(cluster: EtcdCluster, slot: number): string {
  return `${schemeOf(tlsOf(cluster).peer)}://${hostOf(cluster, slot)}:${ports.peer}`;
}

export function clientURL(cluster: EtcdCluster, slot: number): string {
  return `${schemeOf(tlsOf(cluster).client)}://${hostOf(cluster, slot)}:${ports.client}`;
}

/** The URL of the Service for clients. */
export function clientEndpoint(cluster: EtcdCluster): string {
  const { name, namespace } = cluster.metadata;
  return `${schemeOf(tlsOf(cluster).client)}://${names.clientService(name)}.${namespace}.svc:${ports.client}`;
}

/** The address of a pod is dialled, and its certificate is checked for its name. */
export function endpointOf(cluster: EtcdCluster, slot: number, address: string): EtcdEndpoint {
  return { host: hostOf(cluster, slot), address, port: ports.client };
}

/**
 * Of the members of a cluster. With the uid, because ids of members are derived from it: a cluster that is deleted and
 * created again must not have the ids of the former one. And with that of a restore: members before and after it must not
 * take each other for members of their cluster.
 */
export function tokenOf({ metadata: { namespace, name, uid }, status }: EtcdCluster): string {
  const restored = status?.restore?.phase === 'Starting' ? status.restore.uid : status?.restoredFrom;
  return restored === undefined ? `${namespace}-${name}-${uid}` : restoredToken({ namespace, name, uid }, restored);
}

/** Of the members of a cluster after a restore. */
export function restoredToken(
  { namespace, name, uid }: Pick<EtcdCluster['metadata'], 'namespace' | 'name' | 'uid'>,
  restoreUid: string,
): string {
  return `${namespace}-${name}-${uid}-${restoreUid}`;
}

function hostOf({ metadata: { name, namespace } }: EtcdCluster, slot: number): string {
  return names.host(name, namespace ?? '', slot);
}

export function clusterNames(cluster: EtcdCluster) {
  const { name, uid } = cluster.metadata;
  return {
    uid,
    podName: (slot: number) => names.pod(name, slot),
    peerURL: (slot: number) => peerURL(cluster, slot),
    slotOfPod: (podName: string) => slotOf(name, podName),
    slotOfClaim: (claim: string) => (claim.startsWith('data-') ? slotOf(name, claim.slice('data-'.length)) : undefined),
    slotOfPeerURL(url: string) {
      const pod = /^https?:\/\/([^.:/]+)[.:]/u.exec(url)?.[1];
      const slot = pod === undefined ? undefined : slotOf(name, pod);
      // The same pod name in another namespace belongs to another cluster.
      return slot !== undefined && sameHost(url, peerURL(cluster, slot)) ? slot : undefined;
    },
    templateHashOf: (values: Readonly<Record<string, string>> | undefined) => values?.[annotations.templateHash],
    isOwnClaim: (values: Readonly<Record<string, string>> | undefined) => values?.[labels.clusterUid] === uid,
  };
}

function sameHost(url: string, other: string): boolean {
  return url.replace(/^https?:/u, '') === other.replace(/^https?:/u, '');
}
