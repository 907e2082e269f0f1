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
