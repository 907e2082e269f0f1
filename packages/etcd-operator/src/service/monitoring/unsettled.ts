/** Whether a cluster is as its spec says. */
import { findCondition } from '@ecsm/runtime';
import type { EtcdCluster } from '../../apis/etcd-cluster.ts';

/** Undefined if the cluster is as its spec says. */
export function whyUnsettled({ metadata, spec, status }: EtcdCluster): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  if (status?.observedGeneration !== metadata.generation) return 'its newest spec has not been observed yet';
  if (spec.size === 0) return status?.phase === 'Stopped' ? undefined : 'it is being stopped';
  const ready = findCondition(status?.conditions, 'Ready');
  return ready?.status === 'True' ? undefined : (ready?.message ?? 'not reconciled yet');
}
