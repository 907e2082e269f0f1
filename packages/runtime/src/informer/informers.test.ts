import { Crate, Widget } from '@ecsm/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { Informers } from './informers.ts';
import { WatchedStore } from './watches.kit.ts';

let store: WatchedStore;
let registry: EmbeddedRegistry;
let informers: Informers;
beforeEach(async () => {
  store = new WatchedStore();
  registry = new EmbeddedRegistry({ store, kinds: [Widget, Crate] });
  informers = new Informers({ registry });
  await create('a');
});

const create = (name: string) => registry.resource(Widget).create({ metadata: { name }, spec: {} });
const eventually = (look: () => unknown) => expect.poll(look, { interval: 2 });
const widgets = 'example.io/v1/widgets/';

/** The changes that a handler of the informer of widgets receives. */
function user(namespace?: string) {
  const { informer, release } = informers.use(Widget, namespace);
  const seen: string[] = [];
  informer.addHandler(({ type, key }) => seen.push(`${type} ${key.split('/').at(-1)}`));
  return { informer, release, seen };
}

describe('shared informers', () => {
  it('list and watch a kind once for any number of users', async () => {
    const users = [user(), user(), user()];
    await Promise.all(users.map(({ informer }) => informer.synced));
    await eventually(() => store.watches).toEqual([widgets]);
    await create('b');
    for (const { seen } of users) await eventually(() => seen).toEqual(['added a', 'added b']);
    expect(store.lists).toBe(1);
    await Promise.all(users.map(({ release }) => release()));
  });

  it('report existing objects to a later user', async () => {
    const first = user();
    await first.informer.synced;
    await create('b');
    await eventually(() => first.seen).toHaveLength(2);
    const late = user();
    expect(late.seen).toEqual(['added a', 'added b']);
    expect(late.informer).toBe(first.informer);
    await Promise.all([first.release(), late.release()]);
  });

  it('stop with their last user, and start again for the next', async () => {
    const [one, other] = [user(), user()];
    await one.informer.synced;
    await eventually(() => store.watches).toHaveLength(1);
    await one.release();
    expect(store.watches).toHaveLength(1);
    await other.release();
    expect([store.watches, one.informer.state]).toEqual([[], 'stopped']);
    const next = user();
    expect(next.informer).not.toBe(one.informer);
    await next.informer.synced;
    expect(next.seen).toEqual(['added a']);
    await next.release();
  });

  it('are separate for another kind, and for one namespace', async () => {
    const uses = [user(), user('default'), informers.use(Crate)];
    await Promise.all(uses.map(({ informer }) => informer.synced));
    await eventually(() => [...store.watches].sort()).toEqual(['example.io/v1/crates/', widgets, `${widgets}default/`]);
    await Promise.all(uses.map(({ release }) => release()));
    expect(store.watches).toEqual([]);
  });
});
