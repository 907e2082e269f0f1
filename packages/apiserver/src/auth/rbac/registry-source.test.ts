import { ApiError, EmbeddedRegistry, Informers, MemoryStore } from '@ecsm/runtime';
import { settled, VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../kinds/rbac.ts';
import { RbacAuthorizer } from './authorizer.ts';
import { bootstrapRbac } from './bootstrap.ts';
import { defaultObjects } from './defaults.ts';
import { request, user } from './rbac.kit.ts';
import { RegistryRbac } from './registry-source.ts';

/** A store that cannot be listed while `fails` is set, and counts lists. */
class FlakyStore extends MemoryStore {
  fails = false;
  lists = 0;

  /** The versions, which informers read first, are not answered before it resolves. */
  gate: Promise<void> = Promise.resolve();

  override async versions(...args: Parameters<MemoryStore['versions']>): ReturnType<MemoryStore['versions']> {
    await this.gate;
    return super.versions(...args);
  }

  override list(...args: Parameters<MemoryStore['list']>): ReturnType<MemoryStore['list']> {
    this.lists++;
    if (this.fails) throw new ApiError('Unavailable', { what: 'store', reason: 'down' });
    return super.list(...args);
  }
}

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function setup(hasStarted = true) {
  const store = new FlakyStore();
  const clock = new VirtualClock();
  const registry = new EmbeddedRegistry({ store, kinds: [Role, ClusterRole, RoleBinding, ClusterRoleBinding], clock });
  const informers = new Informers({ registry });
  const messages: string[] = [];
  const source = new RegistryRbac({
    registry,
    informers,
    defaults: defaultObjects(),
    log: { write: (_level, message) => void messages.push(message) },
  });
  const authorizer = new RbacAuthorizer(source);
  const may = async (name: string, verb: string, what: string, namespace = 'a') =>
    (await authorizer.authorize(request(user(name), verb, what, namespace))).allowed;
  const bind = (name: string, role: string) =>
    registry
      .resource(RoleBinding)
      .create(
        RoleBinding.input(
          { name: `${name}-${role}`, namespace: 'a' },
          { subjects: [{ kind: 'User', name }], roleRef: { kind: 'ClusterRole', name: role } },
        ),
      );
  const start = () => {
    const abort = new AbortController();
    const ended = source.run(abort.signal);
    stops.push(async () => {
      abort.abort();
      await clock.run(ended);
    });
  };
  if (hasStarted) start();
  return { store, clock, registry, source, may, bind, start, messages };
}

describe('roles and bindings of a registry', () => {
  it('are in effect once they are read, and the default ones before', async () => {
    const { may, bind, source, start } = await setup(false);
    await bind('jane', 'view');
    expect(await may('jane', 'create', 'selfsubjectreviews.authentication.k8s.io')).toBe(true);
    expect(await may('jane', 'get', 'pods=x')).toBe(false);
    start();
    await source.synced;
    expect(await may('jane', 'get', 'pods=x')).toBe(true);
  });

  it('are all in effect if there are more than fit into a page', async () => {
    const { may, bind, start } = await setup(false);
    for (let n = 0; n <= 500; n++) await bind(`user-${String(n).padStart(3, '0')}`, 'view');
    start();
    await expect.poll(() => may('user-500', 'get', 'pods')).toBe(true);
    expect(await may('user-000', 'get', 'pods')).toBe(true);
  });

  it('are read when changes are followed, so that none is missed between the two', async () => {
    const { store, source, bind, may, start } = await setup(false);
    let open = () => {};
    store.gate = new Promise((resolve) => {
      open = resolve;
    });
    start();
    const state = () => Promise.race([source.synced.then(() => 'synced'), settled().then(() => 'waiting')]);
    expect(await state()).toBe('waiting');
    await bind('jane', 'view');
    open();
    await source.synced;
    expect(await may('jane', 'get', 'pods=x')).toBe(true);
  });

  it('follow changes', async () => {
    const { clock, may, bind, registry, source } = await setup();
    await source.synced;
    await bind('jane', 'view');
    await clock.until(() => may('jane', 'get', 'pods=x'));
    await registry.resource(RoleBinding).delete('jane-view', { namespace: 'a' });
    await clock.until(async () => !(await may('jane', 'get', 'pods=x')));
    await registry
      .resource(Role)
      .create(
        Role.input(
          { name: 'r', namespace: 'a' },
          { rules: [{ verbs: ['list'], apiGroups: [''], resources: ['widgets'] }] },
        ),
      );
    await registry
      .resource(RoleBinding)
      .create(
        RoleBinding.input(
          { name: 'r', namespace: 'a' },
          { subjects: [{ kind: 'User', name: 'jane' }], roleRef: { kind: 'Role', name: 'r' } },
        ),
      );
    await clock.until(() => may('jane', 'list', 'widgets'));
    expect(await may('jane', 'list', 'widgets', 'b')).toBe(false);
  });

  it('are read once for many changes', async () => {
    const { clock, may, bind, store, source } = await setup();
    await source.synced;
    await clock.advance(1_000);
    const before = store.lists;
    for (let index = 0; index < 100; index++) await bind(`user-${index}`, 'view');
    await clock.until(() => may('user-99', 'get', 'pods=x'));
    await clock.advance(1_000);
    // Four kinds at a time.
    expect(store.lists - before).toBeLessThanOrEqual(3 * 4);
  });

  it('stay in effect while the registry cannot be read', async () => {
    const { clock, may, bind, store, source, messages } = await setup();
    await bind('jane', 'view');
    await source.synced;
    store.fails = true;
    await bind('bob', 'view');
    await clock.until(() => messages.length > 1);
    expect(await may('jane', 'get', 'pods=x')).toBe(true);
    expect(await may('bob', 'get', 'pods=x')).toBe(false);
    store.fails = false;
    await clock.until(() => may('bob', 'get', 'pods=x'));
    expect(new Set(messages)).toEqual(new Set(['roles and bindings cannot be read; retrying']));
  });

  it('are not followed any more after the end: nothing is left of it', async () => {
    const { source, clock, store, bind } = await setup(false);
    const abort = new AbortController();
    const ended = source.run(abort.signal);
    await source.synced;
    abort.abort();
    await clock.run(ended);
    expect(clock.timers).toBe(0);
    const before = store.lists;
    await bind('jane', 'view');
    await clock.advance(3_600_000);
    expect(store.lists).toBe(before);
  });

  it('stop with the signal, before the first read too', async () => {
    const { source, clock } = await setup(false);
    const abort = new AbortController();
    abort.abort();
    await source.run(abort.signal);
    expect(clock.timers).toBe(0);
  });
});

describe('bootstrapRbac', () => {
  it('stores the default objects once, and keeps what users changed', async () => {
    const { registry, source, may } = await setup(false);
    const defaults = defaultObjects();
    const count = defaults.clusterRoles.length + defaults.clusterRoleBindings.length;
    await registry.resource(ClusterRole).create(ClusterRole.input({ name: 'view' }, { rules: [] }));
    expect(await bootstrapRbac(registry, defaults)).toBe(count - 1);
    expect(await bootstrapRbac(registry, defaults)).toBe(0);
    expect(ClusterRole.fieldsOf(await registry.resource(ClusterRole).get('view')).aggregationRule).toBeUndefined();
    const admin = ClusterRole.fieldsOf(await registry.resource(ClusterRole).get('cluster-admin'));
    expect(admin.rules).toEqual(defaults.clusterRoles[0]?.rules);
    expect((await registry.resource(ClusterRoleBinding).list()).items).toHaveLength(
      defaults.clusterRoleBindings.length,
    );
    // Stored and built in at once, they allow no more than before.
    const abort = new AbortController();
    const ended = source.run(abort.signal);
    await source.synced;
    expect(await may('jane', 'get', 'pods=x')).toBe(false);
    const { resourceRules, nonResourceRules } = await new RbacAuthorizer(source).rulesFor(user('jane'), 'a');
    for (const rules of [resourceRules, nonResourceRules]) {
      const texts = rules.map((rule) => JSON.stringify(rule));
      expect(texts).toEqual([...new Set(texts)]);
    }
    abort.abort();
    await ended;
  });
});
