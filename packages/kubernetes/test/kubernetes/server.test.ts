/** What the suite of registries does not cover: permissions, core kinds, and a server that is killed. */

import { Informer, isApiError, type Kind, systemRandom } from '@ecsm/runtime';
import { Region, Widget } from '@ecsm/runtime/testing';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { openKubernetesRegistry } from '../../src/registry/open.ts';
import type { KubernetesRegistry } from '../../src/registry/registry.ts';
import { ConfigMap } from '../../src/registry/widget.kit.ts';
import { type ControlPlane, startControlPlane } from './control-plane.kit.ts';
import { install, openReal, realHarness } from './registries.kit.ts';

afterEach(() => realHarness().cleanup());

describe('kube-apiserver', () => {
  it('stores a core kind with top-level fields', async () => {
    const registry = await openReal({ kinds: [ConfigMap] });
    const maps = registry.resource(ConfigMap);
    const made = await maps.create(ConfigMap.input({ name: 'settings.x' }, { data: { one: '1' } }));
    const changed = await maps.patch('settings.x', { data: { one: null, two: '2' } });
    expect(ConfigMap.fieldsOf(changed).data).toEqual({ two: '2' });
    const listed = (await maps.list({ namespace: 'default' })).items.find(
      ({ metadata }) => metadata.name === 'settings.x',
    );
    expect(listed).toEqual(changed);
    expect((await maps.apply(ConfigMap.input({ name: 'settings.x' }, { data: { two: '2' } }))).outcome).toBe(
      'configured',
    );
    expect((await maps.delete('settings.x'))?.metadata.uid).toBe(made.metadata.uid);
  });

  it('refuses a kind that is not installed, a missing namespace, and a user without permission', async () => {
    const registry = await openReal({ kinds: [Widget] });
    const openAs = (context: string, kind: Kind) =>
      openKubernetesRegistry(`kubernetes:${context}`, { kinds: [kind], env: {}, kubeconfig: inject('kubeconfig') });
    const Unknown = { ...Region, plural: 'unknowns' };
    const [nobody, wrong, bare] = [
      await openAs('nobody', Widget),
      await openAs('wrong', Widget),
      await openAs('test', Unknown),
    ];
    const codeOf = (promise: Promise<unknown>) =>
      promise.then(
        () => 'no error',
        (error) => (isApiError(error) ? error.code : String(error)),
      );
    expect(await codeOf(bare.resource(Unknown).list())).toBe('Rejected');
    const missing = registry.resource(Widget).create({ metadata: { name: 'a', namespace: 'none' }, spec: {} });
    expect(await codeOf(missing)).toBe('NotFound');
    expect(await codeOf(nobody.resource(Widget).list())).toBe('Forbidden');
    expect(await codeOf(wrong.resource(Widget).list())).toBe('Unauthorized');
    for (const opened of [nobody, wrong, bare]) await opened.close();
  });
});

describe('a server that is killed', () => {
  let plane: ControlPlane;
  let registry: KubernetesRegistry;
  beforeAll(async () => {
    plane = await startControlPlane();
    registry = await openKubernetesRegistry('kubernetes:', {
      kinds: [Widget],
      env: { KUBECONFIG: plane.kubeconfig },
      random: systemRandom,
    });
    await install(registry.client, Widget);
  });
  afterAll(async () => {
    await registry?.close();
    await plane?.stop();
  });

  it('is followed by a watch and an informer after its restart, which miss and repeat nothing', async () => {
    const widgets = registry.resource(Widget);
    const stop = new AbortController();
    const informer = new Informer({ registry, kind: Widget });
    const running = informer.run(stop.signal);
    await informer.synced;
    const { resourceVersion } = await widgets.list();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { events } of widgets.watch({ resourceVersion, signal: stop.signal })) {
        for (const event of events)
          if (event.type !== 'Problem') seen.push(`${event.type} ${event.object.metadata.name}`);
      }
    })();
    const expected: string[] = [];
    for (let round = 0; round < 2; round++) {
      for (const name of [`a${round}`, `b${round}`]) {
        await widgets.create({ metadata: { name }, spec: {} });
        expected.push(`Added ${name}`);
      }
      await expect.poll(() => seen).toEqual(expected);
      await plane.kill();
      await plane.start();
    }
    await expect
      .poll(() =>
        widgets.create({ metadata: { name: 'last' }, spec: {} }).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await widgets.delete('a0');
    await expect.poll(() => seen).toEqual([...expected, 'Added last', 'Deleted a0']);
    await expect.poll(() => informer.size).toBe(4);
    stop.abort('done');
    await Promise.all([watching, running]);
  });

  it('is Unavailable or a Timeout meanwhile', async () => {
    await plane.kill();
    const short = await openKubernetesRegistry('kubernetes:', {
      kinds: [Widget],
      env: { KUBECONFIG: plane.kubeconfig },
      timeoutMs: 500,
    });
    await expect(short.resource(Widget).list()).rejects.toMatchObject({
      code: expect.stringMatching(/Unavailable|Timeout/),
    });
    await short.close();
    await plane.start();
    expect((await registry.resource(Widget).list()).items.length).toBe(4);
  });
});
