/** Checks writes of roles, bindings and tokens: users cannot give away more than they have. */
import type { Kind } from '@ecsm/runtime';
import type { User } from '../auth/contract.ts';
import { checkBindingWrite, checkRoleWrite, checkTokenWrite, type EscalationContext } from '../auth/rbac/escalation.ts';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../kinds/rbac.ts';
import { Token } from '../kinds/token.ts';
import type { Json } from '../verbs/call.ts';

/** Throws `Forbidden`, and `Invalid` for an object that could not be stored anyway. */
export async function admitWrite(
  context: Omit<EscalationContext, 'user'>,
  user: User,
  kind: Kind,
  object: Json,
): Promise<void> {
  const own = { ...context, user };
  if (isOf(kind, Role)) {
    const role = Role.parse(object);
    const { rules } = Role.fieldsOf(role);
    return checkRoleWrite(own, { kind: 'Role', ...addressOf(role), rules, isAggregated: false });
  }
  if (isOf(kind, ClusterRole)) {
    const role = ClusterRole.parse(object);
    const { rules, aggregationRule } = ClusterRole.fieldsOf(role);
    const isAggregated = aggregationRule !== undefined;
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

function isOf(kind: Kind, other: Pick<Kind, 'group' | 'plural'>): boolean {
  return kind.group === other.group && kind.plural === other.plural;
}

function addressOf({ metadata }: { readonly metadata: { readonly name: string; readonly namespace?: string } }): {
  readonly name: string;
  readonly namespace: string;
} {
  return { name: metadata.name, namespace: metadata.namespace ?? '' };
}
