/** Checks writes of roles, bindings and tokens: users cannot give away more than they have. */
import { isApiError, type Kind, type Registry } from '@ecsm/runtime';
import type { User } from '../auth/contract.ts';
import { checkBindingWrite, checkRoleWrite, checkTokenWrite, type EscalationContext } from '../auth/rbac/escalation.ts';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../kinds/rbac.ts';
import { Token } from '../kinds/token.ts';
import type { Json } from '../verbs/call.ts';
import { metadataOf } from '../verbs/write.ts';

interface WriteContext extends Omit<EscalationContext, 'user'> {
  readonly registry: Registry;
}

const checkedKinds = [Role, ClusterRole, RoleBinding, ClusterRoleBinding, Token];

/**
 * With `isPart`, the object is what a server-side apply contains. Throws `Forbidden`, and `Invalid` for an object that
 * could not be stored anyway.
 */
export async function admitWrite(
  context: WriteContext,
  user: User,
  kind: Kind,
  written: Json,
  isPart = false,
): Promise<void> {
  if (!checkedKinds.some((checked) => isOf(kind, checked))) return;
  const own = { ...context, user };
  const object = isPart ? await completed(context.registry, kind, written) : written;
  if (isOf(kind, Role)) {
    const role = Role.parse(object);
    const { rules } = Role.fieldsOf(role);
    return checkRoleWrite(own, { kind: 'Role', ...addressOf(role), rules, isAggregated: false });
  }
  if (isOf(kind, ClusterRole)) {
    const role = ClusterRole.parse(object);
    const { rules, aggregationRule } = ClusterRole.fieldsOf(role);
    const isAggregated = aggregationRule !== undefined || (await wasAggregated(context.registry, role.metadata.name));
    return checkRoleWrite(own, { kind: 'ClusterRole', ...addressOf(role), rules, isAggregated });
  }
  if (isOf(kind, RoleBinding)) {
    const binding = RoleBinding.parse(object);
    const { roleRef } = RoleBinding.fieldsOf(binding);
    return checkBindingWrite(own, { namespace: binding.metadata.namespace, roleRef });
  }
  if (isOf(kind, ClusterRoleBinding)) {
    const binding = ClusterRoleBinding.parse(object);
    const { roleRef } = ClusterRoleBinding.fieldsOf(binding);
    return checkBindingWrite(own, { namespace: '', roleRef });
  }
  if (isOf(kind, Token)) {
    const { user: holder, groups } = Token.parse(object).spec;
    return checkTokenWrite(own, { user: holder, groups });
  }
}

/** A label alone can grant the rules that a role has already: it adds them to the roles that select it. */
async function completed(registry: Registry, kind: Kind, part: Json): Promise<Json> {
  const { name, namespace } = metadataOf(part);
  if (typeof name !== 'string') return part;
  const place = typeof namespace === 'string' ? { namespace } : {};
  const stored = await found(registry.resource(kind).get(name, place));
  // A field with null is not applied either.
  const applied = Object.entries(part).filter(([, value]) => value !== null);
  return { ...stored, ...Object.fromEntries(applied) };
}

/** A role that loses its aggregation rule keeps the rules that were collected for it. */
async function wasAggregated(registry: Registry, name: string): Promise<boolean> {
  const role = await found(registry.resource(ClusterRole).get(name));
  return role !== undefined && ClusterRole.fieldsOf(role).aggregationRule !== undefined;
}

async function found<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function isOf(kind: Kind, other: Pick<Kind, 'group' | 'plural'>): boolean {
  return kind.group === other.group && kind.plural === other.plural;
}

function addressOf({ metadata }: { readonly metadata: { readonly name: string; readonly namespace?: string } }): {
  readonly name: string;
  readonly namespace: string;
} {
  return { name: metadata.name, namespace: metadata.namespace ?? '' };
}
