/** Goal: the volumes of a running cluster of real etcd processes grow with its spec, if their StorageClass allows it. */
import { PersistentVolumeClaim, StorageClass } from '@ecsm/kubernetes';
import { findCondition } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { etcdBinaries, skipWithoutRelease } from '../src/client/etcd/binaries.kit.ts';
import { wellKnown } from '../src/index.ts';
import { World, type WorldOptions } from './world.kit.ts';

const timeoutMs = 240_000;

interface StorageOptions {
  /** Whether the API server asks the StorageClass, as Kubernetes does and ours does not. */
  readonly refuses: boolean;
}

export function storage(name: string, { refuses }: StorageOptions, options: () => Promise<WorldOptions>): void {
  describe.skipIf(skipWithoutRelease('3.5'))(`volumes ${name}`, () => {
    let world: World;
    const found = etcdBinaries('3.5');
    const version = `v${found.directory === undefined ? '3.5.0' : found.version}`;
    const requests = async (cluster: string) => {
      const selector = { labelSelector: `${wellKnown.labels.cluster}=${cluster}` };
      const { items } = await world.registry.resource(PersistentVolumeClaim).list(selector);
      return items.map(({ spec }) => spec.resources?.requests?.['storage']);
    };
    const uids = async (cluster: string) => (await world.pods(cluster)).map(({ metadata }) => metadata.uid);

    beforeAll(async () => {
      world = await World.start(await options());
    }, timeoutMs);
    afterAll(() => world?.stop(), timeoutMs);

    it('grow without a restart, and those of later members have the new size too', { timeout: timeoutMs }, async () => {
      await world.create('main', { size: 1, version, storage: { size: '1Gi' } });
      const before = await uids('main');
      await world.clusters.patch('main', { spec: { storage: { size: '2Gi' } } });
      await expect.poll(() => requests('main')).toEqual(['2Gi']);
      expect(await uids('main')).toEqual(before);
      await world.change('main', { size: 3 });
      await expect.poll(() => requests('main')).toEqual(['2Gi', '2Gi', '2Gi']);
      const { status } = await world.settled('main');
      expect(findCondition(status?.conditions, 'Degraded')?.reason).toBe('AsExpected');
    });

    if (!refuses) return;
    it('that cannot grow are reported, and the cluster still changes', { timeout: timeoutMs }, async () => {
      const classes = world.registry.resource(StorageClass);
      const { provisioner } = StorageClass.fieldsOf(await classes.get('standard'));
      await classes.create(StorageClass.input({ name: 'fixed' }, { provisioner, allowVolumeExpansion: false }));
      await world.create('fixed', { size: 1, version, storage: { size: '1Gi', storageClassName: 'fixed' } });
      await world.clusters.patch('fixed', { spec: { storage: { size: '2Gi' } } });
      const isReported = ({ status }: Awaited<ReturnType<World['settled']>>) =>
        findCondition(status?.conditions, 'Degraded')?.reason === 'StorageResizeBlocked';
      const { status } = await world.until('fixed', isReported, 'the refusal is reported');
      expect(findCondition(status?.conditions, 'Degraded')?.message).toContain('data-fixed-0');
      expect(await requests('fixed')).toEqual(['1Gi']);
      const stopped = await world.change('fixed', { size: 0 });
      expect(stopped.status?.phase).toBe('Stopped');
    });
  });
}
