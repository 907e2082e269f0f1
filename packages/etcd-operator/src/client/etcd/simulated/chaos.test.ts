/**
 * Goal: the simulated cluster keeps what raft guarantees. Method: random stops, starts, partitions, frozen processes,
 * moved leaders and additions of members, with writes all the time. Data is never wiped. In the end every member that has
 * joined serves, all have the same values, no acknowledged write is lost, and no process has ended by itself except those
 * that could not join.
 */
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { expect, it } from 'vitest';
import { outcome } from '../suite.kit.ts';
import { EtcdVolume } from './model.kit.ts';
import { SimulatedEtcd } from './world.kit.ts';

const slots = [0, 1, 2, 3, 4];
const stepsMax = 120;
const isFailedJoin = /cluster information|member count is unequal/;

it.each(Array.from({ length: 40 }, (_, seed) => seed))('seed %i loses no acknowledged write', async (seed) => {
  const random = new SeededRandom(seed);
  const below = (limit: number) => Math.floor(random.next() * limit);
  const clock = new VirtualClock();
  const world = new SimulatedEtcd(clock, { healthMs: 500 });
  const client = world.connect(undefined);
  const exits: string[] = [];
  const volumes = slots.map(() => new EtcdVolume());
  const url = (slot: number) => `https://main-${slot}.peers:2380`;
  const at = (slot: number) => ({ host: `main-${slot}`, address: `10.0.0.${slot}`, port: 2379 });
  const start = (slot: number, initial: readonly number[], initialClusterState: 'new' | 'existing') => {
    if (world.isRunning(url(slot))) return;
    world.start({
      name: `main-${slot}`,
      peerURL: url(slot),
      clientURL: url(slot),
      address: at(slot).address,
      version: '3.6.16',
      volume: volumes[slot] ?? new EtcdVolume(),
      initialCluster: initial.map((other) => ({ name: `main-${other}`, peerURL: url(other) })),
      initialClusterState,
      initialClusterToken: 'token',
      onExit: (reason) => void (isFailedJoin.test(reason) || exits.push(reason)),
    });
  };
  for (const slot of [0, 1, 2]) start(slot, [0, 1, 2], 'new');
  await clock.advance(3_000);

  await clock.run(client.put(at(0), 'first', 'a'));
  let writes = 0;
  const pending = new Set<Promise<unknown>>();
  const background = (work: Promise<unknown>) => {
    const call = work.catch(() => {}).finally(() => pending.delete(call));
    pending.add(call);
  };
  const grow = async (slot: number) => {
    const { members } = await client.addLearner(at(below(3)), url(slot));
    start(
      slot,
      members.map(({ peerURLs }) => slots.findIndex((other) => peerURLs.includes(url(other)))),
      'existing',
    );
  };
  const promote = async () => {
    const { members } = await client.memberList(at(below(3)));
    for (const { id, isLearner } of members) if (isLearner) await client.promote(at(below(3)), id);
  };
  for (let step = 0; step < stepsMax; step++) {
    const slot = below(5);
    const isOurs = volumes[slot]?.data !== undefined;
    const action = below(9);
    if (action === 0) world.stop(url(slot));
    else if (action <= 2 && isOurs) start(slot, [slot], 'existing');
    else if (action === 3) world.partition([url(slot)], [url(below(5)), url(below(5))]);
    else if (action === 4) world.heal();
    else if (action === 5) world.freeze(url(slot), below(2) === 0);
    else if (action === 6 && slot > 2 && !isOurs) background(grow(slot));
    else if (action === 7) background(promote());
    else if (action === 8) {
      const target = world.process(url(slot))?.id;
      if (target) background(client.moveLeader(at(below(5)), target, { timeoutMs: 500 }));
    }
    for (let n = 0; n < 3; n++) background(client.put(at(below(5)), `key-${below(5)}`, `${writes++}`));
    await clock.advance(below(700));
  }

  world.heal();
  for (const slot of slots) {
    world.freeze(url(slot), false);
    if (volumes[slot]?.data !== undefined) start(slot, [slot], 'existing');
  }
  await clock.advance(10_000);
  expect(pending.size).toBe(0);
  expect(exits).toEqual([]);
  const { members } = await clock.run(client.memberList(at(0)));
  for (const member of members) {
    const slot = slots.findIndex((other) => member.peerURLs.includes(url(other)));
    if (volumes[slot]?.data === undefined) continue;
    expect(await clock.run(outcome(client.get(at(slot), 'key-0', { serializable: true })))).toBe('ok');
  }
  expect(world.acknowledged('peers').get('first')).toBe('a');
  expect(world.lostWrites('peers')).toEqual([]);
  const states = slots.flatMap((slot) => {
    const state = world.process(url(slot))?.state;
    return state ? [JSON.stringify([...state.keys].map(([key, { value }]) => [key, value]).sort())] : [];
  });
  expect(new Set(states).size).toBe(1);
});
