import { ClusterRoleBinding, Role, RoleBinding } from '@ecsm/apiserver';
import { openRegistry } from '@ecsm/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { registryKit } from '../shared/registry.kit.ts';
import { accessKinds } from './access-session.ts';

const kit = registryKit();

beforeAll(async () => {
  const registry = await openRegistry(kit.url, { kinds: accessKinds });
  const to = (kind: 'User' | 'Group', name: string) => [{ kind, name, apiGroup: 'rbac.authorization.k8s.io' as const }];
  const clusterRole = (name: string) => ({ kind: 'ClusterRole' as const, name });
  await registry
    .resource(RoleBinding)
    .create(
      RoleBinding.input(
        { name: 'jane', namespace: 'orbit' },
        { subjects: to('User', 'jane'), roleRef: clusterRole('edit') },
      ),
    );
  await registry
    .resource(ClusterRoleBinding)
    .create(ClusterRoleBinding.input({ name: 'dev' }, { subjects: to('Group', 'dev'), roleRef: clusterRole('view') }));
  await registry
    .resource(Role)
    .create(
      Role.input(
        { name: 'one' },
        { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['settings'] }] },
      ),
    );
  await registry
    .resource(RoleBinding)
    .create(
      RoleBinding.input({ name: 'one' }, { subjects: to('User', 'joe'), roleRef: { kind: 'Role', name: 'one' } }),
    );
  await registry.close();
});

const yes = { code: 0, out: 'yes\n', err: '' };
const no = { code: 1, out: 'no\n', err: '' };

describe('auth can-i', () => {
  it.each([
    ['delete services', yes],
    ["'*' '*'", yes],
    ['create tokens', yes],
    ['update services --as jane', no],
    ['update services --as jane -n orbit', yes],
    ['update ecsmservices.ecsm.sh/telemetry --as jane -n orbit', yes],
    ['update services --as jane -A', no],
    ['update services --as jane -n orbit --subresource scale', yes],
    ['update services --as jane -n orbit --subresource status', no],
    ['create rolebindings --as jane -n orbit', no],
    ['list services --as jim', no],
    ['list services --as jim --as-group dev', yes],
    ['LIST services --as jim --as-group dev -A', yes],
    ['list pods --as jim --as-group dev', yes],
    ['list nodes --as jim --as-group dev', no],
    ['list pods.metrics.k8s.io --as jim --as-group dev', yes],
    ['get secrets --as jim --as-group dev', no],
    ['delete services --as jim --as-group dev', no],
    ['get configmap/settings --as joe', yes],
    ['get configmap/others --as joe', no],
    ['get configmaps --as joe', no],
    ['get configmap/settings --as joe -n orbit', no],
    ['get /version --as joe', yes],
    ['get /metrics --as joe', no],
    ['delete secrets --as root --as-group system:masters', yes],
  ])('%s', async (line, answer) => {
    expect(await kit.run(`auth can-i ${line}`)).toEqual(answer);
  });

  it.each([
    ['get', 'auth can-i needs more than "get": ecsmctl auth can-i VERB TYPE[/NAME]'],
    ['get secrts', 'there is no kind "secrts". Did you mean "secrets"?'],
    ['get services/a/b', '"services/a/b" is not TYPE or TYPE/NAME'],
    ['get services --as-group dev', '--as-group requires --as USER'],
    ['get /version --subresource x', '--subresource cannot be used with a path, /version'],
  ])('%s is a usage error', async (line, message) => {
    const { code, out, err } = await kit.run(`auth can-i ${line}`);
    expect({ code, out, err: err.split('\n')[0] }).toEqual({ code: 2, out: '', err: `ecsmctl: ${message}` });
  });
});
