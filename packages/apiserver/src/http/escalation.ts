/** Checks writes of roles, bindings and tokens: users cannot give away more than they have. */
import { isApiError, type Kind, type Registry } from '@ecsm/runtime';
import type { User } from '../auth/contract.ts';
import { checkBindingWrite, checkRoleWrite, checkTokenWrite, type EscalationContext } from '../auth/rbac/escalation.ts';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../kinds/rbac.ts';
import { Token } from '../kinds/token.ts';
import type { Json } from '../verbs/call.ts';

export interface WriteContext extends Omit<EscalationContext, 'user'> {
  readonly registry: Registry;
}

/** Throws `Forbidden`, and `Invalid` for an object that could not be stored anyway. */
export async function admitWrite(context: WriteContext, user: User, kind: Kind, object: Json): Promise<void> {
  const own = { ...context, user };
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

/** A role that loses its aggregation rule keeps the rules that were collected for it. */
async function wasAggregated(registry: Registry, name: string): Promise<boolean> {
  try {
    return ClusterRole.fieldsOf(await registry.resource(ClusterRole).get(name)).aggregationRule !== undefined;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
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
