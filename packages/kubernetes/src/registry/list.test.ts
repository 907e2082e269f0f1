import { Region } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { failure } from '../config/config.kit.ts';
import { answer, cleanUp, type Received, statusBody } from '../rest/server.kit.ts';
import { ConfigMap, partial, scriptedRegistry, widget } from './widget.kit.ts';

afterEach(cleanUp);

const listOf = (items: readonly object[], next = '', resourceVersion = '202') => ({
  apiVersion: 'example.io/v1',
  items,
  kind: 'WidgetList',
  metadata: { ...(next === '' ? {} : { continue: next, remainingItemCount: 1 }), resourceVersion },
});
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, n) => widget(`w${from + n}`, from + n));

/** Serves widgets w0, w1 … in pages; the token is the number of the next one. */
function page({ query }: Received, total: number) {
  const from = Number(query['continue'] ?? 0);
  const count = Math.min(Number(query['limit'] ?? total), total - from);
  return listOf(numbered(count, from), from + count < total ? String(from + count) : '');
}

describe('a list', () => {
  it('reads everything in pages of bounded size', async () => {
    const { widgets, received } = await scriptedRegistry((request, response) =>
      answer(response, 200, page(request, 1_200)),
    );
    const { items, resourceVersion, problems, ...rest } = await widgets.list();
    expect([items.length, resourceVersion, problems, rest]).toEqual([1_200, '202', [], {}]);
    expect(received.map(({ query }) => [query['limit'], query['continue']])).toEqual([
      ['500', undefined],
      ['500', '500'],
      ['500', '1000'],
    ]);
  });

  it('reads no more than its limit, and continues where it ended', async () => {
    const { widgets, received } = await scriptedRegistry((request, response) =>
      answer(response, 200, page(request, 1_200)),
    );
    const first = await widgets.list({ limit: 700 });
    expect(first.items).toHaveLength(700);
    const second = await widgets.list({ limit: 700, continue: first.continue ?? '' });
    expect([second.items.length, second.items[0]?.metadata.name, second.continue]).toEqual([500, 'w700', undefined]);
    expect(received.map(({ query }) => query['limit'])).toEqual(['500', '200', '500']);
  });

  it('passes selectors and the exact version on, the latter with the first page only', async () => {
    const { widgets, received } = await scriptedRegistry((request, response) =>
      answer(response, 200, page(request, 600)),
    );
    await widgets.list({
      namespace: 'other',
      labelSelector: 'a!=b',
      fieldSelector: 'metadata.name=x',
      resourceVersion: '7',
    });
    const selectors = { labelSelector: 'a!=b', fieldSelector: 'metadata.name=x' };
    expect(received.map(({ path, query }) => ({ path, query }))).toEqual([
      {
        path: '/apis/example.io/v1/namespaces/other/widgets',
        query: { ...selectors, limit: '500', resourceVersion: '7', resourceVersionMatch: 'Exact' },
      },
      { path: '/apis/example.io/v1/namespaces/other/widgets', query: { ...selectors, limit: '500', continue: '500' } },
    ]);
  });

  it('starts again in one response if its history is compacted while it reads', async () => {
    const { widgets, received } = await scriptedRegistry((request, response) =>
      request.query['continue']
        ? answer(response, 410, statusBody(410, 'Expired', 'The provided continue parameter is too old'))
        : answer(response, 200, page(request, 600)),
    );
    expect((await widgets.list()).items).toHaveLength(600);
    expect(received.map(({ query }) => query['limit'])).toEqual(['500', '500', undefined]);
  });

  it('is Expired if a later page of the caller is', async () => {
    const { widgets } = await scriptedRegistry((request, response) =>
      request.query['continue']
        ? answer(response, 410, statusBody(410, 'Expired', 'too old'))
        : answer(response, 200, page(request, 10)),
    );
    const { continue: token = '' } = await widgets.list({ limit: 3 });
    expect((await failure(widgets.list({ limit: 3, continue: token }))).code).toBe('Expired');
  });

  it('of a built-in kind adds apiVersion and kind to its items', async () => {
    const { registry, received } = await scriptedRegistry((_, response) =>
      answer(response, 200, {
        kind: 'ConfigMapList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '204' },
        items: [{ metadata: widget('a', 23).metadata, data: { since: 'x' } }],
      }),
    );
    const { items } = await registry.resource(ConfigMap).list({ namespace: 'kube-system' });
    expect(items).toMatchObject([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { since: 'x' } },
    ]);
    expect(received[0]?.path).toBe('/api/v1/namespaces/kube-system/configmaps');
  });

  it('of a cluster-scoped kind has no namespace', async () => {
    const { registry, received } = await scriptedRegistry((_, response) => answer(response, 200, listOf([])));
    expect((await registry.resource(Region).list({ namespace: 'other' })).items).toEqual([]);
    expect(received[0]?.path).toBe('/apis/example.io/v1/regions');
  });

  it('reports objects that it cannot read, and keeps unknown fields of the others', async () => {
    const good = { ...widget('a', 1), extra: { deep: [1] } };
    const { metadata: _, ...bare } = widget('x', 2);
    const { widgets } = await scriptedRegistry((_received, response) =>
      answer(response, 200, listOf([good, { ...widget('b', 3), kind: 'Gadget' }, bare])),
    );
    const { items, problems } = await widgets.list();
    expect(items).toEqual([good]);
    expect(problems).toEqual([
      { key: 'example.io/v1/widgets/default/b', reason: 'the object is not a Widget of example.io/v1' },
      { key: expect.any(String), reason: 'the object.metadata is missing' },
    ]);
  });

  it('refuses nonsense', async () => {
    const { widgets, registry } = await scriptedRegistry((request, response) =>
      answer(response, 200, page(request, 9)),
    );
    const { continue: token = '' } = await widgets.list({ limit: 1 });
    for (const wrong of [
      widgets.list({ limit: 0 }),
      widgets.list({ limit: 1.5 }),
      widgets.list({ continue: 'nonsense' }),
      widgets.list({ labelSelector: 'a in b' }),
      widgets.list({ namespace: '../x' }),
      registry.resource(Region).list({ continue: token }),
    ]) {
      expect((await failure(wrong)).code).toBe('BadRequest');
    }
    const odd = await scriptedRegistry((_, response) => answer(response, 200, { kind: 'WidgetList', items: 7 }));
    expect((await failure(odd.widgets.list())).code).toBe('BadAnswer');
  });
});

describe('a list of versions', () => {
  const versionsPage = (request: Received, total: number) => {
    const from = Number(request.query['continue'] ?? 0);
    const { items, ...rest } = page(request, total);
    return { ...rest, items: items.map((_, n) => partial(`w${from + n}`, from + n)) };
  };

  it('asks for metadata alone, and keeps keys, versions and identities', async () => {
    const { widgets, received } = await scriptedRegistry((request, response) =>
      answer(response, 200, versionsPage(request, 2_500)),
    );
    const { keys, version, identity, resourceVersion } = await widgets.versions({ limit: 10_000 });
    expect([keys.length, keys[1], version(1), identity(1), resourceVersion]).toEqual([
      2_500,
      'example.io/v1/widgets/default/w1',
      '1',
      'uid-of-w1',
      '202',
    ]);
    expect(received.map(({ query }) => query['limit'])).toEqual(['1000', '1000', '1000']);
    expect(received[0]?.headers.accept).toContain('as=PartialObjectMetadataList;g=meta.k8s.io;v=v1');
  });

  it('selects names by their start', async () => {
    const { widgets } = await scriptedRegistry((request, response) => answer(response, 200, versionsPage(request, 20)));
    const { keys } = await widgets.versions({ namespace: 'default', namePrefix: 'w19' });
    expect(keys).toEqual(['example.io/v1/widgets/default/w19']);
  });

  it('fails if an object has no version', async () => {
    const { widgets } = await scriptedRegistry((_, response) =>
      answer(response, 200, listOf([{ metadata: { name: 'a' } }])),
    );
    expect(await failure(widgets.versions())).toEqual({
      code: 'BadAnswer',
      message: expect.stringContaining('the object.metadata.uid is missing'),
    });
  });
});
