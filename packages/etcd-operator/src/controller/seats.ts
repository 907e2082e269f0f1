/**
 * Which controller drives a cluster: the one whose work it needs. Every pass decides by the same function, so a pass at
 * the wrong time does no harm; this keeps several controllers from running passes for the same reason.
 */
import type { EtcdCluster } from '../apis/etcd-cluster.ts';

export type Seat = 'lifecycle' | 'scaling' | 'health' | 'recovery';

export function seatOf({ metadata, spec, status }: Pick<EtcdCluster, 'metadata' | 'spec' | 'status'>): Seat {
  if (metadata.deletionTimestamp !== undefined || status?.clusterID === undefined) return 'lifecycle';
  if (status.observedGeneration !== metadata.generation) return 'lifecycle';
  if (status.restore || status.recovery || status.quorumLostAt !== undefined || status.space) return 'recovery';
  const { operation } = status;
  if (operation) return operation.type === 'ReplaceMember' ? 'recovery' : 'scaling';
  const isStopped = status.stoppedSize !== undefined;
  if (isStopped && (spec.size > 0 || status.phase !== 'Stopped')) return 'scaling';
  return 'health';
}
