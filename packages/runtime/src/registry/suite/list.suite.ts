/** Lists: selectors, pages, versions. */
import { Crate, Widget } from '@ecsm/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Resource } from '../contract.ts';
import { failure, type RegistrySuite } from './suite.kit.ts';

export function listRules(suite: RegistrySuite): void {
  const { widgets, newest, whereDamaged, damage } = suite;

  describe('a list as of a version', () => {
    it('shows the objects as they were', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
      const { resourceVersion } = await widgets().list();
      await widgets().patch('a', { spec: { size: 2 } });
      await widgets().create({ metadata: { name: 'b' }, spec: {} });
      const list = await widgets().list({ resourceVersion });
      expect(list).toMatchObject({ items: [made], resourceVersion });
    });
  });

  describe('list', () => {
    beforeEach(async () => {
      for (let n = 0; n < 7; n++) {
        await widgets().create({
          metadata: {
            name: `w${n}`,
            namespace: n < 5 ? 'default' : 'other',
            labels: { parity: n % 2 ? 'odd' : 'even', n: `${n}` },
          },
          spec: { size: n },
        });
      }
      await suite.registry.resource(Crate).create({ metadata: { name: 'c' }, spec: {} });
    });
    const names = (list: Awaited<ReturnType<Resource<unknown, unknown>['list']>>) =>
      list.items.map((item) => item.metadata.name);

    it('lists one kind, in all namespaces or in one', async () => {
      expect(names(await widgets().list())).toEqual(['w0', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6']);
      expect(names(await widgets().list({ namespace: 'other' }))).toEqual(['w5', 'w6']);
      expect(names(await widgets().list({ namespace: 'none' }))).toEqual([]);
    });

    it('selects by labels and fields', async () => {
      expect(names(await widgets().list({ labelSelector: 'parity=odd' }))).toEqual(['w1', 'w3', 'w5']);
      expect(names(await widgets().list({ labelSelector: 'n in (1,2),parity!=odd' }))).toEqual(['w2']);
      expect(names(await widgets().list({ fieldSelector: 'metadata.name=w3' }))).toEqual(['w3']);
      expect(
        names(
          await widgets().list({
            fieldSelector: 'spec.size!=3,metadata.namespace=default',
            labelSelector: 'parity=odd',
          }),
        ),
      ).toEqual(['w1']);
      expect((await failure(widgets().list({ labelSelector: 'a in b' }))).code).toBe('BadRequest');
    });

    it('returns pages of one version during concurrent writes', async () => {
      const first = await widgets().list({ limit: 3 });
      expect(names(first)).toEqual(['w0', 'w1', 'w2']);
      await widgets().delete('w3');
      await widgets().create({ metadata: { name: 'w3a' }, spec: {} });
      const second = await widgets().list({ limit: 3, ...(first.continue ? { continue: first.continue } : {}) });
      expect(names(second)).toEqual(['w3', 'w4', 'w5']);
      expect(second.resourceVersion).toBe(first.resourceVersion);
      const third = await widgets().list({ limit: 3, ...(second.continue ? { continue: second.continue } : {}) });
      expect(names(third)).toEqual(['w6']);
      expect(third.continue).toBeUndefined();
    });

    it('returns pages of a selection', async () => {
      const seen: string[] = [];
      let token: string | undefined;
      do {
        const page = await widgets().list({
          labelSelector: 'parity=even',
          limit: 1,
          ...(token ? { continue: token } : {}),
        });
        seen.push(...names(page));
        token = page.continue;
      } while (token);
      expect(seen).toEqual(['w0', 'w2', 'w4', 'w6']);
    });

    it('rejects invalid limits and continue tokens', async () => {
      const first = await widgets().list({ limit: 3 });
      expect((await failure(widgets().list({ continue: 'nonsense' }))).code).toBe('BadRequest');
      expect((await failure(widgets().list({ limit: 0 }))).code).toBe('BadRequest');
      expect((await failure(suite.registry.resource(Crate).list({ continue: first.continue ?? '' }))).code).toBe(
        'BadRequest',
      );
    });

    it('lists versions of one kind without reading an object', async () => {
      const { keys, ...page } = await widgets().versions();
      expect(keys).toHaveLength(7);
      expect(keys.map((_, index) => page.version(index))).toEqual(
        (await widgets().list()).items.map(({ metadata }) => metadata.resourceVersion),
      );
      expect(page.resourceVersion).toBe(await newest());
      expect(suite.registry.locate(keys[6] ?? '')).toMatchObject({ kind: Widget, namespace: 'other', name: 'w6' });
      expect((await widgets().versions({ namespace: 'other' })).keys).toHaveLength(2);
      const named = await widgets().versions({ namespace: 'default', namePrefix: 'w1' });
      expect(named.keys).toEqual(['example.io/v1/widgets/default/w1']);
    });

    it('returns pages of versions as of one version', async () => {
      const first = await widgets().versions({ limit: 3 });
      await widgets().create({ metadata: { name: 'w9' }, spec: {} });
      const rest = await widgets().versions(first.continue === undefined ? {} : { continue: first.continue });
      expect([...first.keys, ...rest.keys]).toHaveLength(7);
      expect(rest.resourceVersion).toBe(first.resourceVersion);
      expect(rest.continue).toBeUndefined();
    });

    it('orders versions, and a new object of the same name has another identity', async () => {
      const { keys, ...before } = await widgets().versions();
      const at = keys.indexOf('example.io/v1/widgets/default/w1');
      const identityNow = async () => (await widgets().versions()).identity(at);
      const [version, identity] = [before.version(at), before.identity(at)];
      const { metadata } = await widgets().patch('w1', { spec: { size: 50 } });
      expect(await identityNow()).toBe(identity);
      expect(suite.registry.isNewer(metadata.resourceVersion, version)).toBe(true);
      expect(suite.registry.isNewer(version, metadata.resourceVersion)).toBe(false);
      expect(suite.registry.isNewer(version, version)).toBe(false);
      await widgets().delete('w1');
      await widgets().create({ metadata: { name: 'w1' }, spec: {} });
      expect(await identityNow()).not.toBe(identity);
    });

    whereDamaged('reports an unreadable record and lists the others', async () => {
      const broken = ['{}', '{"kind":"Widget"}', JSON.stringify({ ...(await widgets().get('w1')), kind: 'Crate' })];
      for (const [n, text] of broken.entries()) await damage(`example.io/v1/widgets/default/broken${n}`, text);
      const list = await widgets().list();
      expect(list.items).toHaveLength(7);
      expect(list.problems.map((problem) => problem.key)).toEqual(
        [0, 1, 2].map((n) => `example.io/v1/widgets/default/broken${n}`),
      );
      expect((await failure(widgets().get('broken0'))).code).toBe('Corrupt');
    });
  });
}
