import { describe, expect, it } from 'vitest';
import { createCluster, withoutTls } from './cluster.kit.ts';
import { canBump, destinationOf, jobPod, preparePod, rehearsalPod, type WorkerOptions } from './worker-pods.ts';

const metadata = { name: 'nightly', namespace: 'default', uid: 'u1' } as WorkerOptions['owner']['metadata'];
const volume = { storageType: 'Volume', volume: { claimName: 'backups', path: 'etcd' } } as const;
const options: WorkerOptions = {
  owner: { apiVersion: 'etcd.ecsm.sh/v1alpha1', kind: 'EtcdBackup', metadata },
  label: 'etcd.ecsm.sh/backup',
  attempt: 2,
  image: 'registry.example/etcd-operator:1',
  place: volume,
  encryption: undefined,
  worker: {},
  timeoutMs: 60_000,
};
const s3 = {
  bucket: 'b',
  credentialsSecret: { name: 'aws', accessKeyIdKey: 'id', secretAccessKeyKey: 'secret', sessionTokenKey: 'token' },
  caSecret: { name: 'ca', key: 'ca.crt' },
};
const prune = { do: 'prune', destination: destinationOf(volume), keys: ['k'] } as const;
const restore = {
  repository: 'quay.io/coreos/etcd',
  version: '3.5.16',
  snapshot: '/var/lib/etcd/restore/1/snapshot.db',
  dataDirectory: '/var/lib/etcd/restore/1/data',
  member: 'main-3',
  peerURL: 'https://main-3:2380',
  token: 'token',
  revisionBump: 1_000,
};
const mountsOf = ({ spec }: ReturnType<typeof jobPod>) =>
  Object.fromEntries((spec.containers[0]?.volumeMounts ?? []).map(({ name, mountPath }) => [name, mountPath]));

describe('a worker pod', () => {
  it('belongs to its object, runs once without privileges, and has no labels of a cluster', () => {
    const pod = jobPod('nightly-prune', prune, options);
    expect(pod.metadata).toMatchObject({
      name: 'nightly-prune',
      ownerReferences: [{ kind: 'EtcdBackup', name: 'nightly', uid: 'u1', controller: true }],
      labels: { 'etcd.ecsm.sh/backup': 'nightly', 'etcd.ecsm.sh/attempt': '2' },
    });
    expect(pod.metadata.labels).not.toHaveProperty('etcd.ecsm.sh/cluster');
    expect(pod.spec).toMatchObject({
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true },
      containers: [
        {
          image: options.image,
          command: ['/usr/local/bin/etcd-agent'],
          args: ['prune'],
          terminationMessagePath: '/dev/termination-log',
        },
      ],
    });
  });

  it('has a job with dollar signs that Kubernetes does not replace', () => {
    const [container] = jobPod('p', { ...prune, keys: ['a$(HOME)b', 'c$$d', '$e'] }, options).spec.containers;
    const text = container?.env?.find(({ name }) => name === 'AGENT_JOB')?.value ?? '';
    // As Kubernetes expands a variable whose references are all known.
    const expanded = text.replaceAll(/\$\$|\$\([^()$]*\)/gu, (found) => (found === '$$' ? '$' : ''));
    expect(JSON.parse(expanded)).toMatchObject({ keys: ['a$(HOME)b', 'c$$d', '$e'] });
  });

  it('has its job in a variable, and secrets only as files', () => {
    const pod = jobPod('p', prune, {
      ...options,
      place: { storageType: 'S3', s3 },
      encryption: { keySecret: { name: 'enc', key: 'key' } },
    });
    const env = pod.spec.containers[0]?.env ?? [];
    expect(JSON.parse(env.find(({ name }) => name === 'AGENT_JOB')?.value ?? '')).toEqual(prune);
    expect(mountsOf(pod)).toMatchObject({
      s3: '/etc/agent/s3',
      's3-ca': '/etc/agent/s3-ca',
      encryption: '/etc/agent/encryption',
    });
    const items = pod.spec.volumes?.find(({ name }) => name === 's3')?.secret?.items;
    expect(items).toEqual([
      { key: 'id', path: 'accessKeyId' },
      { key: 'secret', path: 'secretAccessKey' },
      { key: 'token', path: 'sessionToken' },
    ]);
  });

  it('connects with the certificate of the operator, if the cluster has TLS', async () => {
    const mounts = async (cluster: Parameters<typeof jobPod>[3]) => mountsOf(jobPod('p', prune, options, cluster));
    expect(await mounts(await createCluster())).toMatchObject({ tls: '/etc/agent/tls', backups: '/backups' });
    expect(await mounts(await createCluster(withoutTls))).not.toHaveProperty('tls');
  });

  it('restores with the tools of the version of the cluster, into a volume', () => {
    const pod = preparePod('p', options, { fetch: prune, restore, commit: prune, claim: 'data-main-3' });
    const [fetch, tool] = pod.spec.initContainers ?? [];
    expect([fetch?.name, tool?.image]).toEqual(['fetch', 'quay.io/coreos/etcd:v3.5.16']);
    expect(tool?.command).toEqual(
      expect.arrayContaining(['/usr/local/bin/etcdutl', '--bump-revision=1000', '--mark-compacted']),
    );
    expect(pod.spec.volumes).toContainEqual({ name: 'data', persistentVolumeClaim: { claimName: 'data-main-3' } });
    // What was fetched may be a link to a file in it.
    expect(tool?.volumeMounts).toContainEqual({ name: 'backups', mountPath: '/backups', readOnly: true });
    const old = preparePod('p', options, {
      fetch: prune,
      restore: { ...restore, version: '3.4.30', revisionBump: 0 },
      commit: prune,
      claim: 'c',
    });
    expect(old.spec.initContainers?.[1]?.command).toEqual(expect.arrayContaining(['/usr/local/bin/etcdctl']));
    expect(old.spec.initContainers?.[1]?.command?.join()).not.toContain('bump');
  });

  it('has the hash checked again by the tool of etcd, unless it has a copy of its own', () => {
    const commandAt = (place: WorkerOptions['place']) => {
      const pod = preparePod('p', { ...options, place }, { fetch: prune, restore, commit: prune, claim: 'c' });
      return pod.spec.initContainers?.[1]?.command;
    };
    expect(commandAt(volume)).not.toContain('--skip-hash-check');
    expect(commandAt({ storageType: 'S3', s3 })).toContain('--skip-hash-check');
  });

  it('rehearses with a member that is reached from its pod only', () => {
    const pod = rehearsalPod('p', options, { fetch: prune, restore, check: prune });
    const member = pod.spec.containers.find(({ name }) => name === 'scratch-member');
    expect(member?.command).toContain('--listen-client-urls=https://127.0.0.1:12379');
    expect(pod.spec.volumes?.some(({ name }) => name === 'data')).toBe(false);
  });
});

it.each([
  ['3.4.26', false],
  ['3.4.27', true],
  ['3.5.9', false],
  ['3.5.10', true],
  ['3.6.0', true],
])('the tools of %s can raise revisions: %s', (version, expected) => {
  expect(canBump(version)).toBe(expected);
});
