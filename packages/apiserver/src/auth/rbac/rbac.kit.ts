/** Requests and policies for tests. */
import type { RequestAttributes, User } from '../contract.ts';
import { RbacAuthorizer, type RbacSource } from './authorizer.ts';
import { defaultObjects, mergeObjects } from './defaults.ts';
import { noObjects, type PolicyRule, type RbacObjects } from './objects.ts';
import { Policy } from './policy.ts';

export const user = (name: string, ...groups: string[]): User => ({
  name,
  groups: [...groups, 'system:authenticated'],
});

/** `pods/log`, `roles.rbac.authorization.k8s.io`, with `=name` at the end, or a path. */
export function request(who: User, verb: string, what: string, namespace = ''): RequestAttributes {
  const isResource = !what.startsWith('/');
  const [full = '', name = ''] = isResource ? what.split('=') : [];
  const [qualified = '', subresource = ''] = full.split('/');
  const dot = qualified.indexOf('.');
  return {
    user: who,
    verb,
    isResource,
    apiGroup: dot === -1 ? '' : qualified.slice(dot + 1),
    apiVersion: 'v1',
    resource: dot === -1 ? qualified : qualified.slice(0, dot),
    subresource,
    namespace,
    name,
    path: isResource ? '' : what,
  };
}

export const rule = (verbs: string, resources: string, apiGroup = '', names = ''): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: apiGroup.split(','),
  resources: resources.split(','),
  ...(names === '' ? {} : { resourceNames: names.split(',') }),
});

const served = [
  { group: 'ecsm.sh', plural: 'ecsmservices', scale: true },
  { group: 'ecsm.sh', plural: 'servicerevisions', scale: false },
  { group: 'coordination.k8s.io', plural: 'leases', scale: false },
];

export function access(objects: Partial<RbacObjects>): {
  readonly source: RbacSource;
  readonly authorizer: RbacAuthorizer;
} {
  const policy = new Policy(mergeObjects(defaultObjects(served), { ...noObjects, ...objects }));
  const source = { policy: () => policy };
  return { source, authorizer: new RbacAuthorizer(source) };
}
