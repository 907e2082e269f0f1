/** Services that depend on each other: the order of their start, their loss and their deletion, and who is woken. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ECSMServiceInput } from '../apis/ecsm-service.ts';
import { platformFinalizer } from '../apis/well-known.ts';
import { dynamic, fixed, Site } from './operator.kit.ts';

let site: Site;
afterEach(() => site.stop());

type DependsOn = NonNullable<ECSMServiceInput['spec']['dependsOn']>;

const needing = (name: string, ...dependsOn: DependsOn) => dynamic(name, { dependsOn }, 1);
const ready = (name: string) => site.condition(name, 'DependenciesReady');
const message = async (name: string) =>
  (await site.get(name))?.status?.conditions.find(({ type }) => type === 'DependenciesReady')?.message;
/** Names of the services that were created and deleted on the platform, in order. */
const sent = (method: 'POST' | 'DELETE', since = 0) =>
  site.simulator.journal.entries(since).filter((one) => one.method === method && one.endpoint.includes('/service'));

async function deleted(name: string, limitMs = 120_000): Promise<number> {
  return site.clock.until(async () => (await site.get(name)) === undefined, limitMs);
}

describe('a chain of services', () => {
  it('starts from its end, whichever order the services are created in', async () => {
    site = new Site().start();
    await site.apply(needing('camera', { name: 'store' }));
    await site.apply(needing('store', { name: 'bus' }));
    await site.clock.advance(30_000);
    expect(site.shown()).toEqual([]);
    expect(await ready('camera')).toBe('False DependencyWaiting');
    expect(await ready('store')).toBe('False DependencyMissing');
    await site.apply(dynamic('bus', {}, 1));
    await site.clock.until(async () => {
      // None of them is on the platform before what it needs runs.
      if (site.platform.serviceNamed('store')) expect(site.statuses('bus')).toEqual(['running']);
      if (site.platform.serviceNamed('camera')) expect(site.statuses('store')).toEqual(['running']);
      return (await site.condition('camera', 'Available')) === 'True EnoughReady';
    }, 120_000);
    expect(site.shown().sort()).toEqual(['bus x1', 'camera x1', 'store x1']);
    expect(await site.events()).toEqual(
      expect.arrayContaining([
        'DependencyMissing: default/bus does not exist',
        'DependenciesMet: met: default/bus',
        'DependenciesMet: met: default/store',
      ]),
    );
  });

  it('waits across a restart of the operator', async () => {
    site = new Site().start();
    await site.apply(needing('store', { name: 'bus' }));
    await site.clock.advance(10_000);
    await site.stop();
    site.start();
    await site.clock.advance(10_000);
    expect(site.shown()).toEqual([]);
    await site.apply(dynamic('bus', {}, 1));
    await site.ready('store');
  });

  it('is silent at rest, waiting or not', async () => {
    site = new Site().start();
    await site.apply(dynamic('bus', {}, 1));
    await site.apply(needing('store', { name: 'bus' }));
    await site.apply(needing('camera', { name: 'missing' }));
    await site.ready('store');
    await site.clock.advance(120_000);
    const { last } = site.simulator.journal;
    const versions = async () => (await site.services.list()).items.map(({ metadata }) => metadata.resourceVersion);
    const before = await versions();
    await site.clock.advance(600_000);
    expect(site.writesSince(last)).toEqual([]);
    expect(await versions()).toEqual(before);
  });

  it('reconciles only dependents after a change, and not for an edit that takes nothing away', async () => {
    site = new Site().start();
    await site.apply(dynamic('bus', {}, 2));
    await site.apply(needing('store', { name: 'bus', onLost: 'Stop' }));
    await site.apply(needing('other'));
    for (const name of ['bus', 'store', 'other']) await site.ready(name);
    await site.edit('bus', { spec: { deploymentStrategy: { replicas: 3 } } });
    await site.ready('bus');
    await site.clock.advance(30_000);
    expect(site.statuses('store')).toEqual(['running']);
    expect(await site.events()).not.toContainEqual(expect.stringContaining('DependencyLost'));
    const other = (await site.get('other'))?.metadata.resourceVersion;
    await site.edit('bus', { spec: { deploymentStrategy: { replicas: 0 } } });
    await site.clock.until(async () => (await ready('store')) === 'False DependencyLost', 60_000);
    await site.clock.until(() => site.statuses('store').length === 0, 60_000);
    expect((await site.get('other'))?.metadata.resourceVersion).toBe(other);
    await site.edit('bus', { spec: { deploymentStrategy: { replicas: 1 } } });
    await site.ready('store');
  });

  it('with onLost Stop stops all the way up, and starts again from its end', async () => {
    site = new Site().start();
    await site.apply(dynamic('bus', {}, 1));
    await site.apply(fixed('store', { dependsOn: [{ name: 'bus', onLost: 'Stop' }] }));
    await site.apply(needing('camera', { name: 'store', onLost: 'Stop' }));
    await site.ready('camera');
    await site.services.delete('bus');
    await site.clock.until(() => ['store', 'camera'].every((name) => site.statuses(name).length === 0), 120_000);
    expect(await site.condition('camera', 'Available')).toBe('False DependencyLost');
    await deleted('bus');
    await site.apply(dynamic('bus', {}, 1));
    await site.ready('camera');
    expect(site.statuses('store')).toEqual(['running', 'running', 'running']);
  });
});

describe('a cycle', () => {
  it('is reported at once with its path, goes through namespaces, and ends when it is broken', async () => {
    site = new Site().start();
    await site.apply(needing('a', { name: 'b', namespace: 'other' }));
    await site.apply({
      ...needing('b', { name: 'c', namespace: 'default' }),
      metadata: { name: 'b', namespace: 'other' },
    });
    await site.clock.advance(5_000);
    expect(await ready('a')).toBe('False DependencyWaiting');
    await site.apply(needing('c', { name: 'a' }));
    await site.clock.advance(1_000);
    expect(await ready('a')).toBe('False DependencyCycle');
    expect(await message('a')).toBe('default/a -> other/b -> default/c -> default/a: it is not started');
    expect(await message('c')).toBe('default/c -> default/a -> other/b -> default/c: it is not started');
    await site.edit('c', { spec: { dependsOn: null } });
    await site.ready('a', 300_000);
    expect(site.shown()).toHaveLength(3);
  });

  it('of running services is reported, and all keep running', async () => {
    site = new Site().start();
    await site.apply(dynamic('a', {}, 1));
    await site.apply(needing('b', { name: 'a', onLost: 'Stop' }));
    await site.ready('b');
    await site.edit('a', { spec: { dependsOn: [{ name: 'b', onLost: 'Stop' }] } });
    await site.clock.advance(1_000);
    expect(await message('b')).toBe('default/b -> default/a -> default/b: it keeps running');
    await site.clock.advance(60_000);
    expect([...site.statuses('a'), ...site.statuses('b')]).toEqual(['running', 'running']);
  });

  it('does not prevent deletion', async () => {
    site = new Site().start();
    await site.apply(dynamic('a', {}, 1));
    await site.apply(needing('b', { name: 'a' }));
    await site.ready('b');
    await site.edit('a', { spec: { dependsOn: [{ name: 'b' }] } });
    await Promise.all(['a', 'b'].map((name) => site.services.delete(name)));
    await deleted('a');
    await deleted('b');
    expect(site.shown()).toEqual([]);
  });
});

describe('deletion', () => {
  it.each(['Ignore', 'Stop'] as const)(
    'of services that are deleted together is in reverse order, with onLost %s',
    async (onLost) => {
      site = new Site().start();
      await site.apply(dynamic('bus', {}, 1));
      await site.apply(needing('store', { name: 'bus', onLost }));
      await site.apply(needing('camera', { name: 'store', onLost }));
      await site.ready('camera');
      const { last } = site.simulator.journal;
      const names = new Map(site.platform.services().map(({ id, name }) => [id, name]));
      const inOrder = () => {
        if (site.platform.serviceNamed('camera')) expect(site.shown()).toContain('store x1');
        if (site.platform.serviceNamed('store')) expect(site.shown()).toContain('bus x1');
      };
      // What is needed most is named first: it has to wait for the others.
      for (const name of ['bus', 'store', 'camera']) {
        await site.services.delete(name);
        await site.clock.advance(900);
        inOrder();
      }
      await site.clock.until(async () => {
        inOrder();
        return (await site.get('bus')) === undefined;
      }, 120_000);
      expect(sent('DELETE', last).map(({ target }) => names.get(target.split('/').at(-1) ?? ''))).toEqual([
        'camera',
        'store',
        'bus',
      ]);
      expect(await site.events()).not.toContainEqual(expect.stringContaining('DependencyLost'));
      expect(site.shown()).toEqual([]);
    },
  );

  it('says what it waits for, and a restarted operator goes on', async () => {
    site = new Site().start();
    await site.apply(dynamic('bus', {}, 1));
    await site.apply(needing('store', { name: 'bus' }));
    await site.ready('store');
    await site.edit('store', { metadata: { finalizers: ['example.com/hold', platformFinalizer] } });
    await site.services.delete('store');
    await site.services.delete('bus');
    await site.clock.until(async () => (await site.condition('bus', 'Progressing')) === 'True DependentsRemain');
    await site.stop();
    site.start();
    // Deleted from the platform is enough: another finalizer may keep the object.
    await deleted('bus');
    expect(await site.get('store')).toBeDefined();
    await site.edit('store', { metadata: { finalizers: [] } });
    await deleted('store');
  });

  it('does not wait for a dependent that stays, which keeps running', async () => {
    site = new Site().start();
    await site.apply(dynamic('bus', {}, 1));
    await site.apply(needing('store', { name: 'bus' }));
    await site.ready('store');
    await site.services.delete('bus');
    await deleted('bus');
    expect(await ready('store')).toBe('False DependencyLost');
    expect(await message('store')).toBe('default/bus does not exist');
    expect(site.statuses('store')).toEqual(['running']);
  });
});
