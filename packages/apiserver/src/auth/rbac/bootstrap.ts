/** Stores the default roles and bindings, so that users see them and can refer to them. They are in effect without it. */
import { isApiError, type Registry } from '@ecsm/runtime';
import { ClusterRole, ClusterRoleBinding } from '../../kinds/rbac.ts';
import type { RbacObjects } from './objects.ts';

/** Creates what is missing, and leaves what exists as it is. Returns the number of created objects. */
export async function bootstrapRbac(registry: Registry, defaults: RbacObjects): Promise<number> {
  let created = 0;
  const create = async (work: Promise<unknown>) => {
    try {
      await work;
      created++;
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
  };
  for (const { name, labels, ...fields } of defaults.clusterRoles) {
    const metadata = { name, ...(labels && { labels }) };
    await create(registry.resource(ClusterRole).create(ClusterRole.input(metadata, fields)));
  }
  for (const { name, subjects = [], roleRef } of defaults.clusterRoleBindings) {
    const fields = { subjects, roleRef: { kind: 'ClusterRole' as const, name: roleRef.name } };
    await create(registry.resource(ClusterRoleBinding).create(ClusterRoleBinding.input({ name }, fields)));
  }
  return created;
}
