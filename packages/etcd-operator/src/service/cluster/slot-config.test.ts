import { expect, it } from 'vitest';
import { ToyCluster } from '../toy-cluster.kit.ts';
import { slotConfigs } from './slot-config.ts';

function running(): ToyCluster {
  const cluster = new ToyCluster();
  cluster.run();
  return cluster;
}

it('only the first slot may form the cluster, and only until its id is recorded', () => {
  const { facts } = new ToyCluster().input();
  const operation = { type: 'Bootstrap', slot: 0, startedAtMs: 0 } as const;
  expect(slotConfigs({ volumes: {} }, facts).slots).toEqual(new Map());
  expect(slotConfigs({ volumes: {}, operation }, facts).slots).toEqual(new Map([[0, { role: 'first' }]]));
  const cluster = running();
  expect([...slotConfigs(cluster.recorded, cluster.facts()).slots.values()]).toEqual([
    { role: 'settled' },
    { role: 'settled' },
    { role: 'settled' },
  ]);
});

it('a learner knows all members until its volume is recorded, and none before it is promoted', () => {
  const cluster = running();
  const [first, second] = cluster.members;
  if (!first || !second) throw new Error('no members');
  cluster.members = [first, { ...second, isLearner: true, name: '' }];
  const joining = { ...cluster.recorded, volumes: { 0: cluster.recorded.volumes[0] ?? '' } };
  expect(slotConfigs(joining, cluster.facts()).slots.get(1)).toEqual({
    role: 'joining',
    initialCluster: 'main-0=https://main-0:2380,main-1=https://main-1:2380',
  });
  expect(slotConfigs(cluster.recorded, cluster.facts()).slots.get(1)).toEqual({ role: 'settled' });
});

it('a learner knows members of others, too, by their names or ids', () => {
  const cluster = running();
  const [first, second] = cluster.members;
  if (!first || !second) throw new Error('no members');
  const stranger = (name: string, id: string) => ({ ...first, name, id, peerURLs: [`https://${id}:2380`] });
  cluster.members = [first, { ...second, isLearner: true }];
  const joining = { ...cluster.recorded, volumes: { 0: cluster.recorded.volumes[0] ?? '' } };
  const facts = { ...cluster.facts(), strangers: [stranger('other', 'o1'), stranger('', 'o2')] };
  expect(slotConfigs(joining, facts).slots.get(1)).toEqual({
    role: 'joining',
    initialCluster: 'main-0=https://main-0:2380,main-1=https://main-1:2380,other=https://o1:2380,o2=https://o2:2380',
  });
});

it('is that of a settled member for known slots while the members are not known, and others stay as they are', () => {
  const cluster = running();
  cluster.unreachable.add(0).add(1);
  const { slots, isComplete } = slotConfigs(cluster.recorded, cluster.facts());
  expect(isComplete).toBe(false);
  expect([...slots]).toEqual([0, 1, 2].map((slot) => [slot, { role: 'settled' }]));
});

it('a removed member cannot start', () => {
  const cluster = running();
  cluster.members = cluster.members.slice(0, 2);
  expect([...slotConfigs(cluster.recorded, cluster.facts()).slots.keys()]).toEqual([0, 1]);
});

it('in a recovery only the survivor can start', () => {
  const cluster = running();
  const recovery = { survivor: 1, phase: 'Forcing', startedAtMs: 0 } as const;
  expect(slotConfigs({ ...cluster.recorded, recovery }, cluster.facts()).slots).toEqual(
    new Map([[1, { role: 'survivor' }]]),
  );
});
