/**
 * The cluster roles and bindings that Kubernetes creates in every cluster, without those of its own components. They are
 * always in effect: a stored object of the same name adds to them. `view` cannot read secrets, and `edit` and `view`
 * cannot read or change roles, because either would allow them to act as another user.
 */
import type { KindSet } from '@ecsm/runtime';
import { groups } from '../contract.ts';
import {
  type ClusterRole,
  type ClusterRoleBinding,
  noObjects,
  type PolicyRule,
  type RbacObjects,
  rbacGroup,
} from './objects.ts';

/** A namespaced resource of the server's own kinds, for `view` and `edit`. */
export interface ServedResource {
  readonly group: string;
  readonly plural: string;
  /** Whether `plural/scale` exists. */
  readonly scale: boolean;
}

const read = ['get', 'list', 'watch'] as const;
const write = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;

const bootstrapLabels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const aggregateTo = (role: string) => ({ [`${rbacGroup}/aggregate-to-${role}`]: 'true' });
const rule = (verbs: readonly string[], group: string, ...resources: readonly string[]): PolicyRule => ({
  verbs,
  apiGroups: [group],
  resources,
});
const paths = (...nonResourceURLs: readonly string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });

const health = ['/livez', '/readyz', '/healthz'];
const version = ['/version', '/version/'];

/** With the resources that a server serves beyond those of Kubernetes, `view` can read them and `edit` write them. */
export function defaultObjects(served: readonly ServedResource[] = []): RbacObjects {
  return {
    ...noObjects,
    clusterRoles: [
      role('cluster-admin', [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ]),
      aggregate('admin', {}),
      aggregate('edit', aggregateTo('admin')),
      aggregate('view', aggregateTo('edit')),
      role('system:aggregate-to-admin', adminRules, aggregateTo('admin')),
      role('system:aggregate-to-edit', [...editRules, ...servedRules(served, write, false)], aggregateTo('edit')),
      role('system:aggregate-to-view', [...viewRules, ...servedRules(served, read, true)], aggregateTo('view')),
      role('system:aggregated-metrics-reader', [rule(read, 'metrics.k8s.io', 'pods', 'nodes')], {
        ...aggregateTo('view'),
      }),
      role('system:discovery', [
        paths(...health, ...version, '/openapi', '/openapi/*', '/api', '/api/*', '/apis', '/apis/*'),
      ]),
      role('system:public-info-viewer', [paths(...health, ...version)]),
      role('system:monitoring', [paths('/metrics', ...health, ...health.map((path) => `${path}/*`))]),
      role('system:basic-user', [
        rule(['create'], 'authorization.k8s.io', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'),
        rule(['create'], 'authentication.k8s.io', 'selfsubjectreviews'),
      ]),
    ],
    clusterRoleBindings: [
      binding('cluster-admin', groups.masters),
      binding('system:discovery', groups.authenticated),
      binding('system:basic-user', groups.authenticated),
      binding('system:public-info-viewer', groups.authenticated, groups.unauthenticated),
      binding('system:monitoring', 'system:monitoring'),
    ],
  };
}

/** The resources of a registry's kinds, for `defaultObjects`. */
export function servedResources({ kinds }: KindSet): readonly ServedResource[] {
  return kinds
    .filter(({ scope, group }) => scope === 'Namespaced' && group !== '')
    .map(({ group, plural, scale }) => ({ group, plural, scale: scale !== undefined }));
}

const viewRules: readonly PolicyRule[] = [
  rule(read, '', 'pods', 'pods/log', 'pods/status', 'services', 'services/status', 'endpoints', 'serviceaccounts'),
  rule(read, '', 'configmaps', 'events', 'persistentvolumeclaims', 'persistentvolumeclaims/status'),
  // In a binding of one namespace, this is the namespace itself.
  rule(read, '', 'namespaces', 'namespaces/status'),
  rule(read, 'events.k8s.io', 'events'),
  rule(read, 'discovery.k8s.io', 'endpointslices'),
  rule(read, 'apps', 'statefulsets', 'statefulsets/status', 'statefulsets/scale', 'controllerrevisions'),
  rule(read, 'batch', 'jobs', 'jobs/status', 'cronjobs', 'cronjobs/status'),
  rule(read, 'policy', 'poddisruptionbudgets', 'poddisruptionbudgets/status'),
];

const editRules: readonly PolicyRule[] = [
  rule([...read, ...write], '', 'secrets', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'),
  rule(write, '', 'pods', 'services', 'serviceaccounts', 'configmaps', 'events', 'persistentvolumeclaims'),
  rule(['create'], '', 'pods/eviction', 'serviceaccounts/token'),
  rule(['impersonate'], '', 'serviceaccounts'),
  rule(write, 'apps', 'statefulsets', 'statefulsets/scale'),
  rule(write, 'batch', 'jobs', 'cronjobs'),
  rule(write, 'policy', 'poddisruptionbudgets'),
  rule([...read, ...write], 'coordination.k8s.io', 'leases'),
];

const adminRules: readonly PolicyRule[] = [
  rule(['create'], 'authorization.k8s.io', 'localsubjectaccessreviews'),
  rule([...read, ...write], rbacGroup, 'roles', 'rolebindings'),
];

/** Resources that are covered above, or would allow more than their role, are left to it. */
const excludedGroups: readonly string[] = ['', rbacGroup, 'coordination.k8s.io', 'events.k8s.io'];

function servedRules(served: readonly ServedResource[], verbs: readonly string[], withStatus: boolean): PolicyRule[] {
  const byGroup = new Map<string, string[]>();
  for (const { group, plural, scale } of served) {
    if (excludedGroups.includes(group)) continue;
    const resources = byGroup.get(group) ?? [];
    resources.push(plural, ...(withStatus ? [`${plural}/status`] : []), ...(scale ? [`${plural}/scale`] : []));
    byGroup.set(group, resources);
  }
  return [...byGroup].map(([group, resources]) => rule(verbs, group, ...resources));
}

function role(name: string, rules: readonly PolicyRule[], labels: Readonly<Record<string, string>> = {}): ClusterRole {
  return { name, labels: { ...bootstrapLabels, ...labels }, rules };
}

function aggregate(name: string, labels: Readonly<Record<string, string>>): ClusterRole {
  return {
    name,
    labels: { ...bootstrapLabels, ...labels },
    rules: [],
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregateTo(name) }] },
  };
}

function binding(name: string, ...members: readonly string[]): ClusterRoleBinding {
  return {
    name,
    roleRef: { kind: 'ClusterRole', name },
    subjects: members.map((member) => ({ kind: 'Group', name: member })),
  };
}

/** The objects of both; of one name, both are in effect. */
export function mergeObjects(one: RbacObjects, other: RbacObjects): RbacObjects {
  return {
    roles: [...one.roles, ...other.roles],
    clusterRoles: [...one.clusterRoles, ...other.clusterRoles],
    roleBindings: [...one.roleBindings, ...other.roleBindings],
    clusterRoleBindings: [...one.clusterRoleBindings, ...other.clusterRoleBindings],
  };
}
