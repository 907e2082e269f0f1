/** Bodies that kubectl 1.32 and client-go 0.32 have sent. */
import type { JsonObject } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './decode.ts';
import { sentByClientGo, sentByKubectl } from './fixtures.kit.ts';

const decode = (hex: string): JsonObject => decodeProtobuf(Buffer.from(hex, 'hex'));
const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' };
const roleGroup = 'rbac.authorization.k8s.io';

describe('decodeProtobuf', () => {
  it.each([
    [
      'create configmap settings --from-literal=a=1 --from-file=b=bin.dat -n x',
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings', namespace: 'x' },
        data: { a: '1' },
        binaryData: { b: '/wAB' },
      },
    ],
    [
      'create secret generic login --from-literal=password=p -n x',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'x' }, data: { password: 'cA==' } },
    ],
    [
      'create namespace plant-a',
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'plant-a' }, spec: {}, status: {} },
    ],
    [
      'create role reader --verb=get,list --resource=pods --resource-name=p -n x',
      {
        ...rbac,
        kind: 'Role',
        metadata: { name: 'reader', namespace: 'x' },
        rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'], resourceNames: ['p'] }],
      },
    ],
    [
      'create clusterrole metrics --verb=get --non-resource-url=/metrics',
      {
        ...rbac,
        kind: 'ClusterRole',
        metadata: { name: 'metrics' },
        rules: [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }],
      },
    ],
    [
      'create clusterrole all --aggregation-rule=a=b',
      {
        ...rbac,
        kind: 'ClusterRole',
        metadata: { name: 'all' },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
      },
    ],
    [
      'create rolebinding readers --role=reader --user=jane --serviceaccount=x:robot -n x',
      {
        ...rbac,
        kind: 'RoleBinding',
        metadata: { name: 'readers', namespace: 'x' },
        subjects: [
          { kind: 'User', apiGroup: roleGroup, name: 'jane' },
          { kind: 'ServiceAccount', name: 'robot', namespace: 'x' },
        ],
        roleRef: { apiGroup: roleGroup, kind: 'Role', name: 'reader' },
      },
    ],
    [
      'create clusterrolebinding admins --clusterrole=admin --group=ops',
      {
        ...rbac,
        kind: 'ClusterRoleBinding',
        metadata: { name: 'admins' },
        subjects: [{ kind: 'Group', apiGroup: roleGroup, name: 'ops' }],
        roleRef: { apiGroup: roleGroup, kind: 'ClusterRole', name: 'admin' },
      },
    ],
    [
      'create priorityclass high --value=1000 --description=d',
      {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'high' },
        value: 1000,
        description: 'd',
        preemptionPolicy: 'PreemptLowerPriority',
      },
    ],
    [
      'create priorityclass zero --value=0 --preemption-policy=Never',
      {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'zero' },
        value: 0,
        preemptionPolicy: 'Never',
      },
    ],
    [
      'create token robot -n x --duration=10m --audience=api',
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: {},
        spec: { audiences: ['api'], expirationSeconds: 600 },
      },
    ],
    [
      'auth can-i get secrets/x -n a',
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        metadata: {},
        spec: { resourceAttributes: { namespace: 'a', verb: 'get', resource: 'secrets', name: 'x' } },
      },
    ],
    [
      'auth can-i get pods --subresource=log -A',
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        metadata: {},
        spec: { resourceAttributes: { verb: 'get', resource: 'pods', subresource: 'log' } },
      },
    ],
    [
      'auth can-i get /metrics',
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        metadata: {},
        spec: { nonResourceAttributes: { path: '/metrics', verb: 'get' } },
      },
    ],
    [
      'auth can-i --list -n a',
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectRulesReview',
        metadata: {},
        spec: { namespace: 'a' },
      },
    ],
    ['auth whoami', { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} }],
  ] as const)('reads what kubectl %s sends', (command, object) => {
    expect(decode(sentByKubectl[command])).toEqual(object);
  });

  it.each([
    [
      'delete of a ConfigMap',
      {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds: 0,
        preconditions: { uid: 'u1' },
        propagationPolicy: 'Foreground',
      },
    ],
    ['delete of a Deployment', { apiVersion: 'apps/v1', kind: 'DeleteOptions' }],
    [
      'update of a scale',
      {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'web', namespace: 'x' },
        spec: { replicas: 3 },
        status: { replicas: 0 },
      },
    ],
    [
      'lease',
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'op', namespace: 'x' },
        spec: {
          holderIdentity: 'host-1',
          leaseDurationSeconds: 15,
          acquireTime: '2026-11-16T23:00:01.123456Z',
          renewTime: '2026-11-16T23:00:01.123456Z',
          leaseTransitions: 0,
        },
      },
    ],
    [
      'event',
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'settings.18e8aa2b5941c1f3', namespace: 'x' },
        involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'settings', uid: 'u1' },
        reason: 'Scaled',
        message: 'Scaled from 2 to 3',
        source: { component: 'ctl', host: 'h' },
        firstTimestamp: '2026-11-16T23:25:54Z',
        lastTimestamp: '2026-11-16T23:25:54Z',
        count: 1,
        type: 'Normal',
        reportingComponent: 'ctl',
        reportingInstance: 'h',
      },
    ],
  ] as const)('reads the %s of client-go', (name, object) => {
    expect(decode(sentByClientGo[name])).toEqual(object);
  });
});
