import { describe, expect, it } from 'vitest';
import type { Operation, PodFacts, SlotFacts } from '../model.ts';
import { nextAction } from '../next-action.ts';
import { withoutVolume } from '../rule.ts';
import { ToyCluster } from '../toy-cluster.kit.ts';
import { causeMsMin, withStuck } from './stuck.ts';

const deadlineMs = 600_000;
const joining: Operation = { type: 'AddMember', slot: 2, startedAtMs: 0 };

/** Three members, of which the last one is a learner whose pod is as given, `elapsedMs` after it was added. */
function problemOf(
  elapsedMs: number,
  { pod = {}, slot = {}, operation = joining }: { pod?: object; slot?: Partial<SlotFacts>; operation?: Operation } = {},
) {
  const cluster = new ToyCluster();
  cluster.run();
  cluster.members = cluster.members.map((member) => ({ ...member, isLearner: member.name === 'main-2' }));
  cluster.nowMs = elapsedMs;
  cluster.recorded = { ...withoutVolume(cluster.recorded, 2), operation };
  const input = cluster.input();
  const change = (one: SlotFacts): SlotFacts =>
    one.index !== 2 ? one : { ...one, status: undefined, pod: one.pod && { ...one.pod, ...pod }, ...slot };
  return nextAction({ ...input, facts: { ...input.facts, slots: input.facts.slots.map(change) } }).problem;
}

describe('a change that does not advance', () => {
  const unbound = { volume: { uid: 'v', phase: 'Pending', isDeleting: false, isOurs: true, requestBytes: 1 } } as const;
  const unscheduled = { unscheduled: '0/3 nodes are available: 3 Insufficient cpu.' };
  const causes: readonly (readonly [string, string, { pod?: Partial<PodFacts>; slot?: Partial<SlotFacts> }])[] = [
    ['ImageNotPulled', 'the image of main-2 cannot be pulled', { pod: { waitingReason: 'ImagePullBackOff' } }],
    ['ImageNotPulled', 'the image of main-2 cannot be pulled', { pod: { waitingReason: 'ErrImagePull' } }],
    ['PodNotScheduled', 'main-2 has no node: 0/3 nodes are available: 3 Insufficient cpu.', { pod: unscheduled }],
    ['PodNotScheduled', 'main-2 has no node: 0/3', { pod: { unscheduled: '0/3' }, slot: unbound }],
    ['VolumeNotBound', 'the volume data-main-2 is not bound', { slot: unbound }],
    [
      'VolumeNotBound',
      'the volume data-main-2 is not bound',
      { pod: { unscheduled: 'pod has unbound immediate PersistentVolumeClaims' }, slot: unbound },
    ],
    ['PodNotStopped', 'main-2 does not end', { pod: { isDeleting: true } }],
    [
      'ContainerNotRunning',
      'the container of main-2 does not run: CreateContainerConfigError',
      { pod: { waitingReason: 'CreateContainerConfigError' } },
    ],
    [
      'ContainerNotRunning',
      'the container of main-2 does not run: OOMKilled',
      { pod: { restarts: 3, lastTermination: 'OOMKilled' } },
    ],
  ];

  it.each(causes)('is reported as %s, with what is waited for and since when: %s', (reason, message, facts) => {
    expect(problemOf(causeMsMin, facts)).toBeUndefined();
    expect(problemOf(causeMsMin + 1, facts)).toEqual({
      reason,
      message: `AddMember of main-2, in progress since 1970-01-01T00:00:00Z: ${message}`,
    });
  });

  it('is reported later if nothing says why', () => {
    const cluster = new ToyCluster();
    cluster.run();
    cluster.unreachable.add(2);
    cluster.recorded = { ...cluster.recorded, operation: { ...joining, type: 'Restart' } };
    cluster.nowMs = deadlineMs;
    expect(nextAction(cluster.input()).problem).toBeUndefined();
    cluster.nowMs++;
    expect(nextAction(cluster.input()).problem).toMatchObject({
      reason: 'OperationStuck',
      message: expect.stringContaining('waiting for main-2 to be ready'),
    });
  });

  it('is reported from the second attempt on', () => {
    expect(problemOf(1, { operation: { ...joining, type: 'ReplaceMember', attempts: 2 } })).toMatchObject({
      reason: 'OperationStuck',
      message: expect.stringContaining('ReplaceMember of main-2, attempt 3, in progress since'),
    });
  });

  it('is an upgrade, whatever the cause', () => {
    const cluster = new ToyCluster();
    cluster.run();
    cluster.startsAs = (version) => version !== '3.6.1';
    cluster.wanted = { ...cluster.wanted, version: '3.6.1' };
    cluster.run();
    expect(cluster.last?.problem).toBeUndefined();
    cluster.nowMs += deadlineMs;
    cluster.run();
    expect(cluster.last?.problem).toEqual({
      reason: 'UpgradeStuck',
      message: expect.stringMatching(/^Upgrade of main-2 to 3\.6\.1, in progress since .*: the container of main-2 /u),
    });
  });

  it('is a learner that runs and is not in sync', () => {
    const cluster = new ToyCluster();
    cluster.run();
    cluster.members = cluster.members.map((member) => ({ ...member, isLearner: member.name === 'main-2' }));
    cluster.recorded = { ...cluster.recorded, operation: joining };
    cluster.nowMs = deadlineMs + 1;
    const decision = nextAction(cluster.input());
    expect(decision.action?.do).toBe('promote');
    expect(decision.problem?.reason).toBe('LearnerNotInSync');
  });

  it('is a start whose pods do not run', () => {
    const cluster = new ToyCluster();
    cluster.run();
    cluster.wanted = { ...cluster.wanted, size: 0 };
    cluster.run();
    cluster.startsAs = () => false;
    cluster.wanted = { ...cluster.wanted, size: 3 };
    cluster.nowMs = causeMsMin + 1;
    cluster.run();
    expect(cluster.last?.problem?.message).toMatch(/^the start, in progress since /u);
  });

  it('is not a pod that Kubernetes replaces while nothing was asked for', () => {
    const cluster = new ToyCluster();
    cluster.run();
    cluster.nowMs = deadlineMs + causeMsMin;
    const input = cluster.input();
    const slots = input.facts.slots.map((slot) =>
      slot.index === 1 && slot.pod
        ? { ...slot, status: undefined, isServing: false, pod: { ...slot.pod, isReady: false, isDeleting: true } }
        : slot,
    );
    const { waiting, problem } = nextAction({ ...input, facts: { ...input.facts, slots } });
    expect([waiting?.reason, problem]).toEqual(['WaitingForPod', undefined]);
    const down = slots.map((slot) =>
      slot.index === 1 && slot.pod ? { ...slot, pod: { ...slot.pod, downSinceMs: 0 } } : slot,
    );
    expect(nextAction({ ...input, facts: { ...input.facts, slots: down } }).problem?.message ?? '').not.toMatch(
      /^the (start|stop)/u,
    );
  });

  it('does not hide another problem, and is not reported while paused', () => {
    const cluster = new ToyCluster();
    cluster.recorded = { volumes: {}, operation: joining };
    cluster.nowMs = deadlineMs + 1;
    const decision = { recorded: cluster.recorded, events: [] };
    const problem = { reason: 'QuorumLost', message: 'lost' } as const;
    const waiting = { reason: 'Paused', message: 'paused' } as const;
    expect(withStuck(cluster.input(), { ...decision, waiting, problem }).problem).toBe(problem);
    expect(withStuck(cluster.input(), { ...decision, waiting }).problem).toBeUndefined();
  });
});
