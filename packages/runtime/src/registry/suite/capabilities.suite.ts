/** The capabilities, each where the harness has it. */
import { Crate, Widget } from '@ecsm/runtime/testing';
import { expect, it } from 'vitest';
import type { Fencing, History } from '../contract.ts';
import { failure, type RegistrySuite } from './suite.kit.ts';

export function capabilityRules(suite: RegistrySuite): void {
  const { widgets, newest, whereCapable, harness } = suite;

  it('has the capabilities that are tested here, and no others', () => {
    const { fencing, multiKey, encoded, history, garbage, storage } = suite.registry.capabilities;
    const found = Object.entries({ fencing, multiKey, encoded, history, garbage, storage }).filter(
      ([, value]) => value !== undefined,
    );
    expect(found.map(([name]) => name)).toEqual(harness.capabilities);
  });

  whereCapable('history', 'a compacted version', () => {
    const compact = async () => {
      const { newest: newestOf, compact: compactTo } = suite.registry.capabilities.history as History;
      await compactTo(await newestOf());
    };

    it('cannot be listed: the remaining pages of a list are Expired', async () => {
      for (const name of ['a', 'b', 'c']) await widgets().create({ metadata: { name }, spec: {} });
      const first = await widgets().list({ limit: 1 });
      const versions = await widgets().versions({ limit: 1 });
      await widgets().patch('a', { spec: { size: 100 } });
      await compact();
      expect((await failure(widgets().list({ limit: 1, continue: first.continue ?? '' }))).code).toBe('Expired');
      expect((await failure(widgets().versions({ continue: versions.continue ?? '' }))).code).toBe('Expired');
    });

    it('cannot be watched: a watch from an earlier version is Expired', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      await widgets().patch('a', { spec: { size: 2 } });
      await widgets().patch('a', { spec: { size: 3 } });
      await compact();
      const { resourceVersion } = made.metadata;
      const drain = async (batches: AsyncIterable<unknown>) => {
        for await (const _ of batches) return;
      };
      expect((await failure(drain(widgets().watch({ resourceVersion })))).code).toBe('Expired');
      expect((await failure(drain(widgets().watchVersions({ resourceVersion })))).code).toBe('Expired');
    });
  });

  whereCapable('multiKey', 'a commit of several keys', () => {
    it('writes all of them at one version', async () => {
      const places = ['a', 'b'].map((name) => ({ name, namespace: 'default' }));
      const { multiKey } = suite.registry.capabilities;
      await multiKey?.resource(Widget).changeAll(places, ({ name }) => ({ metadata: { name }, spec: { size: 7 } }));
      const { items } = await widgets().list();
      expect(items.map(({ spec }) => spec.size)).toEqual([7, 7]);
      expect(new Set(items.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
    });
  });

  whereCapable('garbage', 'a garbage collection', () => {
    it('deletes objects whose owner was deleted, and no others', async () => {
      const { apiVersion, kind, metadata } = await widgets().create({ metadata: { name: 'owner' }, spec: {} });
      const ownerReferences = [{ apiVersion, kind, name: 'owner', uid: metadata.uid }];
      await widgets().create({ metadata: { name: 'owned', ownerReferences }, spec: {} });
      expect(await suite.registry.capabilities.garbage?.sweep()).toBe(0);
      await widgets().delete('owner');
      await widgets().create({ metadata: { name: 'free' }, spec: {} });
      expect(await suite.registry.capabilities.garbage?.sweep()).toBe(1);
      expect((await widgets().list()).items.map((item) => item.metadata.name)).toEqual(['free']);
    });
  });

  whereCapable('fencing', 'fences', () => {
    const fencing = () => suite.registry.capabilities.fencing as Fencing;
    const raise = async (name: string) => fencing().fencedBy(await fencing().raiseFence(name));

    it('reject the writes of a former leader, and nothing else', async () => {
      const first = await raise('leader');
      const made = await first.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
      const second = await raise('leader');
      const late = [
        first.resource(Widget).update({ ...made, spec: { size: 2 } }),
        first.resource(Widget).create({ metadata: { name: 'b' }, spec: {} }),
        first.resource(Widget).updateStatus({ ...made, status: { phase: 'x' } }),
        first.resource(Widget).apply({ metadata: { name: 'a' }, spec: { size: 9 } }, { force: true }),
        first.resource(Widget).patch('a', { spec: { size: 9 } }),
        first.resource(Widget).delete('a'),
      ];
      expect((await Promise.all(late.map(failure))).map(({ code }) => code)).toEqual(late.map(() => 'Fenced'));
      expect(await widgets().get('a')).toEqual(made);
      expect((await second.resource(Widget).patch('a', { spec: { size: 2 } })).spec.size).toBe(2);
      expect((await first.resource(Widget).get('a')).spec.size).toBe(2);
    });

    it('can be checked by a former leader before an action outside the registry, without a write', async () => {
      const seen: unknown[] = [];
      const first = (await raise('leader')).observedBy({ written: (...news) => seen.push(news) });
      const before = await newest();
      await first.checkFence();
      await suite.registry.checkFence();
      expect(await newest()).toBe(before);
      await raise('leader');
      expect((await failure(first.checkFence())).code).toBe('Fenced');
      expect(seen).toEqual([]);
    });

    it('have a higher epoch each time, and are independent of fences with other names', async () => {
      const one = await fencing().raiseFence('leader');
      await raise('other');
      await fencing()
        .fencedBy(one)
        .resource(Widget)
        .create({ metadata: { name: 'a' }, spec: {} });
      expect((await fencing().raiseFence('leader')).epoch).toBeGreaterThan(one.epoch);
    });

    it('are raised only while the lease is still held', async () => {
      const lease = await suite.registry.resource(Crate).create({ metadata: { name: 'lease' }, spec: { label: 'me' } });
      const leader = fencing().fencedBy(await fencing().raiseFence('leader', lease));
      const taken = await suite.registry.resource(Crate).update({ ...lease, spec: { label: 'another' } });
      expect((await failure(fencing().raiseFence('leader', lease))).code).toBe('Conflict');
      await leader.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
      await fencing().raiseFence('leader', taken);
      expect((await failure(leader.resource(Widget).delete('a'))).code).toBe('Fenced');
    });

    it('cannot have an invalid name', async () => {
      expect((await failure(fencing().raiseFence('../x'))).code).toBe('BadRequest');
    });
  });
}
