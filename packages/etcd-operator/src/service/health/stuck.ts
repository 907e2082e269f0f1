/**
 * Reports changes that do not advance: what is waited for, since when, and why as far as Kubernetes tells it. Nothing is
 * done about it here, and the change goes on when it can.
 */
import { timestampAt } from '@ecsm/runtime';
import type { ConditionReason } from '../../apis/reasons.ts';
import { slotAt, slotsInRange } from '../cluster/range.ts';
import type { Decision, Finding, PassInput, SlotFacts } from '../model.ts';
import { deadMsMin, isDead, isServing } from './quorum.ts';

/** Of a cause that Kubernetes names. Some pass by themselves: a registry that is down, a node that is being added. */
export const causeMsMin = deadMsMin;

/** What is in progress, and since when. */
interface Progress {
  readonly what: string;
  readonly startedAtMs: number;
  readonly slot: SlotFacts | undefined;
  /** It was started over. */
  readonly isRepeated: boolean;
  /** Default: that of the cause. */
  readonly reason?: ConditionReason;
}

/** The decision, with a problem if what it continues is stuck. Other problems come first. */
export function withStuck(input: PassInput, decision: Decision): Decision {
  const { waiting, action, problem } = decision;
  if (problem || waiting?.reason === 'Paused' || (waiting ?? action) === undefined) return decision;
  const progress = progressOf(input, decision);
  if (progress === undefined) return decision;
  const { what, startedAtMs, slot, isRepeated } = progress;
  const elapsedMs = input.facts.nowMs - startedAtMs;
  const cause = slot && causeOf(slot);
  const isStuck = elapsedMs > (cause ? causeMsMin : input.settings.learnerDeadlineMs);
  if (!isStuck && !isRepeated) return decision;
  const isLearner = action?.do === 'promote';
  const reason = progress.reason ?? cause?.reason ?? (isLearner ? 'LearnerNotInSync' : 'OperationStuck');
  const pending = isLearner ? `${slot?.podName ?? 'the learner'} is not in sync` : (waiting?.message ?? action?.why);
  const message = `${what}, in progress since ${timestampAt(startedAtMs)}: ${cause?.message ?? pending}`;
  return { ...decision, problem: { reason, message } };
}

function progressOf({ wanted, facts }: PassInput, { recorded, waiting }: Decision): Progress | undefined {
  const { operation, recovery, stopped, version } = recorded;
  if (operation) {
    const { type, startedAtMs, attempts = 0 } = operation;
    const slot = slotAt(facts, operation.slot);
    const what = `${type} of ${slot?.podName ?? `slot ${operation.slot}`}`;
    const own = { startedAtMs, slot, isRepeated: attempts > 0 };
    if (type === 'Upgrade') return { ...own, what: `${what} to ${version}`, reason: 'UpgradeStuck' };
    return { ...own, what: attempts > 0 ? `${what}, attempt ${attempts + 1}` : what };
  }
  if (recovery) {
    const { startedAtMs, survivor } = recovery;
    return { what: 'the recovery', startedAtMs, slot: slotAt(facts, survivor), isRepeated: false };
  }
  if (stopped && wanted.size > 0 && waiting) {
    // Their pods are created together when the cluster is started.
    const slot = slotsInRange(facts).find((one) => one.pod && !isServing(one) && causeOf(one));
    return slot?.pod && { what: 'the start', startedAtMs: slot.pod.createdAtMs, slot, isRepeated: false };
  }
  if (stopped && wanted.size === 0 && waiting) {
    const slot = facts.slots.find((one) => one.pod && isDead(facts, one));
    const startedAtMs = slot?.pod?.downSinceMs;
    return startedAtMs === undefined ? undefined : { what: 'the stop', startedAtMs, slot, isRepeated: false };
  }
  return undefined;
}

/** What is known of members that may never serve again. */
export function deadMembers({ facts }: PassInput): readonly string[] {
  return slotsInRange(facts)
    .filter((slot) => isDead(facts, slot))
    .map((slot) => causeOf(slot)?.message ?? `${slot.podName} does not answer`);
}

/** Of containers that are about to run. */
const starting: readonly string[] = ['ContainerCreating', 'PodInitializing'];
const pulling: readonly string[] = ['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName'];

/** Why the pod of a slot does not run, or does not end. Undefined if it does, or if that is not known. */
function causeOf({ podName, pod, volume, status }: SlotFacts): Finding | undefined {
  if (status !== undefined) return undefined;
  if (pod?.isDeleting) return { reason: 'PodNotStopped', message: `${podName} does not end` };
  const { unscheduled, waitingReason, restarts = 0 } = pod ?? {};
  const isUnbound = volume?.phase === 'Pending' && !volume.isDeleting;
  // Some volumes are created when the pod has a node, and the scheduler says if it waits for the others.
  if (isUnbound && (unscheduled === undefined || /PersistentVolumeClaim/u.test(unscheduled))) {
    return { reason: 'VolumeNotBound', message: `the volume data-${podName} is not bound` };
  }
  if (unscheduled !== undefined) {
    return { reason: 'PodNotScheduled', message: `${podName} has no node: ${unscheduled}` };
  }
  if (waitingReason !== undefined && pulling.includes(waitingReason)) {
    return { reason: 'ImageNotPulled', message: `the image of ${podName} cannot be pulled` };
  }
  // While it is tried again it runs for a moment: the number of restarts does not change back.
  if (restarts > 0 || (waitingReason !== undefined && !starting.includes(waitingReason))) {
    const why = restarts > 0 ? (pod?.lastTermination ?? 'it ended') : waitingReason;
    return { reason: 'ContainerNotRunning', message: `the container of ${podName} does not run: ${why}` };
  }
  return undefined;
}
