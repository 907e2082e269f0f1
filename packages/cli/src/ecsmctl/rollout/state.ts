/** How far the rollout of a service has come, as its status tells. */

import { duration, plural } from '@ecsm/command-line';
import type { ECSMService } from '@ecsm/operator/kinds';
import { findCondition } from '@ecsm/runtime';
import { timeMsOf } from '../../print/time.ts';

export type RolloutState =
  | { readonly is: 'done' }
  /** It goes on when it can; but nobody should wait for that. */
  | { readonly is: 'stuck'; readonly message: string }
  | { readonly is: 'under way'; readonly message: string };

export function rolloutState(service: ECSMService, nowMs: number): RolloutState {
  const { metadata, spec, status } = service;
  if (metadata.deletionTimestamp !== undefined) return { is: 'stuck', message: 'it is being deleted' };
  const underWay = (message: string): RolloutState => ({
    is: 'under way',
    message: `${message}${outageText(service, nowMs)}`,
  });
  if (status?.observedGeneration !== metadata.generation) {
    return underWay('the operator has not observed the latest change yet');
  }
  const progressing = findCondition(status.conditions, 'Progressing');
  if (progressing?.status === 'False') return { is: 'stuck', message: `${progressing.reason}: ${progressing.message}` };
  if (progressing?.reason === 'Complete') return { is: 'done' };
  const left = leftText(service);
  if (spec.paused) {
    const isThere = status.updateRevision !== undefined && status.currentRevision === status.updateRevision;
    return isThere && left === undefined
      ? { is: 'done' }
      : underWay(`it is paused${left === undefined ? '' : `, ${left}`}`);
  }
  return underWay(left ?? progressing?.message ?? 'the operator has not reported progress yet');
}

/** What is still to come, in the order in which it comes. Nothing if the numbers are right. */
function leftText({ spec: { deploymentStrategy }, status }: ECSMService): string | undefined {
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0 } = status ?? {};
  const { type, nodes = [], replicas: asked = 0 } = deploymentStrategy;
  const wanted = type === 'Static' ? nodes.length : asked;
  if (updatedReplicas < wanted) return `${updatedReplicas} of ${plural(wanted, 'instance')} are updated`;
  if (replicas > updatedReplicas) return `${plural(replicas - updatedReplicas, 'old instance')} still to be removed`;
  if (readyReplicas < wanted) return `${readyReplicas} of ${plural(wanted, 'updated instance')} are ready`;
  return undefined;
}

/** The operator writes an outage down when it lasts; until it is over, nothing else in the status moves. */
function outageText({ status }: ECSMService, nowMs: number): string {
  const reachable = findCondition(status?.conditions, 'PlatformReachable');
  if (reachable?.status !== 'False') return '';
  const sinceMs = timeMsOf(reachable.lastTransitionTime);
  return sinceMs === undefined
    ? ', the platform is unreachable'
    : `, the platform has been unreachable for ${duration(nowMs - sinceMs)}`;
}
