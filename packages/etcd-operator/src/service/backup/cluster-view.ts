/** A cluster as backups see it: from its status and the addresses of its pods, without a call to etcd. */
import type { Pod } from '@ecsm/kubernetes';
import { findCondition } from '@ecsm/runtime';
import type { EtcdCluster, MemberStatus } from '../../apis/etcd-cluster.ts';
import { slotOf } from '../../apis/well-known.ts';
import { endpointOf } from '../../resource/cluster.ts';
import type { ClusterView } from './model.ts';

export function clusterView(cluster: EtcdCluster, pods: readonly Pod[]): ClusterView {
  const { metadata, spec, status } = cluster;
  const available = findCondition(status?.conditions, 'Available');
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const isRestoring = status?.restore !== undefined;
  const endpoints = [...(status?.members ?? [])]
    .filter(({ ready, role }) => ready && role !== 'learner')
    .sort((one, other) => costOf(one) - costOf(other))
    .flatMap(({ name }) => {
      const slot = slotOf(metadata.name, name);
      const address = pods.find((pod) => pod.metadata.name === name)?.status?.podIP;
      return slot === undefined || address === undefined ? [] : [endpointOf(cluster, slot, address)];
    });
  const isServing = available?.status === 'True' && !isDeleting && !isRestoring && endpoints.length > 0;
  return {
    uid: metadata.uid,
    clusterId: status?.clusterID,
    isStopped: spec.size === 0 && status?.phase === 'Stopped',
    isServing,
    endpoints,
    message: isDeleting
      ? `${metadata.name} is being deleted`
      : isRestoring
        ? `${metadata.name} is being restored`
        : `${metadata.name} does not serve: ${available?.message ?? 'its status is not known yet'}`,
  };
}

/** A follower that is in sync first; the leader has enough to do. */
function costOf({ role, lag = 0 }: MemberStatus): number {
  return role === 'leader' ? Number.MAX_SAFE_INTEGER : lag;
}
