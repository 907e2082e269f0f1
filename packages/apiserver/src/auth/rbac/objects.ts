/** The objects of RBAC as plain data, with the field names of rbac.authorization.k8s.io/v1. */
import type { LabelSelectorObject } from '@ecsm/runtime';

export { rbacGroup } from '../../kinds/rbac.ts';

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  /** `pods`, `pods/log`, `*`, and any `scale` with a star before the slash. */
  readonly resources?: readonly string[];
  /** Empty or absent: every name. */
  readonly resourceNames?: readonly string[];
  /** `/version`, `/api/*`, `*`. Only in a ClusterRole. */
  readonly nonResourceURLs?: readonly string[];
}

interface Role {
  readonly name: string;
  readonly namespace: string;
  readonly rules: readonly PolicyRule[];
}

export interface ClusterRole {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules: readonly PolicyRule[];
  /** The rules of all cluster roles that one of these selects are added. */
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelectorObject[] };
}

export interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
  /** Of a service account. Default: that of the binding. */
  readonly namespace?: string;
}

export interface RoleReference {
  readonly kind: 'Role' | 'ClusterRole';
  readonly name: string;
}

export interface RoleBinding {
  readonly name: string;
  readonly namespace: string;
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleReference;
}

export type ClusterRoleBinding = Omit<RoleBinding, 'namespace'>;

export interface RbacObjects {
  readonly roles: readonly Role[];
  readonly clusterRoles: readonly ClusterRole[];
  readonly roleBindings: readonly RoleBinding[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
}

export const noObjects: RbacObjects = { roles: [], clusterRoles: [], roleBindings: [], clusterRoleBindings: [] };
