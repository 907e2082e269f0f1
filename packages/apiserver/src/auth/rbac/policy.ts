/**
 * Roles and bindings, compiled: for every subject the rules that it has everywhere and in each namespace. A lookup costs
 * one map access for the user and one for each of its groups, however many roles and bindings there are.
 */
import { groups, type User } from '../contract.ts';
import { aggregatedRules } from './aggregation.ts';
import type { PolicyRule, RbacObjects, RoleBinding, RoleReference, Subject } from './objects.ts';

/** The rules of a role that a binding gives to a subject. */
interface Grant {
  readonly rules: readonly PolicyRule[];
  /** `ClusterRoleBinding "viewers" of ClusterRole "view" to Group "dev"`, as Kubernetes explains it. */
  readonly explanation: string;
}

interface Grants {
  readonly cluster: Grant[];
  readonly namespaces: Map<string, Grant[]>;
}

export class Policy {
  readonly #subjects = new Map<string, Grants>();
  readonly #clusterRoles: ReadonlyMap<string, readonly PolicyRule[]>;
  /** By namespace and name. */
  readonly #roles = new Map<string, readonly PolicyRule[]>();

  constructor(objects: RbacObjects) {
    this.#clusterRoles = aggregatedRules(objects.clusterRoles);
    for (const { namespace, name, rules } of objects.roles) this.#roles.set(`${namespace}/${name}`, rules);
    for (const binding of objects.clusterRoleBindings) this.#bind({ ...binding, namespace: '' });
    for (const binding of objects.roleBindings) this.#bind(binding);
  }

  /** What a user was granted everywhere and in this namespace; the empty namespace means everywhere only. */
  *grantsOf(user: User, namespace: string): Generator<Grant> {
    for (const subject of subjectsOf(user)) {
      const grants = this.#subjects.get(subject);
      if (!grants) continue;
      yield* grants.cluster;
      if (namespace !== '') yield* grants.namespaces.get(namespace) ?? [];
    }
  }

  /** Including aggregated rules. Returns undefined if there is no such role. */
  rulesOf({ kind, name }: RoleReference, namespace: string): readonly PolicyRule[] | undefined {
    return kind === 'ClusterRole' ? this.#clusterRoles.get(name) : this.#roles.get(`${namespace}/${name}`);
  }

  #bind({ name, namespace, subjects = [], roleRef }: RoleBinding): void {
    // A binding of a missing role grants nothing. For a ClusterRoleBinding, every Role is missing.
    const rules = this.rulesOf(roleRef, namespace);
    if (!rules) return;
    const binding = namespace === '' ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
    for (const subject of subjects) {
      const key = keyOf(subject, namespace);
      if (key === undefined) continue;
      const explanation = `${binding} of ${roleRef.kind} "${roleRef.name}" to ${describe(subject, namespace)}`;
      const grants = this.#grantsFor(key);
      const list = namespace === '' ? grants.cluster : (grants.namespaces.get(namespace) ?? []);
      list.push({ rules, explanation });
      if (namespace !== '') grants.namespaces.set(namespace, list);
    }
  }

  #grantsFor(key: string): Grants {
    const known = this.#subjects.get(key);
    if (known) return known;
    const grants = { cluster: [], namespaces: new Map() };
    this.#subjects.set(key, grants);
    return grants;
  }
}

export const isMaster = (user: User): boolean => user.groups.includes(groups.masters);

function* subjectsOf({ name, groups: memberships }: User): Generator<string> {
  yield `User ${name}`;
  for (const group of new Set(memberships)) yield `Group ${group}`;
}

/** A service account is the user `system:serviceaccount:namespace:name`. One without a namespace matches no user. */
function keyOf({ kind, name, namespace }: Subject, ofBinding: string): string | undefined {
  if (kind !== 'ServiceAccount') return `${kind} ${name}`;
  const own = namespace ?? ofBinding;
  return own === '' ? undefined : `User system:serviceaccount:${own}:${name}`;
}

function describe({ kind, name, namespace }: Subject, ofBinding: string): string {
  return kind === 'ServiceAccount' ? `${kind} "${name}/${namespace ?? ofBinding}"` : `${kind} "${name}"`;
}
