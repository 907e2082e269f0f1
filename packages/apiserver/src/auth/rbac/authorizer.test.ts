/**
 * A table of user × verb × resource × namespace with the expected answer. Each line is a request, each column a user: `+` is
 * allowed, `.` is forbidden.
 */
import { describe, expect, it } from 'vitest';
import { anonymous, type User } from '../contract.ts';
import { forbidden } from './authorizer.ts';
import { access, request, rule, user } from './rbac.kit.ts';

const users: Readonly<Record<string, User>> = {
  anon: anonymous,
  none: user('none'),
  master: user('mia', 'system:masters'),
  admin: user('ann', 'site-admins'),
  'view*': user('vera'),
  'view@a': user('viktor'),
  'edit@a': user('eve', 'editors'),
  'admin@a': user('adam'),
  bot: user('system:serviceaccount:a:bot', 'system:serviceaccounts'),
  custom: user('cora'),
};

const { authorizer } = access({
  clusterRoles: [
    { name: 'scaler', rules: [rule('get,update,patch', '*/scale', '*')] },
    { name: 'metrics', rules: [{ verbs: ['get'], nonResourceURLs: ['/metrics', '/debug/*'] }] },
    { name: 'node-reader', rules: [rule('get,list', 'nodes')] },
  ],
  roles: [
    { name: 'one-secret', namespace: 'a', rules: [rule('get,update', 'secrets', '', 'tls,ca')] },
    { name: 'logs', namespace: 'a', rules: [rule('get', 'pods/log')] },
    { name: 'all', namespace: 'c', rules: [rule('*', '*', '*')] },
    { name: 'paths', namespace: 'a', rules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] },
  ],
  clusterRoleBindings: [
    {
      name: 'admins',
      subjects: [{ kind: 'Group', name: 'site-admins' }],
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
    },
    { name: 'viewers', subjects: [{ kind: 'User', name: 'vera' }], roleRef: { kind: 'ClusterRole', name: 'view' } },
    { name: 'scalers', subjects: [{ kind: 'User', name: 'cora' }], roleRef: { kind: 'ClusterRole', name: 'scaler' } },
    { name: 'metrics', subjects: [{ kind: 'User', name: 'cora' }], roleRef: { kind: 'ClusterRole', name: 'metrics' } },
    // A ClusterRoleBinding cannot refer to a Role, and a service account needs a namespace there.
    { name: 'wrong', subjects: [{ kind: 'User', name: 'none' }], roleRef: { kind: 'Role', name: 'all' } },
    {
      name: 'lost',
      subjects: [{ kind: 'ServiceAccount', name: 'bot' }],
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
    },
    { name: 'gone', subjects: [{ kind: 'User', name: 'none' }], roleRef: { kind: 'ClusterRole', name: 'missing' } },
  ],
  roleBindings: [
    {
      name: 'v',
      namespace: 'a',
      subjects: [{ kind: 'User', name: 'viktor' }],
      roleRef: { kind: 'ClusterRole', name: 'view' },
    },
    {
      name: 'e',
      namespace: 'a',
      subjects: [{ kind: 'Group', name: 'editors' }],
      roleRef: { kind: 'ClusterRole', name: 'edit' },
    },
    {
      name: 'a',
      namespace: 'a',
      subjects: [{ kind: 'User', name: 'adam' }],
      roleRef: { kind: 'ClusterRole', name: 'admin' },
    },
    {
      name: 'b',
      namespace: 'a',
      subjects: [{ kind: 'ServiceAccount', name: 'bot' }],
      roleRef: { kind: 'Role', name: 'one-secret' },
    },
    {
      name: 'b2',
      namespace: 'b',
      subjects: [{ kind: 'ServiceAccount', name: 'bot', namespace: 'a' }],
      roleRef: { kind: 'ClusterRole', name: 'node-reader' },
    },
    { name: 'c', namespace: 'a', subjects: [{ kind: 'User', name: 'cora' }], roleRef: { kind: 'Role', name: 'logs' } },
    { name: 'p', namespace: 'a', subjects: [{ kind: 'User', name: 'cora' }], roleRef: { kind: 'Role', name: 'paths' } },
    // The role is in another namespace, or has no subjects.
    { name: 'far', namespace: 'a', subjects: [{ kind: 'User', name: 'none' }], roleRef: { kind: 'Role', name: 'all' } },
    { name: 'empty', namespace: 'c', roleRef: { kind: 'Role', name: 'all' } },
  ],
});

const ecsm = 'ecsmservices.ecsm.sh';
const rbac = 'rbac.authorization.k8s.io';
const self = 'authorization.k8s.io';

// biome-ignore format: the columns are the users, in their order: anon, none, master, admin, view*, view@a, edit@a, admin@a, bot, custom
const table: readonly (readonly [string, string, string, string])[] = [
  ['get', '/livez',                                        '',  '+     +     +     +     +     +     +     +     +     +'],
  ['get', '/readyz',                                       '',  '+     +     +     +     +     +     +     +     +     +'],
  ['get', '/version',                                      '',  '+     +     +     +     +     +     +     +     +     +'],
  ['get', '/livez/ping',                                   '',  '.     .     +     +     .     .     .     .     .     .'],
  ['get', '/api',                                          '',  '.     +     +     +     +     +     +     +     +     +'],
  ['get', '/apis/ecsm.sh/v1',                              '',  '.     +     +     +     +     +     +     +     +     +'],
  ['get', '/openapi/v3',                                   '',  '.     +     +     +     +     +     +     +     +     +'],
  ['get', '/',                                             '',  '.     .     +     +     .     .     .     .     .     .'],
  ['get', '/metrics',                                      '',  '.     .     +     +     .     .     .     .     .     +'],
  ['get', '/metrics/more',                                 '',  '.     .     +     +     .     .     .     .     .     .'],
  ['get', '/debug/',                                       '',  '.     .     +     +     .     .     .     .     .     +'],
  ['get', '/debug/pprof/heap',                             '',  '.     .     +     +     .     .     .     .     .     +'],
  ['get', '/debug',                                        '',  '.     .     +     +     .     .     .     .     .     .'],
  ['post', '/version',                                     '',  '.     .     +     +     .     .     .     .     .     .'],
  // A role of a namespace cannot allow a path, whatever the request says about a namespace.
  ['get', '/hidden',                                       'a', '.     .     +     +     .     .     .     .     .     .'],
  ['create', `selfsubjectaccessreviews.${self}`,           '',  '.     +     +     +     +     +     +     +     +     +'],
  ['create', `selfsubjectrulesreviews.${self}`,            '',  '.     +     +     +     +     +     +     +     +     +'],
  ['create', 'selfsubjectreviews.authentication.k8s.io',   '',  '.     +     +     +     +     +     +     +     +     +'],
  ['create', `subjectaccessreviews.${self}`,               '',  '.     .     +     +     .     .     .     .     .     .'],
  ['create', `localsubjectaccessreviews.${self}`,          'a', '.     .     +     +     .     .     .     +     .     .'],
  ['create', `localsubjectaccessreviews.${self}`,          'b', '.     .     +     +     .     .     .     .     .     .'],
  ['create', 'tokenreviews.authentication.k8s.io',         '',  '.     .     +     +     .     .     .     .     .     .'],
  ['get', 'pods=x',                                        'a', '.     .     +     +     +     +     +     +     .     .'],
  ['get', 'pods=x',                                        'b', '.     .     +     +     +     .     .     .     .     .'],
  ['list', 'pods',                                         '',  '.     .     +     +     +     .     .     .     .     .'],
  ['watch', 'pods',                                        'a', '.     .     +     +     +     +     +     +     .     .'],
  ['create', 'pods',                                       'a', '.     .     +     +     .     .     +     +     .     .'],
  ['get', 'pods/log=x',                                    'a', '.     .     +     +     +     +     +     +     .     +'],
  ['get', 'pods/log=x',                                    'b', '.     .     +     +     +     .     .     .     .     .'],
  ['get', 'pods/exec=x',                                   'a', '.     .     +     +     .     .     +     +     .     .'],
  ['update', 'pods/status=x',                              'a', '.     .     +     +     .     .     .     .     .     .'],
  ['get', 'secrets=tls',                                   'a', '.     .     +     +     .     .     +     +     +     .'],
  ['get', 'secrets=other',                                 'a', '.     .     +     +     .     .     +     +     .     .'],
  ['get', 'secrets=tls',                                   'b', '.     .     +     +     .     .     .     .     .     .'],
  ['list', 'secrets',                                      'a', '.     .     +     +     .     .     +     +     .     .'],
  ['list', 'secrets',                                      '',  '.     .     +     +     .     .     .     .     .     .'],
  ['watch', 'secrets',                                     'a', '.     .     +     +     .     .     +     +     .     .'],
  ['update', 'secrets=ca',                                 'a', '.     .     +     +     .     .     +     +     +     .'],
  ['delete', 'secrets=ca',                                 'a', '.     .     +     +     .     .     +     +     .     .'],
  ['create', 'secrets',                                    'a', '.     .     +     +     .     .     +     +     .     .'],
  ['get', 'configmaps=x',                                  'a', '.     .     +     +     +     +     +     +     .     .'],
  ['patch', 'configmaps=x',                                'a', '.     .     +     +     .     .     +     +     .     .'],
  ['deletecollection', 'configmaps',                       'a', '.     .     +     +     .     .     +     +     .     .'],
  ['list', 'events',                                       'a', '.     .     +     +     +     +     +     +     .     .'],
  ['list', 'events.events.k8s.io',                         'a', '.     .     +     +     +     +     +     +     .     .'],
  ['get', 'leases.coordination.k8s.io=x',                  'a', '.     .     +     +     .     .     +     +     .     .'],
  ['get', 'namespaces=a',                                  'a', '.     .     +     +     +     +     +     +     .     .'],
  ['list', 'namespaces',                                   '',  '.     .     +     +     +     .     .     .     .     .'],
  ['create', 'namespaces',                                 '',  '.     .     +     +     .     .     .     .     .     .'],
  ['delete', 'namespaces=a',                               'a', '.     .     +     +     .     .     .     .     .     .'],
  ['list', 'nodes',                                        '',  '.     .     +     +     .     .     .     .     .     .'],
  // A cluster-scoped resource is not in the namespace of a binding.
  ['get', 'nodes=n',                                       '',  '.     .     +     +     .     .     .     .     .     .'],
  ['get', 'nodes=n',                                       'b', '.     .     +     +     .     .     .     .     +     .'],
  ['list', 'pods.metrics.k8s.io',                          'a', '.     .     +     +     +     +     +     +     .     .'],
  ['list', 'nodes.metrics.k8s.io',                         '',  '.     .     +     +     +     .     .     .     .     .'],
  ['get', `${ecsm}=x`,                                     'a', '.     .     +     +     +     +     +     +     .     .'],
  ['list', ecsm,                                           'b', '.     .     +     +     +     .     .     .     .     .'],
  ['create', ecsm,                                         'a', '.     .     +     +     .     .     +     +     .     .'],
  ['create', ecsm,                                         'b', '.     .     +     +     .     .     .     .     .     .'],
  ['get', `${ecsm}/status=x`,                              'a', '.     .     +     +     +     +     +     +     .     .'],
  ['update', `${ecsm}/status=x`,                           'a', '.     .     +     +     .     .     .     .     .     .'],
  ['get', `${ecsm}/scale=x`,                               'a', '.     .     +     +     +     +     +     +     .     +'],
  ['patch', `${ecsm}/scale=x`,                             'a', '.     .     +     +     .     .     +     +     .     +'],
  ['patch', `${ecsm}/scale=x`,                             'b', '.     .     +     +     .     .     .     .     .     +'],
  ['delete', `${ecsm}/scale=x`,                            'b', '.     .     +     +     .     .     .     .     .     .'],
  ['patch', 'statefulsets.apps/scale=x',                   'b', '.     .     +     +     .     .     .     .     .     +'],
  ['get', 'scale=x',                                       'b', '.     .     +     +     .     .     .     .     .     .'],
  ['list', 'roles.rbac.authorization.k8s.io',              'a', '.     .     +     +     .     .     .     +     .     .'],
  ['create', `rolebindings.${rbac}`,                       'a', '.     .     +     +     .     .     .     +     .     .'],
  ['create', `rolebindings.${rbac}`,                       'b', '.     .     +     +     .     .     .     .     .     .'],
  ['escalate', `roles.${rbac}=x`,                          'a', '.     .     +     +     .     .     .     .     .     .'],
  ['list', `clusterroles.${rbac}`,                         '',  '.     .     +     +     .     .     .     .     .     .'],
  ['create', `clusterrolebindings.${rbac}`,                '',  '.     .     +     +     .     .     .     .     .     .'],
  ['list', 'tokens.ecsm.sh',                               '',  '.     .     +     +     .     .     .     .     .     .'],
  ['create', 'tokens.ecsm.sh',                             '',  '.     .     +     +     .     .     .     .     .     .'],
  ['impersonate', 'users=root',                            '',  '.     .     +     +     .     .     .     .     .     .'],
  ['get', 'priorityclasses.scheduling.k8s.io=x',           '',  '.     .     +     +     .     .     .     .     .     .'],
  ['get', 'pods=x',                                        'c', '.     .     +     +     +     .     .     .     .     .'],
  // Case and spaces count, and a star in a request is a name like any other.
  ['GET', 'pods=x',                                        'a', '.     .     +     +     .     .     .     .     .     .'],
  ['get', 'Pods=x',                                        'a', '.     .     +     +     .     .     .     .     .     .'],
  ['*', 'pods',                                            'a', '.     .     +     +     .     .     .     .     .     .'],
  ['get', '*',                                             'a', '.     .     +     +     .     .     .     .     .     .'],
  ['get', 'pods.ecsm.sh=x',                                'a', '.     .     +     +     .     .     .     .     .     .'],
];

describe('RBAC', () => {
  it('is tested with more than 200 combinations', () => {
    expect(table.length * Object.keys(users).length).toBeGreaterThan(200);
  });

  it.each(table)('allows to %s %s in "%s": %s', async (verb, what, namespace, expected) => {
    const answers = Object.values(users).map((who) => authorizer.authorize(request(who, verb, what, namespace)));
    const actual = (await Promise.all(answers)).map(({ allowed }) => (allowed ? '+' : '.'));
    expect(actual).toEqual(expected.split(/ +/));
  });

  it('says which binding allows a request', async () => {
    const reasonOf = async (who: User, ...rest: [string, string, string]) =>
      (await authorizer.authorize(request(who, ...rest))).reason;
    expect(await reasonOf(user('vera'), 'get', 'pods=x', 'b')).toBe(
      'RBAC: allowed by ClusterRoleBinding "viewers" of ClusterRole "view" to User "vera"',
    );
    expect(await reasonOf(user('x', 'editors'), 'create', 'pods', 'a')).toBe(
      'RBAC: allowed by RoleBinding "e/a" of ClusterRole "edit" to Group "editors"',
    );
    expect(await reasonOf(user('system:serviceaccount:a:bot'), 'get', 'secrets=ca', 'a')).toBe(
      'RBAC: allowed by RoleBinding "b/a" of Role "one-secret" to ServiceAccount "bot/a"',
    );
    expect(await reasonOf(user('none'), 'get', 'pods=x', 'a')).toBe('');
  });
});

describe('the rules of a user', () => {
  it('are those of its bindings everywhere and in the namespace', async () => {
    const { resourceRules, nonResourceRules } = await authorizer.rulesFor(user('cora'), 'a');
    expect(resourceRules).toContainEqual({ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] });
    expect(resourceRules).toContainEqual({
      verbs: ['get', 'update', 'patch'],
      apiGroups: ['*'],
      resources: ['*/scale'],
    });
    expect(nonResourceRules).toContainEqual({ verbs: ['get'], nonResourceURLs: ['/metrics', '/debug/*'] });
    expect(JSON.stringify(await authorizer.rulesFor(user('cora'), 'b'))).not.toContain('pods/log');
    expect((await authorizer.rulesFor(user('system:serviceaccount:a:bot'), 'a')).resourceRules).toContainEqual({
      verbs: ['get', 'update'],
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: ['tls', 'ca'],
    });
  });

  it('are everything for system:masters', async () => {
    const { resourceRules, nonResourceRules } = await authorizer.rulesFor(user('mia', 'system:masters'), 'a');
    expect(resourceRules).toContainEqual({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
    expect(nonResourceRules).toContainEqual({ verbs: ['*'], nonResourceURLs: ['*'] });
  });
});

describe('forbidden', () => {
  const jane = user('jane');

  it.each([
    [
      request(jane, 'get', 'secrets=x', 'default'),
      'User "jane" cannot get resource "secrets" in API group "" in the namespace "default"',
    ],
    [request(jane, 'list', 'pods', ''), 'User "jane" cannot list resource "pods" in API group "" at the cluster scope'],
    [
      request(jane, 'get', 'pods/log=x', 'a'),
      'User "jane" cannot get resource "pods/log" in API group "" in the namespace "a"',
    ],
    [
      request(jane, 'create', ecsm, 'a'),
      'User "jane" cannot create resource "ecsmservices" in API group "ecsm.sh" in the namespace "a"',
    ],
    [request(anonymous, 'get', '/metrics'), 'User "system:anonymous" cannot get path "/metrics"'],
    [
      request(user('a"b\n'), 'get', 'pods=x\ny', 'a'),
      'User "a\\"b\\n" cannot get resource "pods" in API group "" in the namespace "a"',
    ],
  ])('has the words of Kubernetes: %#', (attributes, message) => {
    expect(forbidden(attributes).message).toBe(message);
    expect(forbidden(attributes).status).toBe(403);
  });
});
