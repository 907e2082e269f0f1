import { describe, expect, it } from 'vitest';
import type { EtcdEndpoint } from './contract.ts';
import { type MembersOptions, observeMembers } from './members.ts';
import { type MemberScript, member, ScriptedEtcd, statusOfMember } from './scripted.kit.ts';

const list = { clusterId: 'c1', members: [member('a', 0), member('b', 1), member('c', 2)] };
const healthy = (id: string): MemberScript => ({ status: statusOfMember(id), list });

async function observe(...scripts: readonly (MemberScript | undefined)[]) {
  return observeWith({}, ...scripts);
}

async function observeWith(options: Partial<MembersOptions>, ...scripts: readonly (MemberScript | undefined)[]) {
  const etcd = new ScriptedEtcd();
  const endpoints = new Map<number, EtcdEndpoint>();
  for (const [slot, script] of scripts.entries()) {
    const host = `main-${slot}`;
    endpoints.set(slot, { host, address: `10.0.0.${slot}`, port: 2379 });
    if (script) etcd.members.set(host, script);
  }
  const observed = await observeMembers(etcd, endpoints, { timeoutMs: 1, ...options });
  const serving = [...observed.answers].filter(([, { isServing }]) => isServing).map(([slot]) => slot);
  return { ...observed, serving };
}

describe('what is observed of members', () => {
  it('is what each member answers, and the list of one that serves', async () => {
    const { serving, members, alarms, answers } = await observe(healthy('a'), healthy('b'), healthy('c'));
    expect(serving).toEqual([0, 1, 2]);
    expect(members).toEqual(list);
    expect(alarms).toEqual([]);
    expect(answers.get(1)?.status).toMatchObject({ memberId: 'b' });
  });

  it('of one member says nothing about the others', async () => {
    const { serving, members, answers } = await observe(undefined, healthy('b'), healthy('c'));
    expect(answers.get(0)).toEqual({ error: 'scripted: Unavailable', isServing: false });
    expect(serving).toEqual([1, 2]);
    expect(members).toEqual(list);
  });

  it('is not good if a member answers and cannot read', async () => {
    const { serving, answers } = await observe({ ...healthy('a'), read: 'Timeout' }, healthy('b'));
    expect(serving).toEqual([1]);
    expect(answers.get(0)?.status).toBeDefined();
  });

  it('tells a member that refuses the operator from one that fails', async () => {
    const scripts = [
      { ...healthy('a'), read: 'Denied' },
      { ...healthy('b'), read: 'Timeout' },
      { status: 'Denied' },
      { status: 'Timeout' },
    ] as const;
    const { answers, serving } = await observe(...scripts);
    expect(scripts.map((_, slot) => answers.get(slot)?.isDenied)).toEqual([true, undefined, true, undefined]);
    expect(serving).toEqual([]);
  });

  it('is good if reads are refused for an alarm: without that a corrupt member was never replaced', async () => {
    const { serving, members } = await observe(
      { ...healthy('a'), read: 'Corrupt' },
      { ...healthy('b'), read: 'Corrupt' },
    );
    expect(serving).toEqual([0, 1]);
    expect(members).toEqual(list);
  });

  it('of a learner, and of a member without a leader, is its status alone', async () => {
    const { serving, members } = await observe(
      { status: statusOfMember('a', { isLearner: true }), list },
      { status: statusOfMember('b', { leaderId: undefined }), list },
    );
    expect(serving).toEqual([]);
    // A list of a member that does not serve may be old.
    expect(members).toBeUndefined();
  });

  it('is unknown, which is not an empty list, if no member answers', async () => {
    const { members, alarms, answers } = await observe(undefined, undefined);
    expect(members).toBeUndefined();
    expect(alarms).toEqual([]);
    expect(answers.size).toBe(2);
    expect((await observe()).members).toBeUndefined();
  });

  it('asks the leader first for the members, and others if it fails', async () => {
    const old = { clusterId: 'c1', members: [member('a', 0)] };
    const follower = { ...healthy('b'), list: old };
    expect((await observe(follower, healthy('a'))).members).toEqual(list);
    expect((await observe(follower, { ...healthy('a'), list: 'Timeout' })).members).toEqual(old);
    expect((await observe(follower, { ...healthy('a'), alarms: 'NoLeader' })).members).toEqual(old);
    const all = await observe({ ...follower, list: 'Timeout' }, { ...healthy('a'), list: 'Timeout' });
    expect(all.members).toBeUndefined();
    expect(all.serving).toEqual([0, 1]);
  });

  it('counts the keys of one member at a revision, if it can tell', async () => {
    const keysOf = async (keys: MemberScript['keys']) => {
      const script = keys === undefined ? healthy('b') : { ...healthy('b'), keys };
      const { answers } = await observeWith(
        { countAt: { slot: 1, revision: 7n } },
        { ...healthy('a'), keys: 9 },
        script,
      );
      return [...answers.values()].map((answer) => [answer.isServing, answer.keys]);
    };
    expect(await keysOf(5)).toEqual([
      [true, undefined],
      [true, 5],
    ]);
    // Compacted.
    expect((await keysOf('Other'))[1]).toEqual([true, undefined]);
    // It is asked again.
    expect((await keysOf('Timeout'))[1]).toEqual([false, undefined]);
  });

  it('reports alarms', async () => {
    const alarms = [{ type: 'NOSPACE', memberId: 'a' }] as const;
    expect((await observe({ ...healthy('a'), alarms })).alarms).toEqual(alarms);
  });
});
