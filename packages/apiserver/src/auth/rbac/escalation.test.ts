import { isApiError } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { anonymous } from '../contract.ts';
import {
  type BindingWrite,
  checkBindingWrite,
  checkRoleWrite,
  checkTokenWrite,
  combinationsMax,
  type RoleWrite,
} from './escalation.ts';
import { access, rule, user } from './rbac.kit.ts';

const rbac = 'rbac.authorization.k8s.io';
const bindTo = (name: string, kind: 'Role' | 'ClusterRole', role: string, namespace: string) => ({
  name: `${name}-${role}`,
  namespace,
  subjects: [{ kind: 'User' as const, name }],
  roleRef: { kind, name: role },
});

const { source, authorizer } = access({
  clusterRoles: [
    { name: 'escalator', rules: [rule('escalate', 'roles,clusterroles', rbac)] },
    { name: 'binder', rules: [rule('bind', 'clusterroles', rbac, 'view,missing')] },
    { name: 'named', rules: [rule('get', 'secrets', '', 'a,b'), rule('get,update', '*/scale', '*')] },
    { name: 'paths', rules: [{ verbs: ['get'], nonResourceURLs: ['/debug/*'] }] },
    { name: 'secret-reader', rules: [rule('get', 'secrets')] },
    { name: 'impersonator', rules: [rule('impersonate', 'users', '', 'bob'), rule('impersonate', 'groups')] },
    { name: 'role-reader', rules: [rule('get', 'clusterroles', rbac)] },
  ],
  clusterRoleBindings: ['escalator', 'binder', 'named', 'paths', 'impersonator'].map((role) =>
    bindTo(role, 'ClusterRole', role, ''),
  ),
  roleBindings: [bindTo('adam', 'ClusterRole', 'admin', 'a')],
});
const as = (name: string, ...groups: string[]) => ({ user: user(name, ...groups), source, authorizer });
const reader = access({
  clusterRoles: [{ name: 'role-reader', rules: [rule('get', 'clusterroles', rbac)] }],
  clusterRoleBindings: [bindTo('rita', 'ClusterRole', 'role-reader', '')],
});

async function outcome(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'allowed',
    (error: unknown) => {
      if (isApiError(error, 'Forbidden')) return error.message;
      throw error;
    },
  );
}

const role = (rules: RoleWrite['rules'], more: Partial<RoleWrite> = {}): RoleWrite => ({
  kind: 'Role',
  name: 'r',
  namespace: 'a',
  rules,
  isAggregated: false,
  ...more,
});
const binding = (name: string, more: Partial<BindingWrite> = {}): BindingWrite => ({
  namespace: 'a',
  roleRef: { kind: 'ClusterRole', name },
  ...more,
});

describe('a role', () => {
  it.each([
    ['adam', role([rule('get,create', 'pods,secrets')]), true],
    ['adam', role([rule('get,create', 'pods', 'apps')]), false],
    ['adam', role([rule('get', 'nodes')]), false],
    ['adam', role([rule('*', 'pods')]), false],
    ['adam', role([rule('get', '*')]), false],
    ['adam', role([rule('get', 'pods', '*')]), false],
    ['adam', role([rule('get', 'pods')], { namespace: 'b' }), false],
    ['adam', role([rule('get', 'pods')], { kind: 'ClusterRole', namespace: '' }), false],
    ['adam', role([rule('get', 'pods', '', 'x')]), true],
    ['adam', role([]), true],
    ['named', role([rule('get', 'secrets', '', 'a')]), true],
    ['named', role([rule('get', 'secrets', '', 'a,b')]), true],
    ['named', role([rule('get', 'secrets', '', 'a,c')]), false],
    ['named', role([rule('get', 'secrets')]), false],
    ['named', role([rule('get', 'pods/scale,apps/scale', 'any')]), true],
    ['named', role([rule('get', '*/scale', '*')]), true],
    ['named', role([rule('get', 'pods')]), false],
    [
      'paths',
      role([{ verbs: ['get'], nonResourceURLs: ['/debug/x', '/debug/*'] }], { kind: 'ClusterRole', namespace: '' }),
      true,
    ],
    ['paths', role([{ verbs: ['get'], nonResourceURLs: ['/debug*'] }], { kind: 'ClusterRole', namespace: '' }), false],
    ['paths', role([{ verbs: ['get'], nonResourceURLs: ['*'] }], { kind: 'ClusterRole', namespace: '' }), false],
    ['escalator', role([rule('*', '*', '*')]), true],
    ['escalator', role([rule('*', '*', '*')], { kind: 'ClusterRole', namespace: '', isAggregated: true }), true],
    ['nobody', role([rule('get', 'pods')]), false],
  ])('of %s with more rights than the user has is forbidden: %#', async (name, write, isAllowed) => {
    expect((await outcome(checkRoleWrite(as(name), write))) === 'allowed').toBe(isAllowed);
  });

  it('names the rules that are missing', async () => {
    expect(await outcome(checkRoleWrite(as('jane', 'dev'), role([rule('get', 'pods', '', 'x')])))).toBe(
      'user "jane" (groups=["dev","system:authenticated"]) is attempting ' +
        'to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["x"], Verbs:["get"]}',
    );
  });

  it('names at most ten of the rules that are missing, and says that there are more', async () => {
    const linesOf = async (count: number) => {
      const resources = Array.from({ length: count }, (_, index) => `r${index}`).join();
      return (await outcome(checkRoleWrite(as('jane'), role([rule('get', resources)])))).split('\n').slice(1);
    };
    const [ten, eleven] = [await linesOf(10), await linesOf(11)];
    expect(ten).toHaveLength(10);
    expect(ten.at(-1)).toContain('"r9"');
    expect(eleven).toEqual([...ten, '…']);
  });

  it('may aggregate others only if the user may do everything', async () => {
    const write = role([], { kind: 'ClusterRole', namespace: '', isAggregated: true });
    expect(await outcome(checkRoleWrite(as('adam'), write))).toContain('must have cluster-admin privileges');
    expect(await outcome(checkRoleWrite(as('mia', 'system:masters'), write))).toBe('allowed');
    const admins = access({ clusterRoleBindings: [bindTo('root', 'ClusterRole', 'cluster-admin', '')] });
    const { authorizer: none } = access({});
    expect(await outcome(checkRoleWrite({ user: user('root'), ...admins }, write))).toBe('allowed');
    // By the rules alone, without the verb escalate.
    expect(await outcome(checkRoleWrite({ user: user('root'), ...admins, authorizer: none }, write))).toBe('allowed');
  });

  it('is rejected if its rules have too many combinations', async () => {
    const many = Array.from({ length: 400 }, (_, index) => `x${index}`).join();
    const reads = access({
      clusterRoles: [{ name: 'reads', rules: [rule('get', '*', '*')] }],
      clusterRoleBindings: [bindTo('ann', 'ClusterRole', 'reads', '')],
    });
    const everything = { user: user('ann'), ...reads };
    const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`).join();
    const most = rule('get', names(100), '', names(combinationsMax / 100));
    expect(await outcome(checkRoleWrite(everything, role([most])))).toBe('allowed');
    await expect(checkRoleWrite(everything, role([most, rule('get', 'pods')]))).rejects.toThrow('combinations');
    const wide = role([rule('get', many, '', many)]);
    expect(await outcome(checkRoleWrite(everything, role([rule('get', many, 'a')])))).toBe('allowed');
    await expect(checkRoleWrite(everything, wide)).rejects.toThrow('combinations');
  });
});

describe('a binding', () => {
  it.each([
    ['adam', binding('view'), true],
    ['adam', binding('admin'), true],
    ['adam', binding('cluster-admin'), false],
    ['adam', binding('view', { namespace: 'b' }), false],
    ['adam', binding('view', { namespace: '' }), false],
    ['adam', binding('missing'), false],
    ['binder', binding('view'), true],
    ['binder', binding('view', { namespace: '' }), true],
    ['binder', binding('missing'), true],
    ['binder', binding('edit'), false],
    ['escalator', binding('edit'), false],
  ])('of %s to a role with more rights than the user has is forbidden: %#', async (name, write, isAllowed) => {
    expect((await outcome(checkBindingWrite(as(name), write))) === 'allowed').toBe(isAllowed);
  });

  it('does not tell what a role contains, or whether it exists, to a user who may not read it', async () => {
    const messages = [
      await outcome(checkBindingWrite(as('adam'), binding('secret-reader', { namespace: 'b' }))),
      await outcome(checkBindingWrite(as('adam'), binding('no-such-role', { namespace: 'b' }))),
    ];
    expect(new Set(messages).size).toBe(1);
    const rita = { user: user('rita'), ...reader };
    expect(await outcome(checkBindingWrite(rita, binding('system:public-info-viewer')))).toBe('allowed');
    expect(await outcome(checkBindingWrite(rita, binding('cluster-admin')))).toContain('{APIGroups:["*"]');
  });
});

describe('a token', () => {
  const token = (name: string, ...groups: string[]) => ({ user: name, groups });

  it.each([
    ['jane', token('jane'), true],
    ['jane', token('jane', 'dev'), true],
    ['jane', token('jane', 'ops'), false],
    ['jane', token('bob'), false],
    ['jane', token('jane', 'system:masters'), false],
    ['impersonator', token('bob', 'dev', 'ops'), true],
    ['impersonator', token('eve'), false],
    ['impersonator', token('bob', 'system:masters'), false],
  ])('of %s for another user or group needs the verb impersonate: %#', async (name, write, isAllowed) => {
    expect((await outcome(checkTokenWrite(as(name, 'dev'), write))) === 'allowed').toBe(isAllowed);
  });

  it('of any group can be created by system:masters only', async () => {
    expect(await outcome(checkTokenWrite(as('mia', 'system:masters'), token('x', 'system:masters')))).toBe('allowed');
    expect(await outcome(checkTokenWrite({ user: anonymous, authorizer }, token('x')))).toContain(
      'cannot create a token',
    );
  });
});
