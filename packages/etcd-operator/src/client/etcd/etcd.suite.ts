/** What every client of etcd and every cluster behind it does: real servers through the gateway, and the simulated one. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EtcdClient, EtcdErrorCode, EtcdId } from './contract.ts';
import { isEtcdError } from './error.ts';
import { describeQuota } from './quota.suite.ts';
import { type EtcdHarness, eventually, outcome, type SuiteCluster } from './suite.kit.ts';

const retried: readonly EtcdErrorCode[] = ['Unhealthy', 'LearnerNotReady', 'NotEnoughStarted', 'NoLeader', 'Timeout'];

export function describeEtcd(harness: EtcdHarness): void {
  let cluster: SuiteCluster;
  let client: EtcdClient;

  const open = async () => {
    cluster = harness.create({});
    client = cluster.client;
    const slots = [0, 1, 2];
    for (const slot of slots) cluster.start(slot, { state: 'new', slots });
    for (const slot of slots) await untilServing(slot);
  };
  const untilServing = (slot: number) =>
    eventually(() => client.get(cluster.endpoint(slot), 'any', { timeoutMs: 1_000 }));
  const idOf = async (slot: number): Promise<EtcdId> => (await client.status(cluster.endpoint(slot))).memberId;
  const leaderOf = async (slot = 0): Promise<number> => {
    const { leaderId } = await client.status(cluster.endpoint(slot));
    for (const other of [0, 1, 2]) if ((await idOf(other)) === leaderId) return other;
    throw new Error('no leader');
  };
  /**
   * A change of members is refused until the members have been connected for some seconds. One that follows another too
   * closely is dropped by the leader without an answer.
   */
  const changed = async <T>(change: () => Promise<T>): Promise<T> => {
    const settled = await eventually(async () => {
      try {
        return { result: await change() };
      } catch (error) {
        if (!isEtcdError(error) || retried.includes(error.code)) throw error;
        return { error };
      }
    });
    if ('error' in settled) throw settled.error;
    return settled.result;
  };

  describe(`three members: ${harness.name}`, () => {
    beforeAll(open);
    afterAll(() => cluster.close());

    it('report one cluster, one leader and their version', async () => {
      const all = await Promise.all([0, 1, 2].map((slot) => client.status(cluster.endpoint(slot))));
      expect(new Set(all.map(({ clusterId }) => clusterId)).size).toBe(1);
      expect(new Set(all.map(({ memberId }) => memberId)).size).toBe(3);
      expect(new Set(all.map(({ leaderId }) => leaderId)).size).toBe(1);
      expect(all.map(({ memberId }) => memberId)).toContain(all[0]?.leaderId);
      for (const status of all) {
        expect(status).toMatchObject({ version: harness.version, isLearner: false });
        expect(status.dbSizeBytes).toBeGreaterThanOrEqual(status.dbSizeInUseBytes);
        expect(status.raftIndex).toBeGreaterThanOrEqual(status.raftAppliedIndex);
        expect(status.raftTerm).toBeGreaterThan(0n);
      }
    });

    it('list each other', async () => {
      const { clusterId, members } = await client.memberList(cluster.endpoint(1));
      expect(clusterId).toBe((await client.status(cluster.endpoint(0))).clusterId);
      expect([...members].map(({ name }) => name).sort()).toEqual(['etcd-0', 'etcd-1', 'etcd-2']);
      for (const slot of [0, 1, 2]) {
        const member = members.find(({ name }) => name === `etcd-${slot}`);
        expect(member).toMatchObject({
          id: await idOf(slot),
          peerURLs: [cluster.peerURL(slot)],
          isLearner: false,
        });
        expect(member?.clientURLs).toHaveLength(1);
      }
    });

    it('write a value that every member reads', async () => {
      const revision = await client.put(cluster.endpoint(0), 'colour', 'blue');
      for (const slot of [0, 1, 2]) {
        expect(await client.get(cluster.endpoint(slot), 'colour')).toEqual({ value: 'blue', modRevision: revision });
      }
      expect(await client.put(cluster.endpoint(1), 'colour', 'grün')).toBe(revision + 1n);
      expect(await client.get(cluster.endpoint(2), 'colour')).toMatchObject({ value: 'grün' });
      expect(await client.get(cluster.endpoint(2), 'taste')).toBeUndefined();
      expect((await client.status(cluster.endpoint(1))).revision).toBe(revision + 1n);
    });

    it('have the same hash, if the release can tell', async () => {
      const revision = await client.put(cluster.endpoint(0), 'hash', 'a');
      const counts = [revision - 1n, revision].map((each) => client.count(cluster.endpoint(1), each));
      const [before = 0, after = 0] = await Promise.all(counts);
      expect(after - before).toBe(1);
      expect(await outcome(client.count(cluster.endpoint(0), revision + 9n))).toBe('Other');
      if (harness.version.startsWith('3.4.')) {
        expect(await outcome(client.hashKV(cluster.endpoint(0), revision))).toBe('Other');
        return;
      }
      for (const slot of [1, 2]) await client.get(cluster.endpoint(slot), 'hash');
      const hashAt = async (slot: number, at: bigint) => (await client.hashKV(cluster.endpoint(slot), at)).hash;
      const hashes = await Promise.all([0, 1, 2].map((slot) => hashAt(slot, revision)));
      expect(new Set(hashes).size).toBe(1);
      await client.put(cluster.endpoint(0), 'hash', 'b');
      expect(await hashAt(0, 0n)).not.toBe(hashes[0]);
      expect((await client.hashKV(cluster.endpoint(0), 0n)).compactRevision).toBe(0n);
      expect(await outcome(client.hashKV(cluster.endpoint(0), revision + 9n))).toBe('Other');
    });

    it('send a snapshot with its length and checksum, which changes with the data', async () => {
      await client.put(cluster.endpoint(0), 'in', 'the snapshot');
      const read = async () => {
        const { sizeBytes, version, chunks } = await client.snapshot(cluster.endpoint(1));
        expect(version).toBe(harness.version.startsWith('3.6.') ? '3.6.0' : '');
        const parts: Uint8Array[] = [];
        for await (const chunk of chunks) parts.push(Buffer.from(chunk));
        const bytes = Buffer.concat(parts);
        expect(bytes.byteLength).toBe(sizeBytes);
        expect(sizeBytes % 512).toBe(32);
        const trailer = createHash('sha256').update(bytes.subarray(0, -32)).digest('hex');
        expect(bytes.subarray(-32).toString('hex')).toBe(trailer);
        return trailer;
      };
      const before = await read();
      await client.put(cluster.endpoint(1), 'in', 'the next snapshot');
      expect(await read()).not.toBe(before);
    });

    it('compact their history, also twice', async () => {
      const revision = await client.put(cluster.endpoint(0), 'history', 'a');
      await client.put(cluster.endpoint(0), 'history', 'b');
      await client.compact(cluster.endpoint(0), revision);
      await client.compact(cluster.endpoint(0), revision);
      expect(await client.get(cluster.endpoint(1), 'history')).toMatchObject({ value: 'b' });
      expect(await outcome(client.compact(cluster.endpoint(0), revision + 9n))).toBe('Other');
    });

    it('have no alarms, and can be defragmented', async () => {
      expect(await client.alarms(cluster.endpoint(0))).toEqual([]);
      await client.defragment(cluster.endpoint(0));
      expect(await client.get(cluster.endpoint(0), 'colour')).toMatchObject({ value: 'grün' });
    });

    it('move the leader to a follower, only if the leader is asked', async () => {
      const leader = await leaderOf();
      const follower = (leader + 1) % 3;
      const other = (leader + 2) % 3;
      expect(await outcome(client.moveLeader(cluster.endpoint(other), await idOf(follower)))).toBe('NotLeader');
      await client.moveLeader(cluster.endpoint(leader), await idOf(follower));
      for (const slot of [0, 1, 2]) await expect.poll(() => leaderOf(slot), { interval: 50 }).toBe(follower);
    });

    it('refuse a leader that is not a member', async () => {
      expect(await outcome(client.moveLeader(cluster.endpoint(await leaderOf()), 'abc'))).toBe('Other');
    });

    it('refuse the peer URL of a member, and to promote or remove what is not there', async () => {
      expect(await outcome(changed(() => client.addLearner(cluster.endpoint(0), cluster.peerURL(1))))).toBe(
        'PeerUrlExists',
      );
      const leader = cluster.endpoint(await leaderOf());
      const voter = await idOf(1);
      expect(await outcome(changed(() => client.promote(leader, 'abc')))).toBe('MemberNotFound');
      expect(await outcome(changed(() => client.remove(leader, 'abc')))).toBe('MemberNotFound');
      expect(await outcome(changed(() => client.promote(leader, voter)))).toBe('NotLearner');
    });

    it('add a learner, which is promoted when it is in sync, and remove it', async () => {
      const leader = cluster.endpoint(await leaderOf());
      const added = await changed(() => client.addLearner(cluster.endpoint(0), cluster.peerURL(3)));
      expect(added.members).toHaveLength(4);
      expect(added.members.find(({ id }) => id === added.memberId)).toEqual({
        id: added.memberId,
        name: '',
        peerURLs: [cluster.peerURL(3)],
        clientURLs: [],
        isLearner: true,
      });
      // Before it has started.
      expect(await outcome(changed(() => client.addLearner(cluster.endpoint(1), cluster.peerURL(4))))).toBe(
        'TooManyLearners',
      );
      expect(await outcome(client.promote(leader, added.memberId))).toBe('LearnerNotReady');

      cluster.start(3, { state: 'existing', slots: [0, 1, 2, 3] });
      const learner = cluster.endpoint(3);
      await eventually(() => client.status(learner, { timeoutMs: 1_000 }));
      expect(await client.status(learner)).toMatchObject({ memberId: added.memberId, isLearner: true });
      expect(await outcome(client.memberList(learner))).toBe('NotSupportedForLearner');
      expect(await outcome(client.put(learner, 'a', 'b'))).toBe('NotSupportedForLearner');
      expect(await outcome(client.get(learner, 'colour'))).toBe('NotSupportedForLearner');
      await expect.poll(() => client.get(learner, 'colour', { serializable: true })).toMatchObject({ value: 'grün' });

      // Also through a member that is not the leader.
      const follower = cluster.endpoint(((await leaderOf()) + 1) % 3);
      await changed(() => client.promote(follower, added.memberId));
      // The list of 3.4 is what the asked member knows.
      await eventually(async () => {
        const { members } = await client.memberList(cluster.endpoint(0));
        expect(members.find(({ id }) => id === added.memberId)).toMatchObject({ name: 'etcd-3', isLearner: false });
      });
      await untilServing(3);

      await changed(() => client.remove(cluster.endpoint(0), added.memberId));
      expect((await client.memberList(cluster.endpoint(0))).members).toHaveLength(3);
      expect(await outcome(changed(() => client.remove(cluster.endpoint(0), added.memberId)))).toBe('MemberNotFound');
      await expect.poll(() => cluster.isRunning(3)).toBe(false);
      cluster.restart(3);
      await expect.poll(() => cluster.isRunning(3)).toBe(false);
    });

    it('fail when the client closes, aborts or does not wait', async () => {
      cluster.freeze(2, true);
      // The threads of a process stop some time after the signal, and answer until then.
      await expect.poll(() => outcome(client.status(cluster.endpoint(2), { timeoutMs: 200 }))).toBe('Timeout');
      const abort = new AbortController();
      const waiting = outcome(client.status(cluster.endpoint(2), { signal: abort.signal }));
      abort.abort();
      expect(await waiting).toBe('Unavailable');
      expect(await outcome(client.status(cluster.endpoint(0), { signal: AbortSignal.abort() }))).toBe('Unavailable');
      expect(await outcome(client.snapshot(cluster.endpoint(2), { idleTimeoutMs: 200 }))).toBe('Timeout');
      expect(await outcome(client.snapshot(cluster.endpoint(0), { signal: AbortSignal.abort() }))).toBe('Unavailable');
      cluster.freeze(2, false);
      await untilServing(2);
    });

    it('serve without one member, but add none', async () => {
      const leader = await leaderOf();
      const stopped = (leader + 1) % 3;
      await cluster.stop(stopped);
      expect(await outcome(client.status(cluster.endpoint(stopped)))).toBe('Unavailable');
      expect(await outcome(client.snapshot(cluster.endpoint(stopped)))).toBe('Unavailable');
      await client.put(cluster.endpoint(leader), 'with', 'two');
      expect(['Unhealthy', 'NotEnoughStarted']).toContain(
        await outcome(client.addLearner(cluster.endpoint(leader), cluster.peerURL(3))),
      );
      cluster.restart(stopped);
      await untilServing(stopped);
      expect(await client.get(cluster.endpoint(stopped), 'with')).toMatchObject({ value: 'two' });
    });

    it('elect another leader when it stops', async () => {
      const leader = await leaderOf();
      const left = [0, 1, 2].filter((slot) => slot !== leader);
      await cluster.stop(leader);
      await expect
        .poll(() => outcome(client.put(cluster.endpoint(left[0] ?? 0), 'after', 'it', { timeoutMs: 1_000 })))
        .toBe('ok');
      cluster.restart(leader);
      await untilServing(leader);
      expect(await client.get(cluster.endpoint(leader), 'after')).toMatchObject({ value: 'it' });
    });

    it('without a quorum answer only what a member knows by itself', async () => {
      await Promise.all([cluster.stop(1), cluster.stop(2)]);
      const survivor = cluster.endpoint(0);
      await expect.poll(async () => (await client.status(survivor)).leaderId).toBeUndefined();
      const lost: readonly (EtcdErrorCode | 'ok')[] = ['NoLeader', 'Timeout'];
      expect(lost).toContain(await outcome(client.put(survivor, 'without', 'quorum', { timeoutMs: 1_000 })));
      expect(lost).toContain(await outcome(client.memberList(survivor, { timeoutMs: 1_000 })));
      expect(lost).toContain(await outcome(client.addLearner(survivor, cluster.peerURL(3), { timeoutMs: 1_000 })));
      expect(await client.get(survivor, 'after', { serializable: true })).toMatchObject({ value: 'it' });
      // A member that starts without a quorum answers nothing at all.
      await cluster.stop(0);
      cluster.restart(0);
      await eventually(async () =>
        expect(await outcome(client.status(survivor, { timeoutMs: 1_000 }))).toBe('Timeout'),
      );
      for (const slot of [1, 2]) cluster.restart(slot);
      for (const slot of [0, 1, 2]) await untilServing(slot);
    });

    it('refuse a member that lost its data, unless it is told to join and a new leader does not count on it', async () => {
      const leader = await leaderOf();
      const lost = (leader + 1) % 3;
      const other = (leader + 2) % 3;
      const startEmpty = async (state: 'new' | 'existing', slots: readonly number[]) => {
        await cluster.stop(lost);
        cluster.wipe(lost);
        cluster.start(lost, { state, slots });
      };
      const untilEnded = () => eventually(async () => expect(cluster.isRunning(lost)).toBe(false));
      // It has no peers to get its identity from. This is what keeps a settled member from joining without its data.
      await startEmpty('existing', [lost]);
      await untilEnded();
      // The number of members differs.
      await startEmpty('existing', [lost, leader]);
      await untilEnded();
      // The others know it as a member that had started before.
      await startEmpty('new', [0, 1, 2]);
      await untilEnded();
      // Nothing prevents a second cluster.
      await startEmpty('new', [lost]);
      await untilServing(lost);
      const { clusterId } = await client.status(cluster.endpoint(leader));
      expect((await client.status(cluster.endpoint(lost))).clusterId).not.toBe(clusterId);
      // The leader remembers what the member had acknowledged.
      await startEmpty('existing', [0, 1, 2]);
      await untilEnded();

      await client.put(cluster.endpoint(leader), 'kept', 'by two');
      const { members } = await client.memberList(cluster.endpoint(leader));
      const otherId = members.find(({ name }) => name === `etcd-${other}`)?.id ?? '';
      await client.moveLeader(cluster.endpoint(leader), otherId);
      await startEmpty('existing', [0, 1, 2]);
      await untilServing(lost);
      expect(await client.get(cluster.endpoint(lost), 'kept')).toMatchObject({ value: 'by two' });
      expect(await client.status(cluster.endpoint(lost))).toMatchObject({ clusterId });
    });

    it('remove a member that is down, and leave its process without a cluster', async () => {
      const leader = await leaderOf();
      const stopped = (leader + 1) % 3;
      const id = await idOf(stopped);
      await cluster.stop(stopped);
      await changed(() => client.remove(cluster.endpoint(leader), id));
      cluster.restart(stopped);
      await expect.poll(() => cluster.isRunning(stopped)).toBe(false);
      expect((await client.memberList(cluster.endpoint(leader))).members).toHaveLength(2);
    });
  });

  describeQuota(harness);
}
