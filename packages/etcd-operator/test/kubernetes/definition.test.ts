/**
 * Goal: a Kubernetes API server treats EtcdClusters as the kind does. Method: its CustomResourceDefinition is installed in
 * a real server, and every rule is broken once, there and in the kind.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CustomResourceDefinition,
  type KubernetesRegistry,
  manifestYaml,
  openKubernetesRegistry,
} from '@ecsm/kubernetes';
import { findCondition, isApiError, systemRandom } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { findKubectl, kubectlWith } from '../../../apiserver/test/kubectl.kit.ts';
// Its declaration of the kubeconfig that tests get.
import type {} from '../../../kubernetes/test/kubernetes/setup.ts';
import { etcdClusterDefinition, etcdClusterValidations } from '../../src/apis/cluster-definition.ts';
import { EtcdCluster, type EtcdClusterInput } from '../../src/apis/etcd-cluster.ts';
import { VERSION_DEFAULT } from '../../src/apis/version.ts';

const kubectlPath = findKubectl();
let registry: KubernetesRegistry;
let home: string;

const clusters = () => registry.resource(EtcdCluster);
const kubectl = (line: string) => kubectlWith(kubectlPath ?? '', inject('kubeconfig'), home)(line);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'ecsm-etcd-definition-'));
  registry = await openKubernetesRegistry('kubernetes:test', {
    kinds: [CustomResourceDefinition, EtcdCluster],
    kubeconfig: inject('kubeconfig'),
    env: {},
    random: systemRandom,
  });
  await registry.resource(CustomResourceDefinition).apply(etcdClusterDefinition());
  const established = async () => {
    const { status } = await registry.resource(CustomResourceDefinition).get('etcdclusters.etcd.ecsm.sh');
    return status?.conditions?.some(({ type, status: holds }) => type === 'Established' && holds === 'True');
  };
  const served = () =>
    clusters()
      .list()
      .then(
        () => true,
        () => false,
      );
  const options = { timeout: 60_000 };
  await vi.waitUntil(established, options);
  await vi.waitUntil(served, options);
});

afterAll(async () => {
  for (const { metadata } of (await clusters().list()).items) await clusters().delete(metadata.name);
  await registry.resource(CustomResourceDefinition).delete('etcdclusters.etcd.ecsm.sh');
  await registry.close();
  await rm(home, { recursive: true, force: true });
});

type Spec = EtcdClusterInput['spec'];

interface Refusal {
  readonly change: Spec;
  /** The object before, for rules about changes. */
  readonly before?: Spec;
  readonly name?: string;
  readonly message: string;
  readonly path: string;
}

const affinity = { podAntiAffinity: {} };
const spread = [{ maxSkew: 1 }];
const tls = (fields: object): Spec => ({ security: { tls: fields } });
const tlsPath = 'spec.security.tls';
const fixed = 'field is immutable';

/** One for each rule in CEL. */
const refusals: readonly Refusal[] = [
  { change: {}, name: 'a'.repeat(53), message: '52 characters', path: 'metadata.name' },
  { change: {}, name: '1a', message: 'must start with a letter', path: 'metadata.name' },
  { change: { size: 2 }, message: 'must be 0, 1, 3, 5, 7 or 9', path: 'spec.size' },
  { change: { storage: { storageClassName: 'a' } }, before: {}, message: fixed, path: 'spec.storage.storageClassName' },
  {
    change: {},
    before: { storage: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } } } } },
    message: fixed,
    path: 'spec.storage.volumeClaimTemplate',
  },
  {
    change: { storage: { size: '1000Mi' } },
    before: { storage: { size: '1Gi' } },
    message: 'volumes cannot shrink',
    path: 'spec.storage.size',
  },
  { change: { storage: { size: 0 } }, message: 'must be greater than 0', path: 'spec.storage.size' },
  {
    change: { etcd: { quotaBackendBytes: '-1' } },
    message: 'must be greater than 0',
    path: 'spec.etcd.quotaBackendBytes',
  },
  {
    change: { defragmentation: { freeSpaceAbove: '0' } },
    message: 'must be greater than 0',
    path: 'spec.defragmentation.freeSpaceAbove',
  },
  {
    change: { defragmentation: { minReclaim: 0 } },
    message: 'must be greater than 0',
    path: 'spec.defragmentation.minReclaim',
  },
  {
    change: { etcd: { quotaBackendBytes: '10Gi' } },
    message: 'must be smaller than storage.size',
    path: 'spec.etcd.quotaBackendBytes',
  },
  {
    change: { etcd: { autoCompactionMode: 'revision', autoCompactionRetention: '8h' } },
    message: 'must be a number of revisions',
    path: 'spec.etcd.autoCompactionRetention',
  },
  { change: { etcd: { options: { 'data-dir': 'x' } } }, message: 'cannot be', path: 'spec.etcd.options' },
  ...['enabled', 'clientTLSEnabled', 'peerTLSEnabled'].map((field) => ({
    change: tls({ [field]: false }),
    before: {},
    message: fixed,
    path: `${tlsPath}.${field}`,
  })),
  {
    change: tls({ autoTLS: false, certificateSecret: 'mine' }),
    before: {},
    message: fixed,
    path: `${tlsPath}.autoTLS`,
  },
  { change: tls({ autoTLS: false }), message: 'must be set when autoTLS', path: `${tlsPath}.certificateSecret` },
  ...['certificateSecret', 'caSecret'].flatMap((field) => [
    { change: tls({ [field]: 'x' }), message: 'when autoTLS is true', path: `${tlsPath}.${field}` },
    { change: tls({ enabled: false, [field]: 'x' }), message: 'TLS is not enabled', path: `${tlsPath}.${field}` },
  ]),
  {
    change: { affinity, podTemplate: { spec: { affinity } } },
    message: 'spec.affinity is set',
    path: 'spec.podTemplate.spec.affinity',
  },
  {
    change: { topologySpreadConstraints: spread, podTemplate: { spec: { topologySpreadConstraints: spread } } },
    message: 'spec.topologySpreadConstraints is set',
    path: 'spec.podTemplate.spec.topologySpreadConstraints',
  },
];

async function problemsOf(write: Promise<unknown>): Promise<readonly string[]> {
  const error = await write.then(
    () => 'accepted',
    (reason: unknown) => reason,
  );
  if (!isApiError(error, 'Invalid')) throw new Error(`not refused as invalid: ${String(error)}`);
  return error.details.errors.map(({ path, message }) => `${path}: ${message}`);
}

describe('the definition of EtcdCluster on kube-apiserver', () => {
  it('applies the same defaults as the kind', async () => {
    const created = await clusters().create({ metadata: { name: 'defaults' }, spec: {} });
    expect(created.spec).toEqual(EtcdCluster.default({ metadata: { name: 'defaults' }, spec: {} }).spec);
  });

  it('has a case for every rule', () => {
    expect(refusals).toHaveLength(etcdClusterValidations.length);
  });

  it.each(refusals.map((refusal, index) => ({ ...refusal, index })))(
    'refuses $path: $message ($index)',
    async ({ change, before, path, message, index, name = `refused-${index}` }) => {
      const old = before && (await clusters().create({ metadata: { name }, spec: before }));
      const changed = old
        ? clusters().update({ ...old, spec: change })
        : clusters().create({ metadata: { name }, spec: change });
      const problems = await problemsOf(changed);
      expect(problems.filter((problem) => problem.includes(message))).toHaveLength(1);
      const place = path === 'metadata.name' ? '' : path;
      expect(problems.find((problem) => problem.includes(message))).toContain(place);

      const wanted = EtcdCluster.default({ metadata: { name }, spec: change });
      const known = before && EtcdCluster.default({ metadata: { name }, spec: before });
      const [first] = EtcdCluster.validate(wanted, known).filter((error) => error.path.startsWith(path));
      expect(`${first?.type} ${first?.message}`).toContain(path === 'metadata.name' ? 'must' : message);
    },
  );

  it.each<Spec>([
    { version: 'v2.3.8' },
    { size: 11 },
    { storage: { size: 'big' } },
    { resources: { limits: { memory: '1 Gi' } } },
    { repository: 'etcd:v3.5.21' },
    { etcd: { autoCompactionRetention: 'long' } },
  ])('refuses by its schema: %j', async (spec) => {
    expect(await problemsOf(clusters().create({ metadata: { name: 'schema' }, spec }))).toHaveLength(1);
    expect(EtcdCluster.validate(EtcdCluster.default({ metadata: { name: 'schema' }, spec }))).toHaveLength(1);
  });

  it('accepts a complete object, and keeps what it has no schema for', async () => {
    const spec: Spec = {
      size: 5,
      version: '3.6.0',
      storage: { size: '20Gi', storageClassName: 'fast', retentionPolicy: { whenDeleted: 'Delete' } },
      resources: { requests: { cpu: 1, memory: '1Gi' } },
      etcd: { options: { 'heartbeat-interval': 200, 'election-timeout': '2000' }, quotaBackendBytes: '4Gi' },
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
      podTemplate: {
        metadata: { labels: { team: 'a' } },
        spec: { tolerations: [{ operator: 'Exists' }], securityContext: { fsGroup: 1000 } },
      },
    };
    const { object } = await clusters().apply({ metadata: { name: 'complete' }, spec });
    expect(object.spec).toMatchObject(spec);
    const grown = await clusters().patch('complete', { spec: { size: 3, storage: { size: '30Gi' } } });
    expect(grown.metadata.generation).toBe(2);
  });

  it('has a status and a scale', async () => {
    const { metadata } = await clusters().create({ metadata: { name: 'scaled' }, spec: { size: 1 } });
    const now = '2026-01-01T00:00:00Z';
    const { status } = await clusters().updateStatus({
      metadata,
      status: {
        phase: 'Running',
        replicas: 1,
        selector: 'etcd.ecsm.sh/cluster=scaled',
        conditions: [{ type: 'Ready', status: 'True', reason: 'Running', message: '', lastTransitionTime: now }],
        members: [{ name: 'scaled-0', id: 'f00d', ready: true, role: 'leader', dbSizeBytes: 20_480 }],
      },
    });
    expect(findCondition(status?.conditions, 'Ready')?.reason).toBe('Running');
    const path = '/apis/etcd.ecsm.sh/v1alpha1/namespaces/default/etcdclusters/scaled/scale';
    const scale = await registry.client.request({ method: 'GET', path });
    expect(scale.body).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1, selector: status?.selector } });
    const even = { ...(scale.body as object), spec: { replicas: 2 } };
    await expect(registry.client.request({ method: 'PUT', path, body: even })).rejects.toThrow('must be 0, 1, 3');
  });
});

describe.runIf(kubectlPath)('kubectl', () => {
  it('explains the fields, shows the columns, and applies the definition from a file', async () => {
    const file = join(home, 'definition.yaml');
    await writeFile(file, await manifestYaml([etcdClusterDefinition()]));
    expect(await kubectl(`apply --server-side --force-conflicts -f ${file}`)).toMatchObject({ code: 0 });
    const explained = await kubectl('explain etcdcluster.spec.storage.retentionPolicy');
    expect(explained.out).toContain('whenScaled\t<string>');
    expect(explained.out).toContain('Stopping (size 0) never');
    await clusters().apply({ metadata: { name: 'shown' }, spec: { size: 3 } });
    const shown = await kubectl('get etcd shown');
    expect(shown.out.split('\n')[0]).toMatch(/^NAME +PHASE +SIZE +READY +VERSION +AGE$/);
    expect(shown.out.split('\n')[1]?.split(/ +/u).slice(0, 3)).toEqual(['shown', '3', `v${VERSION_DEFAULT}`]);
  });
});
