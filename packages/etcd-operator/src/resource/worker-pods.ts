/** The pods that do the work of backups and restores. They run the operator's own image, once, and answer when they end. */
import type { Container, Pod, Volume } from '@ecsm/kubernetes';
import { type ApiObject, controllerReference, type InputOf } from '@ecsm/runtime';
import { type AgentJob, tlsFiles } from '../agent/job.ts';
import type { EtcdBackupSpec } from '../apis/etcd-backup.ts';
import type { EtcdCluster } from '../apis/etcd-cluster.ts';
import { imageTag, parseVersion } from '../apis/version.ts';
import { agentPaths, labels, names, OPERATOR_NAME, paths } from '../apis/well-known.ts';
import type { Destination } from '../client/storage/contract.ts';
import { tlsOf } from './cluster.ts';

type PodInput = InputOf<typeof Pod>;
type ContainerInput = PodInput['spec']['containers'][number];
type Mount = NonNullable<Container['volumeMounts']>[number];
type Place = Pick<EtcdBackupSpec, 'storageType' | 's3' | 'volume'>;

/** What the pods of one object have in common. */
export interface WorkerOptions {
  readonly owner: Pick<ApiObject<unknown, unknown>, 'apiVersion' | 'kind' | 'metadata'>;
  /** The key of the label that names the owner. */
  readonly label: string;
  readonly attempt: number;
  /** Of the operator. */
  readonly image: string;
  readonly place: Place;
  readonly encryption: EtcdBackupSpec['encryption'];
  readonly worker: EtcdBackupSpec['worker'];
  readonly timeoutMs: number;
}

const userId = 10_001;
const gracePeriodSeconds = 30;

export function destinationOf({ storageType, s3, volume }: Place): Destination {
  if (storageType === 'Volume') {
    return {
      type: 'Volume',
      directory: agentPaths.volume,
      ...(volume?.path === undefined ? {} : { path: volume.path }),
    };
  }
  const { bucket = '', region, endpoint, forcePathStyle, path } = s3 ?? {};
  return {
    type: 'S3',
    bucket,
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(forcePathStyle === undefined ? {} : { forcePathStyle }),
    ...(path === undefined ? {} : { path }),
  };
}

/** A pod with one container that does one job; `cluster` if it connects to its members. */
export function jobPod(name: string, job: AgentJob, options: WorkerOptions, cluster?: EtcdCluster): PodInput {
  const places = volumesOf(options, cluster);
  return podOf(name, options, {
    containers: [agentContainer('agent', job, options, places.mounts)],
    volumes: places.volumes,
  });
}

interface RestoreImage {
  /** Of etcd, without a tag. */
  readonly repository: string;
  /** Without `v`. */
  readonly version: string;
}

export interface SnapshotRestore extends RestoreImage {
  readonly snapshot: string;
  readonly dataDirectory: string;
  readonly member: string;
  readonly peerURL: string;
  readonly token: string;
  readonly revisionBump: number;
}

/** Prepares the volume of a member: fetch, restore into a directory beside the data, and rename. */
export function preparePod(
  name: string,
  options: WorkerOptions,
  { fetch, restore, commit, claim }: PrepareJobs,
): PodInput {
  const places = volumesOf(options);
  const data = { name: 'data', mountPath: paths.volume };
  return podOf(name, options, {
    initContainers: [
      agentContainer('fetch', fetch, options, [...places.mounts, data]),
      restoreContainer(restore, [data, ...backupsIn(places.mounts)]),
    ],
    containers: [agentContainer('commit', commit, options, [data])],
    volumes: [...places.volumes, { name: 'data', persistentVolumeClaim: { claimName: claim } }],
  });
}

interface PrepareJobs {
  readonly fetch: AgentJob;
  readonly restore: SnapshotRestore;
  readonly commit: AgentJob;
  readonly claim: string;
}

/** Of the scratch member, which only its own pod reaches. Not etcd's own ports: pods may share a network. */
export const scratchPorts = { client: 12_379, peer: 12_380 } as const;

/** With TLS, because data with authentication refuses clients without a certificate. */
export const scratchCertificates = `${agentPaths.scratch}/certificates`;

/** Restores into a directory that ends with the pod, runs a member on it, and compares what it serves. */
export function rehearsalPod(
  name: string,
  options: WorkerOptions,
  { fetch, restore, check }: { readonly fetch: AgentJob; readonly restore: SnapshotRestore; readonly check: AgentJob },
): PodInput {
  const places = volumesOf(options);
  const scratch = { name: 'scratch', mountPath: agentPaths.scratch };
  const client = `https://127.0.0.1:${scratchPorts.client}`;
  return podOf(name, options, {
    initContainers: [
      agentContainer('fetch', fetch, options, places.mounts),
      restoreContainer(restore, [scratch, ...backupsIn(places.mounts)]),
    ],
    containers: [
      agentContainer('check', check, options, [scratch]),
      {
        ...etcdContainer(restore, [scratch]),
        name: 'scratch-member',
        command: [
          '/usr/local/bin/etcd',
          `--name=${restore.member}`,
          `--data-dir=${restore.dataDirectory}`,
          `--listen-client-urls=${client}`,
          `--advertise-client-urls=${client}`,
          `--trusted-ca-file=${scratchCertificates}/${tlsFiles.ca}`,
          `--cert-file=${scratchCertificates}/${tlsFiles.cert}`,
          `--key-file=${scratchCertificates}/${tlsFiles.key}`,
          '--client-cert-auth',
          `--listen-peer-urls=${restore.peerURL}`,
          `--initial-advertise-peer-urls=${restore.peerURL}`,
          `--initial-cluster=${restore.member}=${restore.peerURL}`,
          `--initial-cluster-token=${restore.token}`,
          '--logger=zap',
        ],
      },
    ],
    volumes: places.volumes,
  });
}

/** What was fetched may be a link to a file of the volume with the backups. */
function backupsIn(mounts: readonly Mount[]): readonly Mount[] {
  return mounts.filter(({ name }) => name === backupsVolume).map((mount) => ({ ...mount, readOnly: true }));
}

function restoreContainer(restore: SnapshotRestore, mounts: readonly Mount[]): ContainerInput {
  const { snapshot, dataDirectory, member, peerURL, token, revisionBump, version } = restore;
  // The program of 3.4 for it is etcdctl.
  const isOld = (parseVersion(version)?.minor ?? 0) < 5;
  const program = isOld ? '/usr/local/bin/etcdctl' : '/usr/local/bin/etcdutl';
  // A copy was compared by the container before. A file of the volume with the backups may have changed since.
  const isCopy = !mounts.some(({ name }) => name === backupsVolume);
  return {
    ...etcdContainer(restore, mounts),
    name: 'restore',
    command: [
      program,
      'snapshot',
      'restore',
      snapshot,
      ...(isCopy ? ['--skip-hash-check'] : []),
      `--data-dir=${dataDirectory}`,
      `--name=${member}`,
      `--initial-cluster=${member}=${peerURL}`,
      `--initial-advertise-peer-urls=${peerURL}`,
      `--initial-cluster-token=${token}`,
      ...(revisionBump === 0 ? [] : [`--bump-revision=${revisionBump}`, '--mark-compacted']),
    ],
    ...(isOld ? { env: [{ name: 'ETCDCTL_API', value: '3' }] } : {}),
  };
}

/** Whether the tools of a version can raise revisions. */
export function canBump(text: string): boolean {
  const version = parseVersion(text);
  if (version === undefined || version.minor > 5) return true;
  return version.minor === 5 ? version.patch >= 10 : version.minor === 4 && version.patch >= 27;
}

function etcdContainer({ repository, version }: RestoreImage, mounts: readonly Mount[]): Omit<ContainerInput, 'name'> {
  return {
    image: `${repository}:${imageTag(version)}`,
    resources: { requests: { cpu: '100m', memory: '128Mi' } },
    securityContext,
    // etcd's tools write no message of their own.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [...mounts],
  };
}

const securityContext = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

function agentContainer(
  name: string,
  job: AgentJob,
  { image, worker }: WorkerOptions,
  mounts: readonly Mount[],
): ContainerInput {
  return {
    name,
    image,
    command: ['/usr/local/bin/etcd-agent'],
    args: [job.do],
    env: [
      // Kubernetes replaces `$(NAME)` and `$$`. A function, because `$$` in a replacement is one dollar sign.
      { name: 'AGENT_JOB', value: JSON.stringify(job).replaceAll('$', () => '$$') },
      { name: 'AGENT_RESULT_FILE', value: agentPaths.result },
      // Paths and addresses in variables, because only those can be replaced where pods are processes.
      { name: 'AGENT_HOST', value: '0.0.0.0' },
      { name: 'AGENT_SECRETS', value: agentPaths.secrets },
    ],
    resources: worker.resources ?? { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    securityContext,
    terminationMessagePath: agentPaths.result,
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [...mounts],
  };
}

function podOf(
  name: string,
  { owner, label, attempt, timeoutMs }: WorkerOptions,
  spec: Pick<PodInput['spec'], 'containers' | 'initContainers' | 'volumes'>,
): PodInput {
  const { metadata } = owner;
  return {
    metadata: {
      name,
      namespace: metadata.namespace ?? '',
      labels: {
        [labels.name]: 'etcd-backup',
        [labels.managedBy]: OPERATOR_NAME,
        [label]: metadata.name,
        [labels.attempt]: String(attempt),
      },
      ownerReferences: [controllerReference(owner)],
    },
    spec: {
      ...spec,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: gracePeriodSeconds,
      // The operator ends it before, and says why. This is for when there is no operator.
      activeDeadlineSeconds: Math.ceil(timeoutMs / 1_000) + 60,
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: userId,
        runAsGroup: userId,
        fsGroup: userId,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    },
  };
}

const secretMode = 0o440;
const backupsVolume = 'backups';

function volumesOf(
  { place, encryption, worker }: WorkerOptions,
  cluster?: EtcdCluster,
): { readonly volumes: readonly Volume[]; readonly mounts: readonly Mount[] } {
  const volumes: Volume[] = [];
  const mounts: Mount[] = [];
  const add = (volume: Volume, mountPath: string, readOnly = true) => {
    volumes.push(volume);
    mounts.push({ name: volume.name, mountPath, ...(readOnly ? { readOnly } : {}) });
  };
  const { scratchSize } = worker;
  const scratch = scratchSize === undefined ? {} : { sizeLimit: scratchSize };
  add({ name: 'scratch', emptyDir: scratch }, agentPaths.scratch, false);
  // The secrets are mounted into it, so that one path leads to all of them.
  add({ name: 'secrets', emptyDir: {} }, agentPaths.secrets, false);
  if (place.volume && place.storageType === 'Volume') {
    const { claimName } = place.volume;
    add({ name: backupsVolume, persistentVolumeClaim: { claimName } }, agentPaths.volume, false);
  }
  if (place.s3 && place.storageType === 'S3') {
    const { name, accessKeyIdKey, secretAccessKeyKey, sessionTokenKey } = place.s3.credentialsSecret;
    const items = [
      { key: accessKeyIdKey, path: 'accessKeyId' },
      { key: secretAccessKeyKey, path: 'secretAccessKey' },
      ...(sessionTokenKey === undefined ? [] : [{ key: sessionTokenKey, path: 'sessionToken' }]),
    ];
    add({ name: 's3', secret: { secretName: name, items, defaultMode: secretMode } }, agentPaths.s3);
    const { caSecret } = place.s3;
    if (caSecret) {
      const ca = [{ key: caSecret.key, path: 'ca.crt' }];
      add({ name: 's3-ca', secret: { secretName: caSecret.name, items: ca } }, agentPaths.s3Ca);
    }
  }
  if (encryption) {
    const { name, key } = encryption.keySecret;
    const items = [{ key, path: 'key' }];
    add({ name: 'encryption', secret: { secretName: name, items, defaultMode: secretMode } }, agentPaths.encryption);
  }
  if (cluster && tlsOf(cluster).client) add(clientTls(cluster), agentPaths.tls);
  return { volumes, mounts };
}

/** The certificate that the operator connects with. */
function clientTls(cluster: EtcdCluster): Volume {
  const { autoTLS, certificateSecret = '', caSecret } = cluster.spec.security.tls;
  const secretName = autoTLS ? names.clientSecret(cluster.metadata.name) : certificateSecret;
  if (autoTLS || caSecret === undefined) return { name: 'tls', secret: { secretName, defaultMode: secretMode } };
  const items = ['tls.crt', 'tls.key'].map((key) => ({ key, path: key }));
  const sources = [
    { secret: { name: secretName, items } },
    { secret: { name: caSecret, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  ];
  // Not all kinds of volumes are in the schema, which allows further fields.
  return { name: 'tls', projected: { sources, defaultMode: secretMode } } as Volume;
}
