/**
 * The kinds that a server needs for itself. A registry that it serves is opened with them, beside those of the program.
 * `@ecsm/apiserver/kinds`, for programs that load the server only if it is needed.
 */
import { type Kind, PriorityClass } from '@ecsm/runtime';
import { ConfigMap, Namespace, Secret } from './core.ts';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './rbac.ts';
import { Token } from './token.ts';

export const serverKinds: readonly Kind[] = [
  Namespace,
  ConfigMap,
  Secret,
  PriorityClass,
  Role,
  ClusterRole,
  RoleBinding,
  ClusterRoleBinding,
  Token,
];
