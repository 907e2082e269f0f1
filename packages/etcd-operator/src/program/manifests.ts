/** The objects of an installation: definitions, namespace, account, permissions, deployment. */
import type { JsonObject } from '@ecsm/runtime';
import { etcdBackupDefinition, etcdRestoreDefinition } from '../apis/backup-definition.ts';
import { etcdClusterDefinition } from '../apis/cluster-definition.ts';
import { GROUP, OPERATOR_NAME } from '../apis/well-known.ts';

interface ManifestOptions {
  readonly image: string;
  readonly namespace: string;
}

const port = 8080;
const labels = { 'app.kubernetes.io/name': OPERATOR_NAME };

export function definitions(): readonly object[] {
  return [etcdClusterDefinition(), etcdBackupDefinition(), etcdRestoreDefinition()];
}

export function installation({ image, namespace }: ManifestOptions): readonly object[] {
  const metadata = { name: OPERATOR_NAME, namespace, labels };
  const account = { kind: 'ServiceAccount', name: OPERATOR_NAME, namespace };
  return [
    ...definitions(),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: OPERATOR_NAME, labels },
      rules,
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: OPERATOR_NAME, labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: OPERATOR_NAME },
      subjects: [account],
    },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules: leaseRules },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: OPERATOR_NAME },
      subjects: [account],
    },
    deployment(image, namespace),
  ];
}

const rule = (apiGroup: string, resources: readonly string[], verbs: readonly string[]): JsonObject => ({
  apiGroups: [apiGroup],
  resources: [...resources],
  verbs: [...verbs],
});

/**
 * What the operator does, and nothing else: it never reads objects that it does not manage. To notice changes it lists and
 * watches the metadata of all objects of a kind; a role cannot be limited to that, nor to labels.
 */
const rules: JsonObject[] = [
  rule(GROUP, ['etcdclusters'], ['get', 'list', 'watch', 'create', 'patch', 'delete']),
  rule(GROUP, ['etcdbackups'], ['get', 'list', 'watch', 'create', 'patch', 'delete']),
  rule(GROUP, ['etcdrestores'], ['get', 'list', 'watch', 'patch']),
  rule(GROUP, ['etcdclusters/status', 'etcdbackups/status', 'etcdrestores/status'], ['patch']),
  rule(GROUP, ['etcdclusters/finalizers'], ['update']),
  rule('apps', ['statefulsets'], ['get', 'list', 'watch', 'create', 'patch', 'update', 'delete']),
  rule('', ['services', 'configmaps', 'secrets'], ['get', 'list', 'watch', 'create', 'patch']),
  rule('', ['pods'], ['get', 'list', 'create', 'delete']),
  rule('', ['persistentvolumeclaims'], ['get', 'list', 'create', 'patch', 'delete']),
  rule('policy', ['poddisruptionbudgets'], ['get', 'list', 'watch', 'create', 'patch']),
  rule('', ['events'], ['get', 'create', 'update']),
];

const leaseRules: JsonObject[] = [rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update'])];

function deployment(image: string, namespace: string): JsonObject {
  const probe = (path: string) => ({ httpGet: { path, port }, periodSeconds: 10 });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: OPERATOR_NAME, namespace, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: OPERATOR_NAME,
          securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: OPERATOR_NAME,
              image,
              args: [
                'run',
                `--listen=0.0.0.0:${port}`,
                '--leader-elect',
                `--lease-namespace=${namespace}`,
                '--log-format=json',
                `--worker-image=${image}`,
              ],
              ports: [{ name: 'metrics', containerPort: port }],
              livenessProbe: probe('/healthz'),
              readinessProbe: probe('/readyz'),
              resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '192Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    },
  };
}
