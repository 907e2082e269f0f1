/** Watches, and observers of writes. */
import { Crate, Widget } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import type { EventBatch, Resource } from '../contract.ts';
import { failure, type RegistrySuite } from './suite.kit.ts';

export function watchRules(suite: RegistrySuite): void {
  const { widgets, newest, whereDamaged, damage } = suite;

  describe('watch', () => {
    async function take(count: number, options: Parameters<Resource<unknown, unknown>['watch']>[0]): Promise<string[]> {
      const seen: string[] = [];
      for await (const batch of widgets().watch(options)) {
        seen.push(describeBatch(batch));
        if (seen.length >= count) break;
      }
      return seen;
    }
    const describeBatch = ({ events }: EventBatch<{ size: number }, unknown>) =>
      events
        .map((event) =>
          event.type === 'Problem'
            ? `Problem ${event.key}`
            : `${event.type} ${event.object.metadata.name} ${event.object.spec.size}`,
        )
        .join(', ');

    it('delivers the changes since a list, then new ones', async () => {
      const { resourceVersion } = await widgets().list();
      await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
      await suite.registry.resource(Crate).create({ metadata: { name: 'c' }, spec: {} });
      const watching = take(3, { resourceVersion });
      await widgets().patch('a', { spec: { size: 2 } });
      await widgets().delete('a');
      expect(await watching).toEqual(['Added a 1', 'Modified a 2', 'Deleted a 2']);
    });

    it('reports an object that starts or stops matching a selector as added or deleted', async () => {
      const { resourceVersion } = await widgets().list();
      await widgets().create({ metadata: { name: 'a', labels: { on: 'no' } }, spec: { size: 1 } });
      await widgets().patch('a', { metadata: { labels: { on: 'yes' } } });
      await widgets().patch('a', { spec: { size: 2 } });
      await widgets().patch('a', { metadata: { labels: { on: 'no' } }, spec: { size: 3 } });
      await widgets().delete('a');
      await widgets().create({ metadata: { name: 'b', labels: { on: 'yes' } }, spec: { size: 4 } });
      expect(await take(4, { resourceVersion, labelSelector: 'on=yes' })).toEqual([
        'Added a 1',
        'Modified a 2',
        'Deleted a 2',
        'Added b 4',
      ]);
    });

    whereDamaged('reports an unreadable change and continues', async () => {
      const { resourceVersion } = await widgets().list();
      await damage('example.io/v1/widgets/default/x', '{}');
      await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
      expect(await take(2, { resourceVersion })).toEqual(['Problem example.io/v1/widgets/default/x', 'Added a 1']);
    });

    it('fails with BadRequest for an invalid version', async () => {
      expect((await failure(take(1, { resourceVersion: 'soon' }))).code).toBe('BadRequest');
    });

    it('delivers only keys and identities by watchVersions', async () => {
      const resourceVersion = await newest();
      const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      await widgets().delete('a');
      const seen: unknown[] = [];
      for await (const batch of widgets().watchVersions({ resourceVersion })) {
        if (seen.length === 0) expect(batch.resourceVersion).toBe(made.metadata.resourceVersion);
        seen.push(...batch.changes);
        if (seen.length >= 2) break;
      }
      const key = 'example.io/v1/widgets/default/a';
      expect(seen).toEqual([
        { type: 'put', key, identity: expect.stringMatching(/./) },
        { type: 'delete', key },
      ]);
    });

    it('ends without an error when its signal aborts', async () => {
      const resourceVersion = await newest();
      const stop = new AbortController();
      const ended = (async () => {
        for await (const _ of widgets().watchVersions({ resourceVersion, signal: stop.signal }));
      })();
      stop.abort('enough');
      await ended;
    });
  });

  describe('an observer', () => {
    it('is called after every write, but not after a read, conflict or dry run', async () => {
      const seen: unknown[] = [];
      const observe = (who: string) => ({
        written: (version: string, keys: readonly string[]) => seen.push([who, version, ...keys]),
        failed: (error: unknown) => seen.push([who, error]),
      });
      const observed = suite.registry.observedBy(observe('one')).observedBy(observe('two')).resource(Widget);
      const { metadata } = await observed.create({ metadata: { name: 'a' }, spec: {} });
      await observed.create({ metadata: { name: 'b' }, spec: {} }, { dryRun: true });
      await failure(observed.create({ metadata: { name: 'a' }, spec: {} }));
      await observed.get('a');
      await widgets().create({ metadata: { name: 'c' }, spec: {} });
      const key = 'example.io/v1/widgets/default/a';
      expect(seen).toEqual(['one', 'two'].map((who) => [who, metadata.resourceVersion, key]));
    });
  });
}
