import { describe, expect, it } from 'vitest';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './rbac.ts';

const metadata = { name: 'system:x' };
const problemsOf = (
  kind: typeof Role | typeof ClusterRole | typeof RoleBinding | typeof ClusterRoleBinding,
  content: object,
) => {
  const object = kind.default(Object.assign({ metadata }, content) as never);
  return kind.validate(object).map(({ path, type }) => `${path}: ${type}`);
};
const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };

describe('a role', () => {
  it.each([
    [Role, { rules: [rule] }, []],
    [Role, {}, []],
    [Role, { rules: null }, []],
    [Role, { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }, ['rules[0].nonResourceURLs: Invalid value']],
    [ClusterRole, { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }, []],
    [ClusterRole, { rules: [{ ...rule, nonResourceURLs: ['/x'] }] }, ['rules[0].nonResourceURLs: Invalid value']],
    [Role, { rules: [{ ...rule, verbs: [] }] }, ['rules[0].verbs: Invalid value']],
    [
      Role,
      { rules: [rule, { verbs: ['get'] }] },
      ['rules[1].apiGroups: Required value', 'rules[1].resources: Required value'],
    ],
    [ClusterRole, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }, rules: null }, []],
    [
      ClusterRole,
      { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] } },
      ['aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Required value'],
    ],
  ] as const)('is valid or not: %#', (kind, content, problems) => {
    expect(problemsOf(kind, content)).toEqual(problems);
  });
});

describe('a binding', () => {
  const bot = { kind: 'ServiceAccount', name: 'bot' };
  it.each([
    [RoleBinding, { roleRef, subjects: [{ kind: 'User', name: 'jane', apiGroup: roleRef.apiGroup }, bot] }, []],
    [RoleBinding, { roleRef: { kind: 'Role', name: 'r' } }, []],
    [ClusterRoleBinding, { roleRef, subjects: [{ ...bot, namespace: 'a' }] }, []],
    [ClusterRoleBinding, { roleRef, subjects: [bot] }, ['subjects[0].namespace: Required value']],
    [ClusterRoleBinding, { roleRef: { ...roleRef, kind: 'Role' } }, ['roleRef.kind: Unsupported value']],
    [RoleBinding, { roleRef: { ...roleRef, apiGroup: 'v1' } }, ['roleRef.apiGroup: Unsupported value']],
    [
      RoleBinding,
      { roleRef, subjects: [{ kind: 'User', name: 'jane', apiGroup: '' }] },
      ['subjects[0].apiGroup: Unsupported value'],
    ],
    [RoleBinding, { roleRef, subjects: [{ kind: 'Pod', name: 'jane' }] }, ['subjects[0].kind: Unsupported value']],
    [RoleBinding, {}, ['roleRef: Required value']],
  ] as const)('is valid or not: %#', (kind, content, problems) => {
    expect(problemsOf(kind, content)).toEqual(problems);
  });

  it('keeps its role', () => {
    const binding = (name: string) =>
      RoleBinding.parse({
        apiVersion: RoleBinding.apiVersion,
        kind: 'RoleBinding',
        metadata: { ...metadata, namespace: 'a' },
        roleRef: { ...roleRef, name },
      });
    expect(RoleBinding.validate(binding('view'), binding('view'))).toEqual([]);
    expect(RoleBinding.validate(binding('edit'), binding('view'))).toEqual([
      { path: 'roleRef', type: 'Invalid value', message: 'cannot change roleRef' },
    ]);
  });
});
