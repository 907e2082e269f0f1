/**
 * Goal: a recovery from one member deletes no data of the others. Method: real etcd processes, of which a majority cannot
 * start, with intact volumes.
 */
import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import { findCondition } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { etcdBinaries, skipWithoutRelease } from '../src/client/etcd/binaries.kit.ts';
import { wellKnown } from '../src/index.ts';
import { World } from './world.kit.ts';

const timeoutMs = 600_000;

describe.skipIf(skipWithoutRelease('3.5'))('a recovery from one member', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  }, timeoutMs);
  afterAll(() => world?.stop(), timeoutMs);

  const claims = async () => {
    const { items } = await world.registry.resource(PersistentVolumeClaim).list();
    return Object.fromEntries(items.map(({ metadata: { name, uid } }) => [name, uid]));
  };

  it('moves its data above the volumes of the others, which stay', { timeout: timeoutMs }, async () => {
    const found = etcdBinaries('3.5');
    const version = `v${found.directory === undefined ? '' : found.version}`;
    await world.create('main', { size: 3, version });
    const writer = await world.writer('main');
    await expect.poll(() => writer.acknowledged).toBeGreaterThan(20);
    const before = await claims();
    await world.stopOperator();
    // The new pods of two members have an image that does not exist; later ones have the right one again.
    const setImage = async (imageOf: (image: string) => string) => {
      const { spec } = await world.sets().get('main');
      const containers = spec.template.spec.containers.map((one) => ({ ...one, image: imageOf(one.image ?? '') }));
      // A patch: the controller of StatefulSets writes the status meanwhile.
      await world.sets().patch('main', { spec: { template: { spec: { containers } } } });
    };
    await setImage((image) => `missing/${image}-0`);
    const stuck = [1, 2].map((slot) => wellKnown.names.pod('main', slot));
    for (const name of stuck) await world.registry.resource(Pod).delete(name);
    const images = async () => (await world.pods('main')).map(({ spec }) => spec.containers[0]?.image ?? '');
    await expect.poll(async () => (await images()).filter((image) => image.startsWith('missing/'))).toHaveLength(2);
    await setImage((image) => image.slice('missing/'.length, -2));
    world.startOperator();
    await world.until(
      'main',
      ({ status }) => findCondition(status?.conditions, 'Available')?.reason === 'QuorumLost',
      'the loss of the quorum is reported',
    );
    const annotations = { [wellKnown.annotations.recoverQuorumFrom]: 'main-0' };
    await world.clusters.patch('main', { metadata: { annotations } });
    await world.until('main', ({ status }) => status?.recovery !== undefined, 'the recovery has started');
    const { status } = await world.settled('main');
    expect(status?.members?.map(({ name }) => name)).toEqual(['main-3', 'main-4', 'main-5']);
    expect(status?.parkedVolumes?.map(({ slot, byRecovery }) => [slot, byRecovery])).toEqual([
      [1, true],
      [2, true],
      [0, true],
    ]);
    expect(await claims()).toMatchObject(before);
    expect(await writer.lost()).toEqual([]);
  });
});
