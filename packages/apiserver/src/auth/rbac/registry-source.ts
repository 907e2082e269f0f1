/**
 * Roles and bindings of a registry, compiled in memory together with the default ones. It follows the changes of the four
 * kinds; changes within a short time are compiled once.
 *
 *     reading ──▶ following ──(change)──▶ reading
 *        │
 *        └─(failure)──▶ backing off ──▶ reading      any state ──(signal)──▶ stopped
 *
 * While the registry cannot be read, the last known roles and bindings stay in effect.
 */
import {
  type ApiObject,
  Backoff,
  type FieldsKind,
  type Informers,
  type Log,
  type Registry,
  silentLog,
  sleep,
} from '@ecsm/runtime';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../kinds/rbac.ts';
import type { RbacSource } from './authorizer.ts';
import { mergeObjects } from './defaults.ts';
import type { RbacObjects } from './objects.ts';
import { Policy } from './policy.ts';

export interface RegistryRbacOptions {
  readonly registry: Registry;
  readonly informers: Informers;
  /** Always in effect: see `defaultObjects`. */
  readonly defaults: RbacObjects;
  readonly log?: Log;
}

/** How long changes are collected before they take effect. */
const collectMs = 50;
/** Objects in a page of a list. */
const pageObjects = 500;

export class RegistryRbac implements RbacSource {
  readonly #options: RegistryRbacOptions;
  #policy: Policy;
  #isStale = true;
  #wake = () => {};
  #resolveSynced = () => {};
  /** Resolves when the roles and bindings of the registry are in effect for the first time. */
  readonly synced = new Promise<void>((resolve) => {
    this.#resolveSynced = resolve;
  });

  constructor(options: RegistryRbacOptions) {
    this.#options = options;
    this.#policy = new Policy(options.defaults);
  }

  policy(): Policy {
    return this.#policy;
  }

  /** Runs until the signal aborts; failures are retried. */
  async run(signal: AbortSignal): Promise<void> {
    const { registry, informers, log = silentLog } = this.#options;
    const uses = [Role, ClusterRole, RoleBinding, ClusterRoleBinding].map((kind) => informers.use(kind));
    const removals = uses.map(({ informer }) => informer.addHandler(() => this.#changed()));
    const stop = () => this.#wake();
    signal.addEventListener('abort', stop, { once: true });
    const backoff = new Backoff(registry.random);
    // A change before the first list of an informer is in that list, and one after it is an event.
    await Promise.race([Promise.all(uses.map(({ informer }) => informer.synced)), aborted(signal)]);
    while (!signal.aborted) {
      if (!this.#isStale) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        await sleep(registry.clock, collectMs, signal);
        continue;
      }
      this.#isStale = false;
      try {
        this.#policy = await readPolicy(registry, this.#options.defaults);
        this.#resolveSynced();
        backoff.reset();
      } catch (error) {
        this.#isStale = true;
        log.write('error', 'roles and bindings cannot be read; retrying', { error });
        await sleep(registry.clock, backoff.next(), signal);
      }
    }
    signal.removeEventListener('abort', stop);
    for (const remove of removals) remove();
    await Promise.all(uses.map((use) => use.release()));
  }

  #changed(): void {
    this.#isStale = true;
    this.#wake();
  }
}

/** The roles and bindings of a registry as they are now, together with the default ones. */
export async function readPolicy(registry: Registry, defaults: RbacObjects): Promise<Policy> {
  return new Policy(mergeObjects(defaults, await readObjects(registry)));
}

async function readObjects(registry: Registry): Promise<RbacObjects> {
  const [roles, clusterRoles, roleBindings, clusterRoleBindings] = await Promise.all([
    all(registry, Role, (fields, { name, namespace }) => ({ ...fields, name, namespace })),
    all(registry, ClusterRole, (fields, { name, labels }) => ({ ...fields, name, ...(labels && { labels }) })),
    all(registry, RoleBinding, (fields, { name, namespace }) => ({ ...fields, name, namespace })),
    all(registry, ClusterRoleBinding, (fields, { name }) => ({ ...fields, name })),
  ]);
  return { roles, clusterRoles, roleBindings, clusterRoleBindings };
}

async function all<Fields, T>(
  registry: Registry,
  kind: FieldsKind<Fields, unknown>,
  convert: (fields: Fields, metadata: ApiObject['metadata']) => T,
): Promise<T[]> {
  const result: T[] = [];
  let from = {};
  for (;;) {
    const page = await registry.resource(kind).list({ limit: pageObjects, ...from });
    result.push(...page.items.map((object) => convert(kind.fieldsOf(object), object.metadata)));
    if (page.continue === undefined) return result;
    from = { continue: page.continue };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
