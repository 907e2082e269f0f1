/** Events about the status itself: they are recorded when a condition changes, and not again while it stays. */
import { findCondition } from '@ecsm/runtime';
import type { EtcdClusterStatus } from '../../apis/etcd-cluster.ts';
import { type ConditionReason, conditionReasons } from '../../apis/reasons.ts';
import type { PlannedEvent } from '../model.ts';
import { normal } from '../rule.ts';

export function transitions(before: EtcdClusterStatus | undefined, after: EtcdClusterStatus): readonly PlannedEvent[] {
  const [was, is] = [before, after].map((status) => ({
    ready: findCondition(status?.conditions, 'Ready'),
    available: findCondition(status?.conditions, 'Available'),
    degraded: findCondition(status?.conditions, 'Degraded'),
  }));
  const events: PlannedEvent[] = [];
  const reason = is?.degraded?.reason;
  const isNew = was?.degraded?.status !== 'True' || was.degraded.reason !== reason;
  if (is?.degraded?.status === 'True' && isNew && isReason(reason)) {
    events.push({ type: 'Warning', reason, message: is.degraded.message ?? '' });
  }
  if (was?.available?.reason === 'QuorumLost' && is?.available?.status === 'True') {
    events.push(normal('QuorumRestored', is.available.message ?? ''));
  }
  if (was?.ready?.status !== 'True' && is?.ready?.status === 'True') {
    events.push(normal('ClusterReady', is.ready.message ?? ''));
  }
  return events;
}

function isReason(reason: string | undefined): reason is ConditionReason {
  return reason !== undefined && Object.hasOwn(conditionReasons, reason);
}
