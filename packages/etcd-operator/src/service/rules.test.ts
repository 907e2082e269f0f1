/** Rules of a pass in states that a cluster reaches only by faults or by other hands. */
import { describe, expect, it } from 'vitest';
import type { CertificateFacts, PassInput, SlotFacts } from './model.ts';
import { nextAction } from './next-action.ts';
import { steadyCertificates } from './pass-settings.kit.ts';
import { ToyCluster } from './toy-cluster.kit.ts';

function running(size = 3): ToyCluster {
  const toy = new ToyCluster();
  toy.wanted = { ...toy.wanted, size };
  toy.run();
  return toy;
}

/** The decision on the facts of a cluster with some slots changed. */
function decide(toy: ToyCluster, changes: Partial<PassInput> = {}, slots?: (slot: SlotFacts) => SlotFacts) {
  const input = { ...toy.input(), ...changes };
  const facts = slots ? { ...input.facts, slots: input.facts.slots.map(slots) } : input.facts;
  return nextAction({ ...input, facts });
}

describe('identity', () => {
  it('a StatefulSet of another owner is not touched', () => {
    const toy = running();
    const { facts } = toy.input();
    const set = facts.set && { ...facts.set, isOurs: false };
    expect(decide(toy, { facts: { ...facts, set } }).problem?.reason).toBe('ForeignObjects');
  });

  it('objects of other owners with names of the cluster are not touched', () => {
    expect(decide(running(), { foreignObjects: ['Service/main-client'] }).problem).toEqual({
      reason: 'ForeignObjects',
      message: 'objects with names of this cluster belong to something else: Service/main-client',
    });
  });

  it('members with another cluster id are not touched', () => {
    const toy = running();
    const { facts } = toy.input();
    expect(decide(toy, { facts: { ...facts, clusterIds: ['c1', 'c2'] } }).problem).toMatchObject({
      reason: 'ClusterIDMismatch',
      message: expect.stringContaining('members report the cluster id c2'),
    });
  });

  it('a StatefulSet that was deleted is created again for the slots that have members', () => {
    const toy = running();
    toy.set = undefined;
    expect(toy.step()).toBe('createSet 0+3');
  });

  it('a StatefulSet that a user has scaled gets its slots back, also those without a quorum', () => {
    for (const range of [
      { start: 0, replicas: 2 },
      { start: 0, replicas: 1 },
      { start: 0, replicas: 0 },
      { start: 2, replicas: 1 },
    ]) {
      const toy = running();
      if (toy.set) toy.set = { ...toy.set, ...range };
      expect(toy.run()).toEqual(['setRange 0+3']);
      expect(toy.last?.problem).toBeUndefined();
    }
  });

  it('a slot whose member was removed is not started again without a quorum', () => {
    const toy = running();
    toy.wanted = { ...toy.wanted, size: 1 };
    toy.set = { start: 0, replicas: 2, hash: toy.templateHash };
    toy.members = toy.members.slice(0, 2);
    toy.recorded = { ...toy.recorded, operation: { type: 'RemoveMember', slot: 2, startedAtMs: 0 } };
    toy.unreachable.add(0);
    expect(toy.run()).toEqual([]);
  });

  it('a slot whose member a user removed, and whose volume is retained, is not started again without a quorum', () => {
    const toy = running();
    toy.wanted = { ...toy.wanted, size: 1, whenScaled: 'Retain' };
    toy.members = toy.members.slice(0, 1);
    expect(toy.run()).toEqual(['setRange 0+2', 'setRange 0+1']);
    toy.unreachable.add(0);
    expect(toy.run()).toEqual([]);
    expect([...toy.volumes.keys()]).toEqual([0, 1, 2]);
  });
});

describe('membership', () => {
  it('a member that a user added is never removed', () => {
    const toy = running();
    const stranger = { id: 'x', name: '', peerURLs: ['http://10.0.0.9:2380'], clientURLs: [], isLearner: false };
    const { facts } = toy.input();
    const membership = facts.membership && { ...facts.membership, members: [...facts.membership.members, stranger] };
    const { problem, action } = decide(toy, { facts: { ...facts, membership, strangers: [stranger] } });
    expect(action).toBeUndefined();
    expect(problem).toEqual({
      reason: 'ForeignMember',
      message: 'members that do not belong to a pod of this cluster: x (http://10.0.0.9:2380)',
    });
    const learner = { ...stranger, isLearner: true };
    const joining = facts.membership && { ...facts.membership, members: [...facts.membership.members, learner] };
    expect(decide(toy, { facts: { ...facts, membership: joining, strangers: [learner] } }).problem?.message).toBe(
      'learner x does not belong to a pod of this cluster',
    );
  });

  it('a member that a user removed is replaced, with its data', () => {
    const toy = running();
    toy.members = toy.members.filter(({ name }) => name !== 'main-1');
    expect(toy.run()).toEqual(['deleteVolume 1', 'addLearner 1', 'deletePod 1', 'promote 1']);
    expect(toy.events.at(-2)).toMatchObject({ message: 'replacing main-1: its member was removed' });
    expect(toy.members).toHaveLength(3);
  });

  it('a learner that does not join in time is removed and added again', () => {
    const toy = running();
    toy.wanted = { ...toy.wanted, size: 5 };
    toy.unreachable.add(3);
    toy.run();
    expect(toy.last?.waiting?.message).toBe('waiting for main-3 to join');
    toy.nowMs += 600_001;
    const { recorded, events } = decide(toy);
    expect(recorded.operation).toMatchObject({ type: 'ReplaceMember', slot: 3, attempts: 1 });
    expect(events[0]?.message).toBe('main-3 did not join in time; starting over (attempt 2)');
    toy.unreachable.clear();
    toy.recorded = recorded;
    toy.run();
    expect(toy.members.filter(({ isLearner }) => !isLearner)).toHaveLength(5);
  });

  it('waits for a pod and for a volume that are being deleted', () => {
    const toy = running();
    toy.wanted = { ...toy.wanted, size: 1 };
    toy.members = toy.members.slice(0, 2);
    toy.set = { start: 0, replicas: 2, hash: toy.templateHash };
    expect(decide(toy).waiting?.message).toBe('waiting until main-2 is stopped');
    toy.pods.delete(2);
    expect(toy.step()).toBe('deleteVolume 2');
    const deleting = (slot: SlotFacts) =>
      slot.volume && slot.index === 2 ? { ...slot, volume: { ...slot.volume, isDeleting: true } } : slot;
    expect(decide(toy, {}, deleting).waiting).toEqual({
      reason: 'WaitingForVolume',
      message: 'waiting until the volume of main-2 is deleted',
    });
  });

  it('does not shrink below a quorum that serves', () => {
    const toy = running(5);
    toy.wanted = { ...toy.wanted, size: 3 };
    toy.unreachable.add(0).add(1);
    expect(decide(toy).action).toBeUndefined();
  });

  it('a first member with others in its list is not accepted', () => {
    const toy = running();
    toy.recorded = { volumes: {}, operation: { type: 'Bootstrap', slot: 0, startedAtMs: 0 }, version: '3.5.30' };
    toy.set = { start: 0, replicas: 1, hash: toy.templateHash };
    expect(decide(toy).problem).toEqual({
      reason: 'ForeignMember',
      message: 'a new cluster has other members than its first one: main-0, main-1, main-2',
    });
    toy.set = { start: 0, replicas: 3, hash: toy.templateHash };
    expect(toy.step()).toBe('setRange 0+1');
  });
});

describe('replacement', () => {
  const lost = (slot: SlotFacts): SlotFacts =>
    slot.volume && slot.index === 1 ? { ...slot, volume: { ...slot.volume, phase: 'Lost' } } : slot;
  const broken = (slot: number) => {
    const toy = running();
    const pod = toy.pods.get(slot);
    if (pod) pod.isBroken = true;
    return toy;
  };

  it('does not begin while the others have no quorum', () => {
    const faults = (slot: SlotFacts) => {
      if (slot.index === 2) return { ...slot, isServing: false };
      return slot.index === 1 ? { ...lost(slot), isServing: false } : slot;
    };
    expect(decide(running(), {}, faults).problem).toEqual({
      reason: 'MemberUnhealthy',
      message: 'main-1 has to be replaced (its volume is lost), but the others have no quorum',
    });
  });

  it('is given up if the fault has passed, and the member still serves', () => {
    const toy = running();
    const { id = '' } = toy.members[1] ?? {};
    toy.recorded = {
      ...toy.recorded,
      operation: { type: 'ReplaceMember', slot: 1, memberId: id, startedAtMs: 0 },
    };
    expect(toy.run()).toEqual([]);
    expect(toy.recorded.operation).toBeUndefined();
  });

  it('is not the cure for a container that runs out of memory', () => {
    const killed = (slot: SlotFacts) =>
      slot.pod && slot.index === 1 ? { ...slot, pod: { ...slot.pod, lastTermination: 'OOMKilled' } } : slot;
    const decision = decide(broken(1), {}, killed);
    expect(decision.recorded.operation).toBeUndefined();
    expect(decision.waiting?.message).toBe('waiting for main-1 to be ready');
  });

  it('follows the loss of a volume', () => {
    expect(decide(running(), {}, lost).events[0]?.message).toBe('replacing main-1: its volume is lost');
  });
});

describe('deletion', () => {
  const deleting = () => {
    const toy = running();
    toy.wanted = { ...toy.wanted, isDeleting: true, whenDeleted: 'Delete' };
    return toy;
  };

  it('waits for pods and volumes that are being deleted', () => {
    const toy = deleting();
    toy.set = undefined;
    expect(decide(toy).waiting?.message).toBe('waiting until 3 pods are deleted');
    toy.pods.clear();
    const gone = (slot: SlotFacts) => (slot.volume ? { ...slot, volume: { ...slot.volume, isDeleting: true } } : slot);
    expect(decide(toy, {}, gone).waiting?.message).toBe('waiting until the volume of main-0 is deleted');
  });

  it('leaves objects of other owners alone', () => {
    const toy = deleting();
    toy.pods.clear();
    const { facts } = toy.input();
    const set = facts.set && { ...facts.set, isOurs: false };
    const foreign = (slot: SlotFacts) => (slot.volume ? { ...slot, volume: { ...slot.volume, isOurs: false } } : slot);
    expect(decide(toy, { facts: { ...facts, set } }, foreign).action?.do).toBe('removeFinalizer');
  });
});

describe('certificates', () => {
  const steady = steadyCertificates;
  const stepOf = (facts: Partial<CertificateFacts>, toy = running()) => {
    const { action, problem } = decide(toy, { certificates: { ...steady, ...facts } });
    return action?.do === 'certificates' ? action.step : problem?.reason;
  };

  it.each<[string | undefined, Partial<CertificateFacts>]>([
    [undefined, {}],
    ['CreateAuthority', { hasAuthority: false, isKeyLost: true }],
    ['AuthorityLost', { hasAuthority: false, isKeyLost: true, lost: ['main-peer-tls'] }],
    ['AuthorityLost', { isKeyLost: true, rotation: 'Introduced', lost: ['main-peer-tls'] }],
    ['AuthorityLost', { hasAuthority: false, lost: ['main-server-tls', 'main-peer-tls', 'main-client-tls'] }],
    ['KeepAuthority', { isAuthorityKept: false, due: ['main-peer-tls'] }],
    ['RenewLeaves', { due: ['main-peer-tls'] }],
    ['IntroduceAuthority', { isAuthorityDue: true }],
    ['SwitchAuthority', { rotation: 'Introduced' }],
    [undefined, { rotation: 'Introduced', introducedAtMs: 0 }],
    ['RetireAuthority', { rotation: 'Switched', switchedAtMs: -600_000 }],
    ['CertificateInvalid', { problem: 'it has expired' }],
  ])('%s', (step, facts) => {
    expect(stepOf(facts)).toBe(step);
  });

  it('of a new authority are issued at once if no member runs', () => {
    const toy = new ToyCluster();
    const lost = ['main-server-tls', 'main-peer-tls', 'main-client-tls'];
    expect(stepOf({ hasAuthority: false, lost }, toy)).toBe('CreateAuthority');
    expect(stepOf({ hasAuthority: false, isKeyLost: true, lost: ['main-peer-tls'] }, toy)).toBe('CreateAuthority');
  });

  it('say which are lost, and a cluster is stopped without them', () => {
    const toy = running();
    const certificates = { ...steady, hasAuthority: false, isKeyLost: true, lost: ['main-peer-tls'] };
    expect(decide(toy, { certificates }).problem?.message).toContain('certificates of it are lost: main-peer-tls;');
    toy.wanted = { ...toy.wanted, size: 0 };
    const { action, recorded } = decide(toy, { certificates });
    expect([action, recorded.stopped]).toEqual([undefined, { start: 0, size: 3 }]);
  });

  it('of a next authority are issued when nodes have delivered what to trust', () => {
    const toy = running();
    expect(stepOf({ rotation: 'Introduced', introducedAtMs: toy.nowMs }, toy)).toBeUndefined();
    expect(stepOf({ rotation: 'Introduced', introducedAtMs: toy.nowMs - 600_000 }, toy)).toBe('SwitchAuthority');
  });

  it('of the old authority are trusted until nodes have delivered the new ones', () => {
    const toy = running();
    expect(stepOf({ rotation: 'Switched', switchedAtMs: toy.nowMs }, toy)).toBeUndefined();
    toy.nowMs += 600_000;
    expect(stepOf({ rotation: 'Switched', switchedAtMs: toy.nowMs - 600_000 }, toy)).toBe('RetireAuthority');
  });

  it('are renewed without a quorum, but the authority is not changed while a member is down', () => {
    const toy = running();
    toy.unreachable.add(1);
    expect(stepOf({ isAuthorityDue: true }, toy)).toBeUndefined();
    toy.unreachable.add(2);
    expect(stepOf({ due: ['main-peer-tls'] }, toy)).toBe('RenewLeaves');
  });
});
