import { describe, expect, it } from 'vitest';
import type { EtcdClusterInput } from '../apis/etcd-cluster.ts';
import { createCluster, withoutTls } from './cluster.kit.ts';
import { ResourceTemplateManager } from './template.ts';

async function render(spec: EtcdClusterInput['spec'] = {}, version = '3.5.21', trust = 'ca') {
  const { metadata, ...cluster } = await createCluster(spec);
  // Always the same cluster: its uid is part of the configuration, and so of the hash.
  const same = { ...cluster, metadata: { ...metadata, uid: 'uid' } };
  const { template, hash } = new ResourceTemplateManager().render(same, version, trust);
  const [container] = template.spec.containers;
  if (container === undefined) throw new Error('no container');
  return { template, hash, container, pod: template.spec };
}

describe('the template of the pods', () => {
  it('runs etcd with the configuration of its slot, without a shell', async () => {
    const { container } = await render();
    expect(container).toMatchObject({
      name: 'etcd',
      image: 'quay.io/coreos/etcd:v3.5.21',
      command: ['/usr/local/bin/etcd', '--config-file=/etc/etcd/config/$(POD_NAME).yaml'],
      env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    });
  });

  it('carries its hash and the labels that the Services select', async () => {
    const { template, hash } = await render({
      podTemplate: {
        metadata: { labels: { team: 'a', 'app.kubernetes.io/name': 'mine' }, annotations: { note: 'b' } },
      },
    });
    expect(template.metadata).toEqual({
      labels: {
        team: 'a',
        'app.kubernetes.io/name': 'etcd',
        'app.kubernetes.io/instance': 'main',
        'app.kubernetes.io/managed-by': 'etcd-operator',
        'app.kubernetes.io/component': 'etcd',
        'etcd.ecsm.sh/cluster': 'main',
      },
      annotations: { note: 'b', 'etcd.ecsm.sh/template-hash': hash },
    });
  });

  it('mounts the certificates that the operator issues, or those of the user', async () => {
    const secrets = ({ volumes = [] }: Awaited<ReturnType<typeof render>>['pod']) =>
      volumes.flatMap(({ name, secret }) => (secret ? [`${name}: ${secret.secretName}`] : []));
    expect(secrets((await render()).pod)).toEqual(['server-tls: main-server-tls', 'peer-tls: main-peer-tls']);
    const own = { tls: { autoTLS: false, certificateSecret: 'mine' } };
    expect(secrets((await render({ security: own })).pod)).toEqual(['server-tls: mine', 'peer-tls: mine']);
    const peers = { tls: { clientTLSEnabled: false } };
    expect(secrets((await render({ security: peers })).pod)).toEqual(['peer-tls: main-peer-tls']);
    const { pod, container } = await render(withoutTls);
    expect(secrets(pod)).toEqual([]);
    expect(container.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual(['/var/lib/etcd', '/etc/etcd/config']);
  });

  it('asks for liveness without a quorum where etcd can', async () => {
    expect((await render({}, '3.5.11')).container.livenessProbe).toMatchObject({
      httpGet: { path: '/livez', port: 2381 },
    });
    expect((await render({}, '3.6.0')).container.startupProbe).toMatchObject({ httpGet: { path: '/livez' } });
    const { livenessProbe, readinessProbe } = (await render({}, '3.5.10')).container;
    expect(livenessProbe).toMatchObject({ tcpSocket: { port: 2380 } });
    expect(readinessProbe).toMatchObject({ httpGet: { path: '/health?exclude=NOSPACE', port: 2381 } });
  });

  it('is not privileged, and spreads over nodes and zones', async () => {
    const { pod, container } = await render();
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      terminationGracePeriodSeconds: 60,
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(JSON.stringify(pod.affinity)).toMatch(/kubernetes\.io\/hostname.*topology\.kubernetes\.io\/zone/u);
  });

  it('takes over what the spec adds to the pods', async () => {
    const added = {
      nodeSelector: { disk: 'fast' },
      tolerations: [{ operator: 'Exists' }],
      priorityClassName: 'high',
      serviceAccountName: 'etcd',
      imagePullSecrets: [{ name: 'pull' }],
      securityContext: { runAsUser: 5 },
      terminationGracePeriodSeconds: 5,
    };
    const affinity = { nodeAffinity: {} };
    const topologySpreadConstraints = [{ maxSkew: 1 }];
    const resources = { requests: { cpu: '2' } };
    const { pod, container } = await render({
      podTemplate: { spec: added },
      affinity,
      topologySpreadConstraints,
      resources,
    });
    expect(pod).toMatchObject({ ...added, affinity, topologySpreadConstraints });
    expect(container.resources).toEqual(resources);
    const inner = await render({ podTemplate: { spec: { affinity, topologySpreadConstraints } } });
    expect(inner.pod).toMatchObject({ affinity, topologySpreadConstraints });
  });
});

describe('the hash of the template', () => {
  it.each([
    ['the version', {}, '3.5.22', 'ca'],
    ['what members trust', {}, '3.5.21', 'other ca'],
    ['a setting of etcd', { etcd: { options: { 'heartbeat-interval': 200 } } }, '3.5.21', 'ca'],
    ['resources', { resources: { limits: { memory: '1Gi' } } }, '3.5.21', 'ca'],
  ])('changes with %s', async (_, spec, version, trust) => {
    expect((await render(spec, version, trust)).hash).not.toBe((await render()).hash);
  });

  it.each([
    ['the size', { size: 5 }],
    ['the size of volumes', { storage: { size: '20Gi' } }],
    ['a pause', { paused: true }],
  ])('does not change with %s', async (_, spec) => {
    expect((await render(spec)).hash).toBe((await render()).hash);
  });
});
