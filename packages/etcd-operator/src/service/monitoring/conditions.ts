/** Phase and conditions of a cluster. */
import { type Condition, timestampAt } from '@ecsm/runtime';
import type { ConditionReason, ConditionType } from '../../apis/reasons.ts';
import type { Phase } from '../../apis/status-schema.ts';
import { slotsInRange } from '../cluster/range.ts';
import { countVoters, isServing } from '../health/quorum.ts';
import { deadMembers } from '../health/stuck.ts';
import type { CertificateFacts, Decision, OperationType, PassInput } from '../model.ts';

type NewCondition = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>;

const reasonOfOperation: Readonly<Record<OperationType, ConditionReason>> = {
  Bootstrap: 'Creating',
  AddMember: 'Scaling',
  RemoveMember: 'Scaling',
  ReplaceMember: 'Repairing',
  Restart: 'Updating',
  Upgrade: 'Upgrading',
};

/** `before` is the phase until now: a cluster is being created until it has its size for the first time. */
export function phaseOf(
  { wanted, facts }: PassInput,
  { recorded, problem }: Decision,
  before: Phase | undefined,
): Phase {
  if (wanted.isDeleting) return 'Deleting';
  if (recorded.recovery) return 'Recovering';
  if (recorded.restore) return 'Restoring';
  if (problem && failing.includes(problem.reason)) return 'Failed';
  if (recorded.stopped) return wanted.size === 0 && facts.slots.every(({ pod }) => !pod) ? 'Stopped' : 'Scaling';
  if (recorded.clusterId === undefined) return wanted.size === 0 ? 'Stopped' : 'Creating';
  const isComplete = countVoters(facts).serving >= wanted.size && recorded.operation === undefined;
  if (before === 'Creating' && !isComplete) return 'Creating';
  switch (recorded.operation?.type) {
    case 'AddMember':
    case 'RemoveMember':
      return 'Scaling';
    case 'Upgrade':
      return 'Upgrading';
    default:
      return 'Running';
  }
}

/** The cluster does not serve, and does not recover by itself. */
const failing: readonly ConditionReason[] = [
  'QuorumLost',
  'DataMissing',
  'ClusterIDMismatch',
  'VolumesExist',
  'ForeignObjects',
];

export function conditionsOf(input: PassInput, decision: Decision): readonly NewCondition[] {
  return [
    ready(input, decision),
    available(input, decision),
    progressing(input, decision),
    degraded(input, decision),
    certificatesReady(input),
  ];
}

function ready(input: PassInput, decision: Decision): NewCondition {
  const { wanted, facts } = input;
  const { voters, serving } = countVoters(facts);
  const { problem, waiting } = decision;
  if (wanted.size === 0) return condition('Ready', false, 'Stopped', 'spec.size is 0');
  const counts = `${serving} of ${wanted.size} members serve`;
  if (voters === wanted.size && serving === voters && isSettled(input, decision)) {
    return condition('Ready', true, 'Running', counts);
  }
  const reason = problem?.reason ?? waiting?.reason ?? operationReason(decision) ?? 'Updating';
  return condition('Ready', false, reason, problem?.message ?? waiting?.message ?? counts);
}

/** Nothing is in progress, and every member runs the version and the configuration of the spec. */
function isSettled({ wanted, facts, templateHash }: PassInput, { recorded }: Decision): boolean {
  const { operation, recovery, stopped, restore } = recorded;
  if (operation || recovery || stopped || restore || recorded.version !== wanted.version) return false;
  return slotsInRange(facts).every(
    ({ pod, status }) => pod?.templateHash === templateHash && status?.version === wanted.version,
  );
}

function available({ facts, recorded: before, wanted }: PassInput, { recorded, problem }: Decision): NewCondition {
  const { voters, serving } = countVoters(facts);
  if (recorded.restore) return condition('Available', false, 'Restoring', 'the data is restored from a backup');
  if (facts.membership !== undefined) {
    return condition('Available', true, 'Running', `${serving} of ${voters} members serve`);
  }
  if (recorded.stopped && wanted.size === 0) return condition('Available', false, 'Stopped', 'all members are stopped');
  if (recorded.clusterId === undefined)
    return condition('Available', false, 'Creating', 'the cluster has not formed yet');
  if (problem) return condition('Available', false, problem.reason, problem.message);
  if (recorded.stopped) return condition('Available', false, 'Starting', 'the members are being started');
  if (before.recovery) return condition('Available', false, 'Recovering', 'the quorum is being recovered');
  return condition('Available', false, 'Unreachable', 'no member serves');
}

function progressing(input: PassInput, decision: Decision): NewCondition {
  const { waiting, action, recorded } = decision;
  if (waiting?.reason === 'Paused') return condition('Progressing', false, 'Paused', waiting.message);
  const reason = operationReason(decision);
  if (action) return condition('Progressing', true, reason ?? 'Updating', `${action.do}: ${action.why}`);
  if (waiting) return condition('Progressing', true, waiting.reason, waiting.message);
  if (recorded.operation && reason) return condition('Progressing', true, reason, recorded.operation.type);
  if (input.wanted.size === 0) return condition('Progressing', false, 'Stopped', 'all members are stopped');
  return condition('Progressing', false, 'Complete', 'there is nothing to change');
}

function degraded(input: PassInput, { problem, recorded }: Decision): NewCondition {
  const { facts, wanted } = input;
  const { stopped } = input.recorded;
  if (problem) return condition('Degraded', true, problem.reason, problem.message);
  const dead = stopped ? [] : deadMembers(input);
  if (dead.length > 0 && recorded.clusterId !== undefined) {
    return condition('Degraded', true, 'MemberUnhealthy', `members that do not serve: ${dead.join('; ')}`);
  }
  const isSettled = recorded.operation === undefined && recorded.clusterId !== undefined && !stopped && wanted.size > 0;
  const down = slotsInRange(facts).filter((slot) => !isServing(slot));
  if (isSettled && down.length > 0) {
    const names = down.map(({ podName }) => podName).join(', ');
    return condition('Degraded', true, 'MemberUnhealthy', `members that do not serve: ${names}`);
  }
  return condition('Degraded', false, 'AsExpected', 'there are no problems');
}

function certificatesReady({ certificates: facts, facts: { slots }, settings }: PassInput): NewCondition {
  const of = (isTrue: boolean, reason: ConditionReason, message: string) =>
    condition('CertificatesReady', isTrue, reason, message);
  if (facts === undefined) return of(true, 'TLSDisabled', 'TLS is not enabled');
  if (facts.problem !== undefined) return of(false, 'CertificateInvalid', facts.problem);
  if (facts.isKeyLost)
    return of(false, 'AuthorityLost', `the key of the authority is lost; ${remedy(facts, settings)}`);
  const untrusted = slots.filter(({ isUntrusted }) => isUntrusted);
  if (untrusted.length > 0) {
    const each = untrusted.map(({ podName, statusError }) => `${podName}: ${statusError}`).join('; ');
    return of(false, 'CertificateUntrusted', `members and the operator do not accept each other: ${each}`);
  }
  if (!facts.hasAuthority || facts.due.length > 0)
    return of(false, 'CertificatesIssuing', 'certificates are being issued');
  if (facts.rotation !== 'Steady') return of(true, 'CertificateRotating', 'the authority is being replaced');
  return of(true, 'CertificatesValid', 'all certificates are valid');
}

function remedy({ rotation, introducedAtMs, lost }: CertificateFacts, { deliveryMs }: PassInput['settings']): string {
  if (lost.length > 0) return 'the condition Degraded says what to do';
  if (rotation !== 'Introduced' || introducedAtMs === undefined) return 'members and clients trust a new one soon';
  const time = timestampAt(introducedAtMs + deliveryMs);
  return `a new one issues after ${time}, when members and clients trust it`;
}

function operationReason({ recorded }: Decision): ConditionReason | undefined {
  if (recorded.recovery) return 'Recovering';
  if (recorded.restore) return 'Restoring';
  return recorded.operation && reasonOfOperation[recorded.operation.type];
}

function condition(type: ConditionType, isTrue: boolean, reason: ConditionReason, message: string): NewCondition {
  return { type, status: isTrue ? 'True' : 'False', reason, message };
}
