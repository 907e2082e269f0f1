/**
 * Every reason that a condition or an event of an ECSMService may have, and its meaning. The types allow no others.
 */
import type { PlannedCondition, PlannedEvent } from './model.ts';

type Place =
  | 'Available'
  | 'Progressing'
  | 'Degraded'
  | 'DependenciesReady'
  | 'PlatformReachable'
  | 'Preempted'
  | 'Unschedulable'
  | 'event';

interface ReasonText {
  /** The conditions that have it, or `event`. */
  readonly in: readonly Place[];
  readonly sentence: string;
}

export const reasons = {
  EnoughReady: { in: ['Available'], sentence: 'Enough instances are ready.' },
  NotEnoughReady: { in: ['Available'], sentence: 'Fewer instances are ready than required.' },
  ScaledToZero: { in: ['Available'], sentence: 'The desired number of instances is 0.' },

  Complete: {
    in: ['Progressing', 'event'],
    sentence: 'The newest revision is rolled out, and all its instances are ready.',
  },
  Creating: { in: ['Progressing'], sentence: 'The service is being created on the platform.' },
  Updating: { in: ['Progressing'], sentence: 'The service is being updated to the newest revision in place.' },
  RollingOut: {
    in: ['Progressing'],
    sentence: 'The service of the newest revision is scaled up while the old one is scaled down.',
  },
  Settling: { in: ['Progressing'], sentence: 'The newest revision was rolled out; some instances are not ready.' },
  Paused: { in: ['Progressing'], sentence: 'Changes of the template are held back because spec.paused is true.' },
  ProgressDeadlineExceeded: {
    in: ['Progressing', 'event'],
    sentence:
      'The update has made no progress for spec.updateStrategy.progressDeadlineSeconds. It continues when it can.',
  },
  Deleting: {
    in: ['Available', 'Progressing', 'Degraded', 'Preempted', 'Unschedulable'],
    sentence: 'The service is being deleted from the platform.',
  },

  AsExpected: { in: ['Degraded', 'Preempted'], sentence: 'There are no problems.' },
  ForeignService: {
    in: ['Available', 'Progressing', 'Degraded', 'event'],
    sentence:
      'A service of that name exists on the platform and has another owner or none, so it is not changed. The annotation ecsm.sh/adopt: "true" adopts a service without an owner mark.',
  },
  DeploymentFailed: { in: ['Degraded', 'event'], sentence: 'The platform could not deploy an instance.' },
  CrashLoop: {
    in: ['Degraded', 'event'],
    sentence: 'An instance exits repeatedly. The platform restarts it; the operator only reports it.',
  },
  InstanceStopped: { in: ['Degraded'], sentence: 'An instance is not running.' },
  InstancePaused: { in: ['Degraded'], sentence: 'An instance was paused on the platform.' },
  InstanceUnknown: { in: ['Degraded'], sentence: 'The state of an instance is unknown to the platform.' },
  NodeLost: {
    in: ['Degraded', 'event'],
    sentence: 'A node with instances is offline. They count as neither ready nor deleted.',
  },
  NodeOnline: { in: ['event'], sentence: 'A node with instances was offline and is online again.' },
  NotKept: { in: ['Degraded', 'event'], sentence: 'Updates of some fields have no effect on the platform.' },

  DependenciesMet: {
    in: ['DependenciesReady', 'event'],
    sentence: 'All services in spec.dependsOn meet their condition.',
  },
  DependencyWaiting: {
    in: ['DependenciesReady', 'Available', 'Progressing', 'event'],
    sentence:
      'A service in spec.dependsOn does not meet its condition yet. Until it does, this service is not started.',
  },
  DependencyMissing: {
    in: ['DependenciesReady', 'Available', 'Progressing', 'event'],
    sentence: 'A service in spec.dependsOn does not exist. Until it does, this service is not started.',
  },
  DependencyLost: {
    in: ['DependenciesReady', 'Available', 'Progressing', 'event'],
    sentence:
      'A service in spec.dependsOn met its condition and no longer does. This service keeps running, unless onLost is Stop.',
  },
  DependencyCycle: {
    in: ['DependenciesReady', 'Available', 'Progressing', 'event'],
    sentence:
      'The service depends on itself, through the services in the message. It keeps running, and is not started if it does not run.',
  },
  DependentsRemain: {
    in: ['Progressing'],
    sentence: 'Its deletion waits until the services that depend on it, and are being deleted too, are deleted.',
  },

  Reachable: { in: ['PlatformReachable'], sentence: 'The platform responds.' },
  Unreachable: {
    in: ['PlatformReachable'],
    sentence: 'The platform does not respond. It is probed until it does.',
  },
  PlatformRefused: { in: ['Degraded', 'event'], sentence: 'The platform rejected a call.' },

  Preempted: {
    in: ['Preempted', 'event'],
    sentence: 'Instances were given up for a service of higher priority. They are restored when there is room.',
  },
  Restored: { in: ['Preempted', 'event'], sentence: 'Instances that were given up may run again.' },
  NoLimits: {
    in: ['Preempted'],
    sentence: 'The service has a priority class and no limits: it is neither counted nor preempted.',
  },
  UnknownPriorityClass: {
    in: ['Preempted'],
    sentence: 'There is no PriorityClass of the name in spec.priorityClassName. The priority is 0.',
  },
  Unschedulable: {
    in: ['Unschedulable', 'event'],
    sentence: 'The nodes of the service have no room for all its instances, by declared limits.',
  },
  Preempting: {
    in: ['Unschedulable', 'event'],
    sentence: 'Instances of other services are being deleted to make room for this one.',
  },
  Schedulable: { in: ['Unschedulable'], sentence: 'There is room for all instances.' },

  Created: { in: ['event'], sentence: 'A service was created on the platform.' },
  Adopted: { in: ['event'], sentence: 'A service without an owner mark was adopted.' },
  Updated: { in: ['event'], sentence: 'The service was updated to another revision in place.' },
  Scaled: { in: ['event'], sentence: 'The number of instances, or their nodes, changed.' },
  Corrected: { in: ['event'], sentence: 'The service on the platform differed from the spec and was corrected.' },
  Moved: { in: ['event'], sentence: 'Lost nodes were excluded from the pool, so that instances start elsewhere.' },
  RolloutStep: { in: ['event'], sentence: 'A rolling update made a step.' },
  Removed: { in: ['event'], sentence: 'A service was deleted from the platform.' },
  Started: { in: ['event'], sentence: 'Instances that were not running were started.' },
  Unpaused: { in: ['event'], sentence: 'Paused instances were unpaused.' },
  Redeployed: { in: ['event'], sentence: 'A failed deployment was repeated.' },
} as const satisfies Record<string, ReasonText>;

export type Reason = keyof typeof reasons;

/** The reasons that a condition or an event may have. */
type ReasonIn<P extends Place> = {
  [R in Reason]: P extends (typeof reasons)[R]['in'][number] ? R : never;
}[Reason];

export type EventReason = ReasonIn<'event'>;
type ConditionType = Exclude<Place, 'event'>;

export function event(type: PlannedEvent['type'], reason: EventReason, message: string): PlannedEvent {
  return { type, reason, message };
}

/** The limit of Kubernetes: a status with a longer message could not be written. */
const messageMax = 32_768;

/** A longer message is cut, such as the names of a thousand nodes. */
export function condition<T extends ConditionType>(
  type: T,
  status: PlannedCondition['status'],
  reason: ReasonIn<T>,
  message: string,
): PlannedCondition {
  const shown = message.length > messageMax ? `${message.slice(0, messageMax - 1)}…` : message;
  return { type, status, reason, message: shown };
}
