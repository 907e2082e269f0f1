import { EmbeddedRegistry, isApiError, MemoryStore } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { access, rule, user } from '../auth/rbac/rbac.kit.ts';
import { ClusterRole } from '../kinds/rbac.ts';
import { admitWrite } from './escalation.ts';

const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { on: '1' } }] };
const clusterRole = (name: string, fields: object) => ({
  apiVersion: ClusterRole.apiVersion,
  kind: ClusterRole.kind,
  metadata: { name },
  ...fields,
});

describe('a server-side apply of a ClusterRole', () => {
  it.each([{}, { rules: null }])('is checked with the rules that the role keeps: %j', async (fields) => {
    const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [ClusterRole] });
    await registry.resource(ClusterRole).create(ClusterRole.input({ name: 'all' }, { rules: [rule('*', '*', '*')] }));
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    const applied = { ...clusterRole('all', fields), metadata: { name: 'all', labels } };
    const attempt = (who: ReturnType<typeof user>, object: object) =>
      admitWrite({ ...access({}), registry }, who, ClusterRole, { ...object }, true).then(
        () => 'allowed',
        (error: unknown) => (isApiError(error, 'Forbidden') ? error.message : error),
      );
    expect(await attempt(user('eve'), applied)).toContain('permissions not currently held');
    expect(await attempt(user('mia', 'system:masters'), applied)).toBe('allowed');
    expect(await attempt(user('eve'), { ...applied, rules: [] })).toBe('allowed');
    expect(await attempt(user('eve'), { ...applied, metadata: { name: 'new', labels } })).toBe('allowed');
    await registry.close();
  });
});

describe('an update of a ClusterRole', () => {
  it('that removes its aggregation rule is allowed only to users who may do everything', async () => {
    const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [ClusterRole] });
    const subject = { kind: 'User' as const, name: 'adam' };
    const { source, authorizer } = access({
      clusterRoles: [{ name: 'reader', rules: [rule('get', 'pods')] }],
      clusterRoleBindings: [{ name: 'adam', subjects: [subject], roleRef: { kind: 'ClusterRole', name: 'reader' } }],
    });
    const attempt = (who: ReturnType<typeof user>, name: string) =>
      admitWrite(
        { source, authorizer, registry },
        who,
        ClusterRole,
        clusterRole(name, { rules: [rule('get', 'pods')] }),
      ).then(
        () => 'allowed',
        (error: unknown) => (isApiError(error, 'Forbidden') ? error.message : error),
      );
    const roles = registry.resource(ClusterRole);
    await roles.create(ClusterRole.input({ name: 'collected' }, { rules: [], aggregationRule }));
    await roles.create(ClusterRole.input({ name: 'plain' }, { rules: [] }));
    expect(await attempt(user('adam'), 'plain')).toBe('allowed');
    expect(await attempt(user('adam'), 'new')).toBe('allowed');
    expect(await attempt(user('adam'), 'collected')).toContain('must have cluster-admin privileges');
    expect(await attempt(user('mia', 'system:masters'), 'collected')).toBe('allowed');
    await registry.close();
  });
});
