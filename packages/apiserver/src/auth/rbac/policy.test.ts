import { describe, expect, it } from 'vitest';
import { aggregatedRules } from './aggregation.ts';
import { defaultObjects } from './defaults.ts';
import type { ClusterRole } from './objects.ts';
import { access, request, rule, user } from './rbac.kit.ts';
import { urlCovers } from './rules.ts';

const verbsOf = (roles: readonly ClusterRole[], name: string) =>
  (aggregatedRules(roles).get(name) ?? []).flatMap(({ verbs }) => verbs).sort();
const selecting = (name: string, label: string, more: Partial<ClusterRole> = {}): ClusterRole => ({
  name,
  rules: [],
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: 'yes' } }] },
  ...more,
});

describe('an aggregated role', () => {
  it('has the rules of the roles that it selects, also through others', () => {
    const roles = [
      selecting('top', 'to-top'),
      selecting('middle', 'to-middle', { labels: { 'to-top': 'yes' } }),
      { name: 'leaf', labels: { 'to-middle': 'yes' }, rules: [rule('get', 'pods')] },
      { name: 'other', labels: { 'to-middle': 'no' }, rules: [rule('delete', 'pods')] },
    ];
    expect(verbsOf(roles, 'top')).toEqual(['get']);
  });

  it('may be part of a circle', () => {
    const roles = [
      selecting('a', 'x', { labels: { x: 'yes' }, rules: [rule('get', 'pods')] }),
      selecting('b', 'x', { labels: { x: 'yes' }, rules: [rule('list', 'pods')] }),
    ];
    expect(verbsOf(roles, 'a')).toEqual(['get', 'list']);
    expect(verbsOf(roles, 'b')).toEqual(['get', 'list']);
  });

  it('ignores an invalid selector', () => {
    const roles: ClusterRole[] = [
      {
        name: 'a',
        rules: [rule('get', 'pods')],
        aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'x', operator: 'In' }] }] },
      },
      { name: 'b', labels: { x: 'y' }, rules: [rule('delete', 'pods')] },
    ];
    expect(verbsOf(roles, 'a')).toEqual(['get']);
  });
});

describe('the default roles', () => {
  it('keep their rules when something else is stored under their names', async () => {
    const { authorizer } = access({
      clusterRoles: [{ name: 'view', rules: [rule('get', 'widgets')] }],
      clusterRoleBindings: [
        { name: 'v', subjects: [{ kind: 'User', name: 'jane' }], roleRef: { kind: 'ClusterRole', name: 'view' } },
        { name: 'system:basic-user', subjects: [], roleRef: { kind: 'ClusterRole', name: 'system:basic-user' } },
      ],
    });
    const may = async (verb: string, what: string) =>
      (await authorizer.authorize(request(user('jane'), verb, what, 'a'))).allowed;
    expect(await may('get', 'pods=x')).toBe(true);
    expect(await may('get', 'widgets=x')).toBe(true);
    expect(await may('create', 'selfsubjectreviews.authentication.k8s.io')).toBe(true);
  });

  it('do not take in the rules of a built-in role by the labels of a stored one with its name', () => {
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    const stored = { name: 'cluster-admin', labels, rules: [rule('get', 'widgets')] };
    const roles = aggregatedRules([...defaultObjects().clusterRoles, stored]);
    const resourcesOf = (name: string) => new Set((roles.get(name) ?? []).flatMap(({ resources = [] }) => resources));
    expect(resourcesOf('view')).toContain('widgets');
    expect(resourcesOf('view')).not.toContain('*');
    expect([...resourcesOf('cluster-admin')]).toEqual(['*', 'widgets']);
  });

  it('take in a stored role with the label of aggregation', async () => {
    const { authorizer } = access({
      clusterRoles: [
        {
          name: 'widgets',
          labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
          rules: [rule('list', 'widgets', 'example.com')],
        },
      ],
      roleBindings: [
        {
          name: 'v',
          namespace: 'a',
          subjects: [{ kind: 'User', name: 'jane' }],
          roleRef: { kind: 'ClusterRole', name: 'admin' },
        },
      ],
    });
    const { allowed } = await authorizer.authorize(request(user('jane'), 'list', 'widgets.example.com', 'a'));
    expect(allowed).toBe(true);
  });

  it('never let view read secrets, roles or tokens', () => {
    const rules = aggregatedRules(defaultObjects([{ group: '', plural: 'secrets', scale: false }]).clusterRoles).get(
      'view',
    );
    const resources = new Set((rules ?? []).flatMap((one) => one.resources ?? []));
    for (const one of ['secrets', 'roles', 'rolebindings', 'tokens', '*']) expect(resources).not.toContain(one);
    expect(new Set((rules ?? []).flatMap(({ verbs }) => verbs))).toEqual(new Set(['get', 'list', 'watch']));
  });
});

describe('urlCovers', () => {
  it.each([
    ['*', '/anything', true],
    ['/api/*', '/api/v1', true],
    ['/api/*', '/api', false],
    ['/api/*', '/apis', false],
    ['/api*', '/apis', true],
    ['/api', '/api/', false],
    ['/*/x', '/a/x', false],
  ])('%s allows %s: %s', (allowed, path, expected) => {
    expect(urlCovers(allowed, path)).toBe(expected);
  });
});
