/**
 * Every reason that a condition or an event of an ECSMService may have, and what it means. Nothing else is ever given as
 * one: the types see to that.
 */
import type { PlannedCondition, PlannedEvent } from './model.ts';

type Place = 'Available' | 'Progressing' | 'Degraded' | 'PlatformReachable' | 'event';

interface ReasonText {
  /** The conditions that have it, or `event`. */
  readonly in: readonly Place[];
  readonly sentence: string;
}

export const reasons = {
  EnoughReady: { in: ['Available'], sentence: 'As many instances are ready as there have to be.' },
  NotEnoughReady: { in: ['Available'], sentence: 'Fewer instances are ready than there have to be.' },
  ScaledToZero: { in: ['Available'], sentence: 'No instances are wanted.' },

  Complete: {
    in: ['Progressing', 'event'],
    sentence: 'The newest revision runs everywhere, and nothing is left to be done.',
  },
  Creating: { in: ['Progressing'], sentence: 'The service is being made on the platform.' },
  Updating: { in: ['Progressing'], sentence: 'The service is being brought to the newest revision in place.' },
  RollingOut: { in: ['Progressing'], sentence: 'A service of the newest revision grows while the old one shrinks.' },
  Settling: { in: ['Progressing'], sentence: 'The newest revision was rolled out; some instances are not ready now.' },
  Paused: { in: ['Progressing'], sentence: 'Changes of the template wait because spec.paused is true.' },
  ProgressDeadlineExceeded: {
    in: ['Progressing', 'event'],
    sentence:
      'The update has made no progress for spec.updateStrategy.progressDeadlineSeconds. It goes on when it can.',
  },
  Deleting: { in: ['Available', 'Progressing'], sentence: 'The service is being removed from the platform.' },

  AsExpected: { in: ['Degraded'], sentence: 'Nothing is wrong.' },
  ForeignService: {
    in: ['Available', 'Progressing', 'Degraded', 'event'],
    sentence:
      'A service of that name is on the platform and is not ours, so nothing is touched. The annotation ecsm.sh/adopt: "true" takes over one that nobody has marked.',
  },
  DeploymentFailed: { in: ['Degraded', 'event'], sentence: 'The platform could not deploy an instance.' },
  CrashLoop: {
    in: ['Degraded', 'event'],
    sentence: 'An instance ends again and again. The platform restarts it; the operator only says so.',
  },
  InstanceStopped: { in: ['Degraded'], sentence: 'An instance does not run although it should.' },
  InstancePaused: { in: ['Degraded'], sentence: 'An instance was paused on the platform.' },
  InstanceUnknown: { in: ['Degraded'], sentence: 'The platform does not know the state of an instance.' },
  NodeLost: {
    in: ['Degraded', 'event'],
    sentence: 'A node with instances is offline. They count as neither ready nor gone.',
  },
  NotKept: { in: ['Degraded', 'event'], sentence: 'The platform does not keep what an update sets.' },

  Reachable: { in: ['PlatformReachable'], sentence: 'The platform answers.' },
  Unreachable: {
    in: ['PlatformReachable'],
    sentence: 'The platform does not answer. It is asked again soon.',
  },
  PlatformRefused: { in: ['Degraded', 'event'], sentence: 'The platform refused a call.' },

  Created: { in: ['event'], sentence: 'A service was made on the platform.' },
  Adopted: { in: ['event'], sentence: 'A service that nobody had marked was taken over.' },
  Updated: { in: ['event'], sentence: 'The service was brought to another revision in place.' },
  Scaled: { in: ['event'], sentence: 'The number of instances, or their nodes, were changed.' },
  Corrected: { in: ['event'], sentence: 'The service on the platform differed from what is wanted and was put right.' },
  Moved: { in: ['event'], sentence: 'Lost nodes were taken out of the pool, so that instances come up elsewhere.' },
  RolloutStep: { in: ['event'], sentence: 'A rolling update made a step.' },
  Removed: { in: ['event'], sentence: 'A service was removed from the platform.' },
  Started: { in: ['event'], sentence: 'Instances that did not run were started.' },
  Unpaused: { in: ['event'], sentence: 'Instances that were paused were continued.' },
  Redeployed: { in: ['event'], sentence: 'A deployment that failed was begun again.' },
} as const satisfies Record<string, ReasonText>;

export type Reason = keyof typeof reasons;

/** The reasons that may stand in a place. */
type ReasonIn<P extends Place> = {
  [R in Reason]: P extends (typeof reasons)[R]['in'][number] ? R : never;
}[Reason];

export type EventReason = ReasonIn<'event'>;
export type ConditionType = Exclude<Place, 'event'>;

export function event(type: PlannedEvent['type'], reason: EventReason, message: string): PlannedEvent {
  return { type, reason, message };
}

export function condition<T extends ConditionType>(
  type: T,
  status: PlannedCondition['status'],
  reason: ReasonIn<T>,
  message: string,
): PlannedCondition {
  return { type, status, reason, message };
}
