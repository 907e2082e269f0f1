/** The cluster's part of a restore, pass by pass, with a toy cluster whose restored member has another cluster id. */
import { describe, expect, it } from 'vitest';
import type { RestoreRequest } from '../model.ts';
import { nextAction } from '../next-action.ts';
import { ToyCluster } from '../toy-cluster.kit.ts';

function cluster(size = 3): ToyCluster {
  const toy = new ToyCluster();
  toy.wanted = { ...toy.wanted, size };
  toy.run();
  return toy;
}

function ask(toy: ToyCluster, request: Partial<RestoreRequest> | undefined): string[] {
  const { restore: _, ...wanted } = toy.wanted;
  toy.wanted = request ? { ...wanted, restore: { name: 'back', uid: 'r1', ...request } } : wanted;
  return toy.run();
}

/** Up to where the restored member is about to start. */
function filled(toy: ToyCluster): { readonly step: 'Starting'; readonly volumeUid: string } {
  toy.volumes.set(3, 'restored');
  return { step: 'Starting', volumeUid: 'restored' };
}

describe('a restore that replaces', () => {
  it('stops all members before it waits for the data, and keeps their volumes', () => {
    const toy = cluster();
    const volumes = new Map(toy.volumes);
    expect(ask(toy, { step: 'Stopping' })).toEqual(['setRange 3+0']);
    expect(toy.pods.size).toBe(0);
    expect(toy.volumes).toEqual(volumes);
    expect(toy.recorded.restore).toMatchObject({ phase: 'Waiting', slot: 3, former: { clusterId: 'c1', size: 3 } });
    expect(toy.last?.waiting?.reason).toBe('Restoring');
  });

  it('starts the restored member alone, above the former slots, and is the cluster once that is confirmed', () => {
    const toy = cluster();
    ask(toy, { step: 'Stopping' });
    const starting = filled(toy);
    expect(ask(toy, starting)).toEqual(['setRange 3+1']);
    expect(toy.recorded.restore).toMatchObject({ phase: 'Starting', revision: '7' });
    expect(toy.recorded.clusterId).toBeUndefined();
    const grown = ask(toy, { ...starting, step: 'Growing' });
    expect(grown).toEqual(['addLearner 4', 'setRange 3+2', 'promote 4', 'addLearner 5', 'setRange 3+3', 'promote 5']);
    expect(toy.recorded).toMatchObject({ clusterId: 'c2', restoredFrom: 'r1' });
    expect(Object.keys(toy.recorded.parked ?? {})).toEqual(['0', '1', '2']);
    expect([...toy.volumes.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(ask(toy, undefined)).toEqual([]);
    expect(toy.events.map(({ reason }) => reason)).toContain('ClusterRestored');
  });

  it('never starts a member on another volume than the one that was filled', () => {
    const toy = cluster();
    ask(toy, { step: 'Stopping' });
    toy.volumes.set(3, 'another');
    expect(ask(toy, { step: 'Starting', volumeUid: 'restored' })).toEqual([]);
    expect(toy.pods.size).toBe(0);
    expect(toy.recorded.restore).toMatchObject({ phase: 'Waiting' });
  });

  it.each<[string, Partial<RestoreRequest> | undefined]>([
    ['it leads back', { step: 'RollingBack' }],
    ['it has ended', { step: 'Done' }],
    ['its object is gone', { uid: undefined } as never],
    ['the annotation is gone', undefined],
    ['another one is asked for', { uid: 'r2', step: 'Stopping' }],
  ])('starts the former members again, wherever it was: %s', (_what, request) => {
    for (const until of ['Stopping', 'Starting']) {
      const toy = cluster();
      const ids = toy.members.map(({ id }) => id);
      ask(toy, { step: 'Stopping' });
      if (until === 'Starting') ask(toy, filled(toy));
      const isOther = request?.uid === 'r2';
      ask(toy, request);
      if (isOther) ask(toy, { uid: 'r2', step: 'RollingBack' });
      expect(toy.recorded).toMatchObject({ clusterId: 'c1' });
      expect(toy.recorded.restore).toBeUndefined();
      expect(toy.members.map(({ id }) => id)).toEqual(ids);
      expect([...toy.pods.keys()]).toEqual([0, 1, 2]);
      expect(nextAction(toy.input()).problem).toBeUndefined();
    }
  });

  it.each<Partial<RestoreRequest>>([{ uid: undefined } as never, {}, { step: 'RollingBack' }, { step: 'Done' }])(
    'never lets a cluster that was created for it form without its data: %o',
    (request) => {
      const toy = new ToyCluster();
      expect(ask(toy, request)).toEqual([]);
      expect(toy.last?.problem?.reason).toBe('RestoreMissing');
      expect(toy.recorded.clusterId).toBeUndefined();
      const existing = cluster();
      ask(existing, request);
      expect(existing.last?.problem).toBeUndefined();
      expect(existing.recorded.restore).toBeUndefined();
    },
  );

  it('records the range of the StatefulSet, also of one pod, and not that of all volumes', () => {
    const toy = cluster(1);
    toy.recorded = { ...toy.recorded, volumes: { ...toy.recorded.volumes, 2: 'left' } };
    toy.wanted = { ...toy.wanted, restore: { name: 'back', uid: 'r1', step: 'Stopping' } };
    expect(nextAction(toy.input()).recorded.restore?.former).toMatchObject({ start: 0, size: 1 });
  });

  it('replaces a cluster without a quorum too', () => {
    const toy = cluster();
    for (const slot of [0, 1]) toy.unreachable.add(slot);
    toy.run();
    expect(ask(toy, { step: 'Stopping' })).toContain('setRange 3+0');
    expect(toy.recorded.restore).toMatchObject({ phase: 'Waiting' });
  });

  it('is not done twice', () => {
    const toy = cluster();
    ask(toy, { step: 'Stopping' });
    const starting = filled(toy);
    ask(toy, starting);
    ask(toy, { ...starting, step: 'Growing' });
    expect(ask(toy, { step: 'Stopping' })).toEqual([]);
  });
});

describe('a new cluster with the annotation', () => {
  it('does not form without its data', () => {
    const toy = new ToyCluster();
    expect(ask(toy, { step: 'Creating' })).toEqual([]);
    expect(toy.recorded.restore).toMatchObject({ phase: 'Waiting', slot: 0 });
    for (const request of [{ step: 'Checking' }, {}, { step: 'Done' }] as const) {
      const other = new ToyCluster();
      expect(ask(other, request)).toEqual([]);
      expect(other.pods.size).toBe(0);
    }
  });

  it('forgets the restore when it leads back, and nothing else', () => {
    const toy = new ToyCluster();
    ask(toy, { step: 'Creating' });
    toy.recorded = { ...toy.recorded, parked: { 7: 'v7' } };
    const { restore: _, ...wanted } = toy.wanted;
    toy.wanted = { ...wanted, restore: { name: 'back', uid: 'r1', step: 'RollingBack' } };
    const { recorded } = nextAction(toy.input());
    expect(recorded.restore).toBeUndefined();
    expect(recorded).toMatchObject({ parked: { 7: 'v7' }, volumes: {} });
  });

  it('forms with it, and grows', () => {
    const toy = new ToyCluster();
    ask(toy, { step: 'Creating' });
    toy.volumes.set(0, 'restored');
    expect(ask(toy, { step: 'Starting', volumeUid: 'restored' })).toEqual(['createSet 0+1']);
    ask(toy, { step: 'Growing', volumeUid: 'restored' });
    expect(toy.recorded).toMatchObject({ clusterId: 'c2', restoredFrom: 'r1' });
    expect([...toy.pods.keys()]).toEqual([0, 1, 2]);
  });
});
