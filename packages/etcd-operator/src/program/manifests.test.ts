/** What an installation consists of. That the permissions suffice, and that none is too many, is in test/permissions.test.ts. */
import { describe, expect, it } from 'vitest';
import { definitions, installation } from './manifests.ts';

const objects = installation({ image: 'registry.example/etcd-operator:1.0', namespace: 'ops' });
const kindsOf = (list: readonly object[]) =>
  list.map((object) => {
    const { kind, metadata } = object as { kind: string; metadata: { name: string; namespace?: string } };
    return [kind, metadata.namespace, metadata.name].filter(Boolean).join(' ');
  });

describe('definitions', () => {
  it('are those of the kinds of the operator', () => {
    expect(kindsOf(definitions())).toEqual([
      'CustomResourceDefinition etcdclusters.etcd.ecsm.sh',
      'CustomResourceDefinition etcdbackups.etcd.ecsm.sh',
      'CustomResourceDefinition etcdrestores.etcd.ecsm.sh',
    ]);
    expect(definitions()[0]).toMatchObject({
      spec: {
        scope: 'Namespaced',
        names: { kind: 'EtcdCluster', plural: 'etcdclusters', shortNames: ['etcd'] },
        versions: [
          {
            name: 'v1alpha1',
            served: true,
            storage: true,
            subresources: {
              status: {},
              scale: {
                specReplicasPath: '.spec.size',
                statusReplicasPath: '.status.replicas',
                labelSelectorPath: '.status.selector',
              },
            },
          },
        ],
      },
    });
  });
});

describe('an installation', () => {
  it('has everything in the order that kubectl needs, in its namespace', () => {
    expect(kindsOf(objects)).toEqual([
      'CustomResourceDefinition etcdclusters.etcd.ecsm.sh',
      'CustomResourceDefinition etcdbackups.etcd.ecsm.sh',
      'CustomResourceDefinition etcdrestores.etcd.ecsm.sh',
      'Namespace ops',
      'ServiceAccount ops etcd-operator',
      'ClusterRole etcd-operator',
      'ClusterRoleBinding etcd-operator',
      'Role ops etcd-operator',
      'RoleBinding ops etcd-operator',
      'Deployment ops etcd-operator',
    ]);
  });

  it('runs two operators as a user without privileges, of which one acts', () => {
    const deployment = objects.at(-1);
    expect(deployment).toMatchObject({
      spec: {
        replicas: 2,
        template: {
          spec: {
            serviceAccountName: 'etcd-operator',
            securityContext: { runAsNonRoot: true },
            containers: [
              {
                image: 'registry.example/etcd-operator:1.0',
                args: expect.arrayContaining(['--leader-elect', '--lease-namespace=ops', '--listen=0.0.0.0:8080']),
                securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
                livenessProbe: { httpGet: { path: '/healthz', port: 8080 } },
                readinessProbe: { httpGet: { path: '/readyz', port: 8080 } },
              },
            ],
          },
        },
      },
    });
  });

  it('grants verbs by name, and nothing on everything', () => {
    const rules = objects.flatMap((object) => ('rules' in object && Array.isArray(object.rules) ? object.rules : []));
    expect(rules.length).toBeGreaterThan(5);
    expect(JSON.stringify(rules)).not.toContain('*');
  });
});
