/** The progress of a rollout, derived from the status of the service. */

import { plural } from '@ecsm/command-line';
import type { ECSMService } from '@ecsm/operator/kinds';
import { findCondition, redactText, timeMsOf } from '@ecsm/runtime';

export type RolloutState =
  | { readonly is: 'done' }
  /** The operator keeps retrying, but waiting is not useful. */
  | { readonly is: 'stuck'; readonly message: string }
  | { readonly is: 'in progress'; readonly message: string };

/** Messages of conditions may contain what the platform has reported, so secrets in them are hidden. */
export function rolloutState(service: ECSMService): RolloutState {
  const { metadata, spec, status } = service;
  if (metadata.deletionTimestamp !== undefined) return { is: 'stuck', message: 'it is being deleted' };
  const inProgress = (message: string): RolloutState => ({
    is: 'in progress',
    message: redactText(`${message}${outageText(service)}`),
  });
  const stuck = (reason: string, message: string): RolloutState => ({
    is: 'stuck',
    message: redactText(`${reason}: ${message}`),
  });
  const degraded = findCondition(status?.conditions, 'Degraded');
  // Only another spec, or a change of the platform, ends a refusal.
  if (degraded?.reason === 'PlatformRefused' && degraded.observedGeneration === metadata.generation) {
    return stuck(degraded.reason, degraded.message);
  }
  if (status?.observedGeneration !== metadata.generation) {
    return inProgress('the operator has not observed the latest change yet');
  }
  const progressing = findCondition(status.conditions, 'Progressing');
  if (progressing?.status === 'False') return stuck(progressing.reason, progressing.message);
  if (progressing?.reason === 'Complete') return { is: 'done' };
  if (progressing?.status === 'Unknown' && progressing.reason.startsWith('Dependency')) {
    return inProgress(`it waits for its dependencies: ${progressing.message}`);
  }
  const left = leftText(service);
  if (spec.paused) {
    const isCurrent = status.updateRevision !== undefined && status.currentRevision === status.updateRevision;
    return isCurrent && left === undefined
      ? { is: 'done' }
      : inProgress(`it is paused${left === undefined ? '' : `, ${left}`}`);
  }
  const problem = degraded?.status === 'True' ? `; ${degraded.reason}: ${degraded.message}` : '';
  return inProgress(`${left ?? progressing?.message ?? 'the operator has not reported progress yet'}${problem}`);
}

/** The next pending step. Returns undefined if all counts are as desired. */
function leftText({ spec: { deploymentStrategy }, status }: ECSMService): string | undefined {
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0 } = status ?? {};
  const { type, nodes = [], replicas: desired = 0 } = deploymentStrategy;
  const wanted = type === 'Static' ? nodes.length : desired;
  if (updatedReplicas < wanted) return `${updatedReplicas} of ${plural(wanted, 'instance')} are updated`;
  if (replicas > updatedReplicas) return `${plural(replicas - updatedReplicas, 'old instance')} still to be removed`;
  if (readyReplicas < wanted) return `${readyReplicas} of ${plural(wanted, 'updated instance')} are ready`;
  return undefined;
}

/** During a recorded outage the rest of the status does not change. */
function outageText({ status }: ECSMService): string {
  const reachable = findCondition(status?.conditions, 'PlatformReachable');
  if (reachable?.status !== 'False') return '';
  const since = reachable.lastTransitionTime;
  // A duration would be that of the last change of the service, for as long as the command waits.
  return timeMsOf(since) === undefined
    ? ', the platform is unreachable'
    : `, the platform has been unreachable since ${since}`;
}
