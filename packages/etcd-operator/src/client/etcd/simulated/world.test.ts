/** What the simulated cluster does beyond the contract of the client: faults, data loss and versions, on a virtual clock. */
import { VirtualClock } from '@ecsm/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EtcdClient, EtcdEndpoint } from '../contract.ts';
import { outcome } from '../suite.kit.ts';
import { readConfigFile } from './config.kit.ts';
import { EtcdVolume, type SimulatedEtcdOptions } from './model.kit.ts';
import { SimulatedEtcd } from './world.kit.ts';

const scope = 'main-peer.default.svc';
let clock: VirtualClock;
let world: SimulatedEtcd;
let client: EtcdClient;
let volumes: EtcdVolume[];
let exits: string[];
beforeEach(() => {
  clock = new VirtualClock();
  world = new SimulatedEtcd(clock);
  client = world.connect(undefined);
  volumes = Array.from({ length: 5 }, () => new EtcdVolume());
  exits = [];
});

const url = (slot: number) => `https://main-${slot}.main-peer.default.svc:2380`;
const at = (slot: number): EtcdEndpoint => ({ host: `main-${slot}`, address: `10.0.0.${slot}`, port: 2379 });

function start(slot: number, slots: readonly number[], more: Partial<SimulatedEtcdOptions> = {}): void {
  world.start({
    name: `main-${slot}`,
    peerURL: url(slot),
    clientURL: url(slot).replace('2380', '2379'),
    address: at(slot).address,
    version: '3.5.16',
    volume: volumes[slot] ?? new EtcdVolume(),
    initialCluster: slots.map((other) => ({ name: `main-${other}`, peerURL: url(other) })),
    initialClusterState: 'existing',
    initialClusterToken: 'token',
    onExit: (reason) => void exits.push(`${slot}: ${reason}`),
    ...more,
  });
}

async function three(): Promise<void> {
  for (const slot of [0, 1, 2]) start(slot, [0, 1, 2], { initialClusterState: 'new' });
  await clock.until(() => [0, 1, 2].every((slot) => world.process(url(slot))?.isServing));
  await clock.advance(10_000);
}

const leaderSlot = () => [0, 1, 2, 3].find((slot) => world.process(url(slot))?.isLeader) ?? -1;
const others = (slot: number) => [0, 1, 2].filter((other) => other !== slot);
const put = (slot: number, key: string, value = 'a') => clock.run(outcome(client.put(at(slot), key, value)));

describe('a data directory', () => {
  it('survives the stop of all members', async () => {
    await three();
    expect(await put(0, 'key')).toBe('ok');
    for (const slot of [0, 1, 2]) world.stop(url(slot));
    await clock.advance(5_000);
    for (const slot of [2, 1, 0]) start(slot, [slot]);
    await clock.advance(3_000);
    expect(await clock.run(client.get(at(1), 'key'))).toMatchObject({ value: 'a' });
    expect(world.lostWrites(scope)).toEqual([]);
  });

  it('that is empty keeps a member from starting if it knows no peers', async () => {
    await three();
    world.stop(url(1));
    volumes[1]?.wipe();
    start(1, [1]);
    await clock.advance(1_000);
    expect(exits).toEqual([expect.stringContaining('could not retrieve cluster information')]);
    expect(world.isRunning(url(1))).toBe(false);
  });

  it('that is empty keeps a member from starting with another number of members, or as a new one', async () => {
    await three();
    world.stop(url(1));
    volumes[1]?.wipe();
    start(1, [0, 1]);
    await clock.advance(1_000);
    start(1, [0, 1, 2], { initialClusterState: 'new' });
    await clock.advance(1_000);
    expect(exits).toEqual([
      expect.stringContaining('member count is unequal'),
      expect.stringContaining('has already been bootstrapped'),
    ]);
  });

  it('that is empty makes a second cluster if it is told to start a new one alone', async () => {
    await three();
    const { clusterId } = await clock.run(client.status(at(0)));
    world.stop(url(1));
    volumes[1]?.wipe();
    start(1, [1], { initialClusterState: 'new' });
    await clock.advance(5_000);
    expect((await clock.run(client.status(at(1)))).clusterId).not.toBe(clusterId);
    expect(world.leaders(scope)).toHaveLength(2);
    expect(world.lostWrites(scope)).toBeUndefined();
  });

  it('that is empty ends a member whose leader still counts on it', async () => {
    await three();
    const victim = others(leaderSlot())[0] ?? 0;
    world.stop(url(victim));
    volumes[victim]?.wipe();
    start(victim, [0, 1, 2]);
    await clock.advance(3_000);
    expect(exits).toEqual([expect.stringContaining('is out of range [lastIndex(0)]')]);
  });

  it('that is empty loses acknowledged writes if its member votes under its old id', async () => {
    await three();
    const leader = leaderSlot();
    const [behind = 0, victim = 0] = others(leader);
    // Acknowledged by the leader and the victim only.
    world.stop(url(behind));
    await clock.advance(100);
    expect(await put(leader, 'precious')).toBe('ok');
    world.stop(url(leader));
    world.stop(url(victim));
    volumes[victim]?.wipe();
    start(behind, [0, 1, 2]);
    await clock.advance(1_000);
    start(victim, [0, 1, 2]);
    await clock.advance(5_000);
    expect(leaderSlot()).toBe(behind);
    expect([...world.acknowledged(scope)]).toEqual([['precious', 'a']]);
    expect(world.lostWrites(scope)).toEqual(['precious']);
  });

  it('of a newer minor version is refused, and the cluster version follows the oldest member', async () => {
    await three();
    expect(world.process(url(0))?.state.minor).toBe(5);
    for (const slot of [0, 1]) {
      world.stop(url(slot));
      start(slot, [slot], { version: '3.6.16' });
      await clock.advance(10_000);
    }
    expect(world.process(url(0))?.state.minor).toBe(5);
    world.stop(url(2));
    start(2, [2], { version: '3.6.16' });
    await clock.advance(10_000);
    expect(world.process(url(0))?.state.minor).toBe(6);
    world.stop(url(2));
    start(2, [2], { version: '3.5.16' });
    await clock.advance(1_000);
    expect(exits).toEqual([expect.stringContaining('cluster cannot be downgraded')]);
  });

  it('of a survivor makes a cluster of one with force-new-cluster, under the same ids', async () => {
    await three();
    expect(await put(0, 'key')).toBe('ok');
    const before = await clock.run(client.status(at(2)));
    for (const slot of [0, 1, 2]) world.stop(url(slot));
    await clock.advance(100);
    start(2, [2], { forceNewCluster: true });
    await clock.advance(3_000);
    const { clusterId, members } = await clock.run(client.memberList(at(2)));
    expect(clusterId).toBe(before.clusterId);
    expect(members.map(({ id }) => id)).toEqual([before.memberId]);
    expect(world.lostWrites(scope)).toEqual([]);
    start(0, [0]);
    await clock.advance(3_000);
    expect(exits).toEqual([expect.stringContaining('permanently removed')]);
  });
});

describe('a partition', () => {
  it('leaves a leader without a quorum, which then loses what no other member has', async () => {
    await three();
    const leader = leaderSlot();
    const [other = 0] = others(leader);
    world.partition([url(leader)]);
    const waiting = outcome(client.put(at(leader), 'alone', 'a', { timeoutMs: 3_000 }));
    expect(await clock.run(waiting)).toBe('Timeout');
    expect(await put(leader, 'late')).toBe('NoLeader');
    expect(await put(other, 'key')).toBe('ok');
    expect(world.leaders(scope)).toHaveLength(1);
    world.heal();
    await clock.advance(3_000);
    expect(await clock.run(client.get(at(leader), 'key'))).toMatchObject({ value: 'a' });
    expect(await clock.run(client.get(at(leader), 'alone'))).toBeUndefined();
    expect(world.lostWrites(scope)).toEqual([]);
  });

  it('that ends soon enough only delays a write', async () => {
    await three();
    const leader = leaderSlot();
    world.partition([url(leader)]);
    const waiting = outcome(client.put(at(leader), 'key', 'a'));
    await clock.advance(500);
    world.heal();
    expect(await clock.run(waiting)).toBe('ok');
    expect(leaderSlot()).toBe(leader);
  });
});

describe('a lost answer', () => {
  it('hides a change that has happened, a lost request one that has not', async () => {
    await three();
    world.faultOf = (method) => (method === 'put' ? 'answer lost' : 'none');
    expect(await put(0, 'happened')).toBe('Timeout');
    world.faultOf = (method) => (method === 'put' ? 'request lost' : 'none');
    expect(await put(0, 'never')).toBe('Timeout');
    expect(await clock.run(client.get(at(0), 'happened'))).toMatchObject({ value: 'a' });
    expect(await clock.run(client.get(at(0), 'never'))).toBeUndefined();
    expect(world.acknowledged(scope).size).toBe(0);
  });
});

describe('the CORRUPT alarm', () => {
  it('stops reads and writes until it is disarmed', async () => {
    await three();
    world.damage(url(1));
    expect(await clock.run(client.hashKV(at(1), 0n))).not.toEqual(await clock.run(client.hashKV(at(0), 0n)));
    world.raise(url(0), 'CORRUPT', '0');
    expect(await put(0, 'key')).toBe('Corrupt');
    expect(await clock.run(outcome(client.get(at(0), 'key')))).toBe('Corrupt');
    expect(await clock.run(client.alarms(at(2)))).toEqual([{ memberId: '0', type: 'CORRUPT' }]);
    await clock.run(client.disarm(at(2), { memberId: '0', type: 'CORRUPT' }));
    expect(await put(0, 'key')).toBe('ok');
  });
});

describe('a configuration file', () => {
  it('starts a member', async () => {
    const config = {
      name: 'main-0',
      'initial-advertise-peer-urls': url(0),
      'advertise-client-urls': 'https://main-0:2379',
      'initial-cluster': `main-0=${url(0)}`,
      'initial-cluster-state': 'new',
      'initial-cluster-token': 'token',
      'quota-backend-bytes': 100_000,
    };
    world.start({
      ...readConfigFile(JSON.stringify(config)),
      address: '10.0.0.0',
      version: '3.6.16',
      volume: new EtcdVolume(),
    });
    await clock.advance(5_000);
    expect(await put(0, 'key', 'x'.repeat(90_000))).toBe('NoSpace');
    expect((await clock.run(client.memberList(at(0)))).members).toMatchObject([{ name: 'main-0', peerURLs: [url(0)] }]);
    expect(() => readConfigFile('{"name":"main-0"}')).toThrow('initial-advertise-peer-urls is missing');
  });
});

describe('ids', () => {
  it('of a bootstrap follow from URL and token, those of an addition also from the time', async () => {
    await three();
    const ids = async () => {
      const added = await clock.run(client.addLearner(at(0), url(3)));
      await clock.run(client.remove(at(0), added.memberId));
      return added.memberId;
    };
    const first = await ids();
    await clock.advance(1_000);
    expect(await ids()).not.toBe(first);
    const bootstrap = (await clock.run(client.memberList(at(0)))).members.map(({ id }) => id);
    world = new SimulatedEtcd(clock);
    client = world.connect(undefined);
    volumes = volumes.map(() => new EtcdVolume());
    await three();
    expect((await clock.run(client.memberList(at(0)))).members.map(({ id }) => id)).toEqual(bootstrap);
  });
});
