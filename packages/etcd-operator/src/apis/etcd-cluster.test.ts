import { ApiError, EmbeddedRegistry, formatFieldError, MemoryStore, type Schema, systemClock } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { EtcdCluster, type EtcdClusterInput } from './etcd-cluster.ts';

const cluster = (spec: EtcdClusterInput['spec'] = {}, name = 'main'): EtcdClusterInput => ({
  metadata: { name },
  spec,
});

function problems(spec: EtcdClusterInput['spec'], old?: EtcdClusterInput['spec'], name = 'main'): readonly string[] {
  const before = old && EtcdCluster.default(cluster(old, name));
  return EtcdCluster.validate(EtcdCluster.default(cluster(spec, name)), before).map(formatFieldError);
}

function undescribed(schema: Schema, path: string): string[] {
  if (schema.type === 'list') return undescribed(schema.items, `${path}[]`);
  if (schema.type === 'map') return undescribed(schema.values, `${path}{}`);
  if (schema.type !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, property]) => [
    ...(property.description?.trim() ? [] : [`${path}.${name}`]),
    ...undescribed(property, `${path}.${name}`),
  ]);
}

describe('EtcdCluster', () => {
  it('is complete with a name alone', () => {
    expect(
      EtcdCluster.parse({ apiVersion: 'etcd.ecsm.sh/v1alpha1', kind: 'EtcdCluster', metadata: { name: 'main' } }),
    ).toMatchInlineSnapshot(`
        {
          "apiVersion": "etcd.ecsm.sh/v1alpha1",
          "kind": "EtcdCluster",
          "metadata": {
            "name": "main",
            "namespace": "default",
          },
          "spec": {
            "clusterDomain": "cluster.local",
            "defragmentation": {
              "enabled": true,
              "freeSpaceAbove": "200Mi",
              "minReclaim": "32Mi",
              "quotaUsageAbove": 80,
            },
            "etcd": {
              "autoCompactionMode": "periodic",
            },
            "paused": false,
            "repository": "quay.io/coreos/etcd",
            "security": {
              "tls": {
                "autoTLS": true,
                "clientTLSEnabled": true,
                "enabled": true,
                "peerTLSEnabled": true,
              },
            },
            "size": 3,
            "storage": {
              "retentionPolicy": {
                "whenDeleted": "Retain",
                "whenScaled": "Delete",
              },
              "size": "10Gi",
            },
            "upgrade": {
              "allowUnknownVersion": false,
            },
            "version": "v3.5.35",
          },
        }
      `);
  });

  it('describes every field', () => {
    const { spec, status } = EtcdCluster.schema.properties;
    expect([spec, status].flatMap((schema) => (schema ? undescribed(schema, '') : ['none']))).toEqual([]);
  });

  it.each([0, 1, 3, 5, 7, 9])('accepts the size %s', (size) => {
    expect(problems({ size })).toEqual([]);
  });

  it('refuses other sizes with the reason', () => {
    expect(problems({ size: 4 })).toEqual([
      'spec.size: Invalid value: 4: must be 0, 1, 3, 5, 7 or 9: an even number of members tolerates no more failures than one member less',
    ]);
    expect(problems({ size: 11 })).toEqual(['spec.size: Invalid value: 11: must be less than or equal to 9']);
    expect(problems({ size: -1 })).toHaveLength(1);
  });

  it.each(['v3.5.21', '3.6.0', 'v3.4.27', 'v3.6.0-rc.3'])('accepts the version %s', (version) => {
    expect(problems({ version })).toEqual([]);
  });

  it.each(['v2.3.8', '3.5', 'latest', 'v3.5.x', 'v3.05.1', ''])('refuses the version "%s"', (version) => {
    expect(problems({ version })).toEqual([
      `spec.version: Invalid value: "${version}": must be a version of etcd 3, such as v3.5.35`,
    ]);
  });

  it('refuses a repository with a tag', () => {
    expect(problems({ repository: 'localhost:5000/coreos/etcd' })).toEqual([]);
    expect(problems({ repository: 'quay.io/coreos/etcd:v3.5.21' })).toHaveLength(1);
  });

  it('refuses names from which no Service or StatefulSet can be made', () => {
    expect(problems({}, undefined, 'a'.repeat(52))).toEqual([]);
    expect(problems({}, undefined, 'a'.repeat(53))).toEqual([
      'metadata.name: Too long: must be no more than 52 characters',
    ]);
    expect(problems({}, undefined, '1a')).toHaveLength(1);
  });

  it('takes certificates from the operator or from Secrets', () => {
    const tls = (fields: object) => problems({ security: { tls: fields } });
    expect(tls({ autoTLS: false })).toEqual([
      'spec.security.tls.certificateSecret: Required value: must be set when autoTLS is false',
    ]);
    expect(tls({ autoTLS: false, certificateSecret: 'mine', caSecret: 'ours' })).toEqual([]);
    expect(tls({ certificateSecret: 'mine' })).toEqual([
      'spec.security.tls.certificateSecret: Forbidden: may not be set when autoTLS is true',
    ]);
    expect(tls({ enabled: false, caSecret: 'ours' })).toEqual([
      'spec.security.tls.caSecret: Forbidden: may not be set when TLS is not enabled',
    ]);
  });

  it('checks quantities and the quota', () => {
    expect(problems({ storage: { size: '1Gi' }, etcd: { quotaBackendBytes: '512Mi' } })).toEqual([]);
    expect(problems({ storage: { size: '1Gi' }, etcd: { quotaBackendBytes: '1Gi' } })).toEqual([
      'spec.etcd.quotaBackendBytes: Invalid value: "1Gi": must be smaller than storage.size, because the log and snapshots need space too',
    ]);
    expect(problems({ storage: { size: 'big' } })).toEqual([
      'spec.storage.size: Invalid value: "big": must be a quantity, such as 10Gi or 500m',
    ]);
    expect(problems({ storage: { size: 0 }, resources: { limits: { memory: '-1', cpu: 1 } } })).toEqual([
      'spec.storage.size: Invalid value: 0: must be greater than 0',
      'spec.resources.limits[memory]: Invalid value: "-1": must be greater than 0',
    ]);
  });

  it('checks the settings of etcd', () => {
    const options = { 'heartbeat-interval': 100, 'election-timeout': '1000', 'pre-vote': 'true', 'data-dir': '/x' };
    expect(problems({ etcd: { options } })).toEqual([
      'spec.etcd.options[data-dir]: Invalid value: "/x": it cannot be set here: the operator gives every member its name and its data directory',
    ]);
    expect(problems({ etcd: { options: { 'heartbeat-interval': 300 } } })).toEqual([
      'spec.etcd.options[election-timeout]: Invalid value: 1000: must be at least 5 times heartbeat-interval, or etcd does not start',
    ]);
    expect(problems({ etcd: { autoCompactionRetention: '8h' } })).toEqual([]);
    expect(problems({ etcd: { autoCompactionMode: 'revision', autoCompactionRetention: '10000' } })).toEqual([]);
    expect(problems({ etcd: { autoCompactionMode: 'revision', autoCompactionRetention: '8h' } })).toEqual([
      'spec.etcd.autoCompactionRetention: Invalid value: "8h": must be a number of revisions when autoCompactionMode is revision',
    ]);
  });

  it('takes the placement of pods from one place', () => {
    const affinity = { podAntiAffinity: {} };
    expect(problems({ affinity })).toEqual([]);
    expect(problems({ affinity, podTemplate: { spec: { affinity } } })).toEqual([
      'spec.podTemplate.spec.affinity: Forbidden: spec.affinity is set',
    ]);
  });

  it('refuses changes that members cannot survive', () => {
    const old = { storage: { size: '2Gi', storageClassName: 'fast' } };
    expect(problems({ size: 5, storage: { size: '3Gi', storageClassName: 'fast' } }, old)).toEqual([]);
    expect(problems({ storage: { size: '2048Mi', storageClassName: 'fast' } }, old)).toEqual([]);
    expect(problems({ storage: { size: '1Gi' }, security: { tls: { peerTLSEnabled: false } } }, old)).toEqual([
      'spec.storage.storageClassName: Forbidden: field is immutable',
      'spec.storage.size: Forbidden: volumes cannot shrink',
      'spec.security.tls.peerTLSEnabled: Forbidden: field is immutable: members with and without it cannot talk to each other',
    ]);
    const template = { metadata: { labels: { a: 'b' } } };
    expect(problems({ storage: { ...old.storage, volumeClaimTemplate: template } }, old)).toHaveLength(1);
  });

  it('keeps its status and is scaled in a registry', async () => {
    const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [EtcdCluster], clock: systemClock });
    const clusters = registry.resource(EtcdCluster);
    const { metadata } = await clusters.create(cluster({ size: 0 }));
    expect((await clusters.get('main')).spec.size).toBe(0);
    const { status } = await clusters.updateStatus({
      metadata,
      status: {
        phase: 'Running',
        replicas: 1,
        readyReplicas: 1,
        members: [{ name: 'main-0', id: 'f00d', ready: true, role: 'leader' }],
        operation: { type: 'AddMember', slot: 1, startedAt: '2026-01-01T00:00:00Z' },
        volumes: [{ slot: 0, uid: 'u' }],
      },
    });
    expect(status?.members?.[0]?.role).toBe('leader');
    await clusters.patch('main', { spec: { size: 3 } });
    await expect(clusters.patch('main', { spec: { size: 2 } })).rejects.toThrow(ApiError);
    const table = EtcdCluster.columns.filter(({ wide }) => !wide);
    const object = await clusters.get('main');
    expect(table.map(({ name, value }) => [name, value(object)])).toEqual([
      ['PHASE', 'Running'],
      ['SIZE', '3'],
      ['READY', '1'],
      ['VERSION', 'v3.5.35'],
    ]);
  });
});
