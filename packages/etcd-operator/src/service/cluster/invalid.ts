/** The status of a cluster whose spec is not valid. A server with the CRD refuses most of them; others arrive here. */
import { type Condition, type FieldError, setCondition, timestampAt } from '@ecsm/runtime';
import type { EtcdCluster, EtcdClusterStatus } from '../../apis/etcd-cluster.ts';

const shownMax = 5;

export function invalidStatus(
  { status, metadata }: EtcdCluster,
  errors: readonly FieldError[],
  nowMs: number,
): EtcdClusterStatus {
  const shown = errors.slice(0, shownMax).map(({ path, message }) => `${path}: ${message}`);
  const more = errors.length > shownMax ? [`and ${errors.length - shownMax} more`] : [];
  const message = [...shown, ...more].join('; ');
  const observedGeneration = metadata.generation;
  const conditions = (['Ready', 'Degraded'] as const).reduce<readonly Condition[]>(
    (all, type) =>
      setCondition(
        all,
        { type, status: type === 'Degraded' ? 'True' : 'False', reason: 'InvalidSpec', message, observedGeneration },
        timestampAt(nowMs),
      ),
    status?.conditions ?? [],
  );
  return { ...status, conditions, observedGeneration };
}
