/** What the default roles allow, resource by resource and path by path, as users of Kubernetes expect it. */
import { KindSet } from '@ecsm/runtime';
import { Crate, Widget } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { anonymous } from '../contract.ts';
import { servedResources } from './defaults.ts';
import { access, request, user } from './rbac.kit.ts';

const verbs = {
  read: ['get', 'list', 'watch'],
  write: ['create', 'delete', 'deletecollection', 'patch', 'update'],
  create: ['create'],
  impersonate: ['impersonate'],
} as const;
type Words = keyof typeof verbs;
const all = [...verbs.read, ...verbs.write, ...verbs.impersonate];

const { authorizer } = access({
  roleBindings: ['view', 'edit', 'admin'].map((role) => ({
    name: role,
    namespace: 'a',
    subjects: [{ kind: 'User', name: role }],
    roleRef: { kind: 'ClusterRole', name: role },
  })),
});

const allowed = async (name: string, what: string) => {
  const answers = await Promise.all(all.map((verb) => authorizer.authorize(request(user(name), verb, what, 'a'))));
  return all.filter((_, index) => answers[index]?.allowed).sort();
};
const meant = (words: string) => [
  ...new Set(
    words
      .split(' ')
      .filter((word): word is Words => word in verbs)
      .flatMap((word) => verbs[word]),
  ),
];

/** The resource, and what `view`, `edit` and `admin` may do with it. */
const table: [resource: string, view: string, edit: string, admin?: string][] = [
  ['pods', 'read', 'read write'],
  ['pods/log', 'read', 'read'],
  ['pods/status', 'read', 'read'],
  ['pods/exec', '', 'read write'],
  ['pods/attach', '', 'read write'],
  ['pods/portforward', '', 'read write'],
  ['pods/proxy', '', 'read write'],
  ['pods/eviction', '', 'create'],
  ['services', 'read', 'read write'],
  ['services/status', 'read', 'read'],
  ['endpoints', 'read', 'read'],
  ['serviceaccounts', 'read', 'read write impersonate'],
  ['serviceaccounts/token', '', 'create'],
  ['configmaps', 'read', 'read write'],
  ['secrets', '', 'read write'],
  ['events', 'read', 'read write'],
  ['persistentvolumeclaims', 'read', 'read write'],
  ['persistentvolumeclaims/status', 'read', 'read'],
  ['namespaces', 'read', 'read'],
  ['namespaces/status', 'read', 'read'],
  ['nodes', '', ''],
  ['events.events.k8s.io', 'read', 'read'],
  ['endpointslices.discovery.k8s.io', 'read', 'read'],
  ['statefulsets.apps', 'read', 'read write'],
  ['statefulsets.apps/status', 'read', 'read'],
  ['statefulsets.apps/scale', 'read', 'read write'],
  ['controllerrevisions.apps', 'read', 'read'],
  ['jobs.batch', 'read', 'read write'],
  ['jobs.batch/status', 'read', 'read'],
  ['cronjobs.batch', 'read', 'read write'],
  ['cronjobs.batch/status', 'read', 'read'],
  ['poddisruptionbudgets.policy', 'read', 'read write'],
  ['poddisruptionbudgets.policy/status', 'read', 'read'],
  ['leases.coordination.k8s.io', '', 'read write'],
  ['pods.metrics.k8s.io', 'read', 'read'],
  ['nodes.metrics.k8s.io', 'read', 'read'],
  ['roles.rbac.authorization.k8s.io', '', '', 'read write'],
  ['rolebindings.rbac.authorization.k8s.io', '', '', 'read write'],
  ['clusterroles.rbac.authorization.k8s.io', '', ''],
  ['localsubjectaccessreviews.authorization.k8s.io', '', '', 'create'],
  // What a server serves beyond Kubernetes.
  ['ecsmservices.ecsm.sh', 'read', 'read write'],
  ['ecsmservices.ecsm.sh/status', 'read', 'read'],
  ['ecsmservices.ecsm.sh/scale', 'read', 'read write'],
  ['servicerevisions.ecsm.sh', 'read', 'read write'],
  ['servicerevisions.ecsm.sh/status', 'read', 'read'],
  ['servicerevisions.ecsm.sh/scale', '', ''],
];

describe('the default roles', () => {
  it.each(table)('%s: view "%s", edit "%s"', async (resource = '', view = '', edit = '', admin = edit) => {
    expect(await allowed('view', resource)).toEqual(meant(view).sort());
    expect(await allowed('edit', resource)).toEqual(meant(edit).sort());
    expect(await allowed('admin', resource)).toEqual(meant(admin).sort());
  });

  it.each([
    ['/livez', true, true, true],
    ['/readyz', true, true, true],
    ['/healthz', true, true, true],
    ['/version', true, true, true],
    ['/version/', true, true, false],
    ['/api', false, true, false],
    ['/api/v1', false, true, false],
    ['/apis', false, true, false],
    ['/apis/apps', false, true, false],
    ['/openapi', false, true, false],
    ['/openapi/v3', false, true, false],
    ['/metrics', false, false, true],
    ['/livez/ping', false, false, true],
    ['/readyz/store', false, false, true],
    ['/debug', false, false, false],
  ])('%s: anonymous %s, any user %s, system:monitoring %s', async (path, unknown, known, monitoring) => {
    const may = async (who: typeof anonymous) => (await authorizer.authorize(request(who, 'get', path))).allowed;
    expect([await may(anonymous), await may(user('jane'))]).toEqual([unknown, known]);
    // Not authenticated by itself, so that only the rights of its own group count.
    expect(await may({ name: 'scraper', groups: ['system:monitoring', 'system:unauthenticated'] })).toBe(
      monitoring || unknown,
    );
    expect((await authorizer.authorize(request(user('jane'), 'post', path))).allowed).toBe(false);
  });

  it('let every user ask about itself', async () => {
    const may = async (what: string) =>
      (await authorizer.authorize(request(user('jane'), 'create', what, 'a'))).allowed;
    expect(await may('selfsubjectaccessreviews.authorization.k8s.io')).toBe(true);
    expect(await may('selfsubjectrulesreviews.authorization.k8s.io')).toBe(true);
    expect(await may('selfsubjectreviews.authentication.k8s.io')).toBe(true);
    expect(await may('subjectaccessreviews.authorization.k8s.io')).toBe(false);
    expect(await may('tokenreviews.authentication.k8s.io')).toBe(false);
  });
});

it('the served resources are those with a namespace and a group', () => {
  const { group, plural } = Widget;
  expect(servedResources(new KindSet([Widget, { ...Crate, scope: 'Cluster' }]))).toEqual([
    { group, plural, scale: Widget.scale !== undefined },
  ]);
});
