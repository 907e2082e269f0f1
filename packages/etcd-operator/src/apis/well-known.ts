/** Names that the operator, its users and other programs share: labels, annotations, ports, names of objects. */

export const GROUP = 'etcd.ecsm.sh';
export const OPERATOR_NAME = 'etcd-operator';
export const FINALIZER = `${GROUP}/finalizer`;

export const labels = {
  name: 'app.kubernetes.io/name',
  instance: 'app.kubernetes.io/instance',
  component: 'app.kubernetes.io/component',
  managedBy: 'app.kubernetes.io/managed-by',
  version: 'app.kubernetes.io/version',
  /** Name of the EtcdCluster. */
  cluster: `${GROUP}/cluster`,
  /** Uid of the EtcdCluster, on volumes: they outlive it, and another cluster of the name must not use them. */
  clusterUid: `${GROUP}/cluster-uid`,
  /** Name of the member, on pods. */
  member: `${GROUP}/member`,
  /** Name of the EtcdBackup or EtcdRestore, on the pods that work for it. */
  backup: `${GROUP}/backup`,
  restore: `${GROUP}/restore`,
  /** Which attempt a pod works for. */
  attempt: `${GROUP}/attempt`,
  /** Name of the EtcdBackup with the schedule, on its runs. */
  schedule: `${GROUP}/schedule`,
} as const;

export const annotations = {
  /** On a pod: hash of the template that it was created from. */
  templateHash: `${GROUP}/template-hash`,
  /**
   * On an EtcdCluster without a quorum: recover from the data of one member, and lose what only other members had. The
   * value is the name of the pod that survives, such as `main-0`, or `auto`: the reachable member with the newest data.
   * The operator removes the annotation when the recovery is complete.
   */
  recoverQuorumFrom: `${GROUP}/recover-quorum-from`,
  /**
   * On an EtcdCluster: name of the EtcdRestore that fills it. Until the restore has prepared a volume, no member is
   * started; if it fails, the former members are started again.
   */
  restore: `${GROUP}/restore`,
  /** On an EtcdCluster: id of the etcd cluster. */
  clusterId: `${GROUP}/cluster-id`,
} as const;

/** The value of `recoverQuorumFrom` that lets the operator choose. */
export const RECOVER_AUTOMATICALLY = 'auto';

export const ports = {
  client: 2379,
  peer: 2380,
  /** Plain HTTP: metrics and health. */
  metrics: 2381,
} as const;

export const paths = {
  /** Where the volume is mounted. */
  volume: '/var/lib/etcd',
  data: '/var/lib/etcd/data',
  config: '/etc/etcd/config',
  serverTls: '/etc/etcd/tls/server',
  peerTls: '/etc/etcd/tls/peer',
  /** Authorities that the user provides in a Secret of their own. */
  caTls: '/etc/etcd/tls/ca',
} as const;

/** In the pods that do the work of backups and restores. */
export const agentPaths = {
  scratch: '/scratch',
  /** Where the volume of a destination is mounted. */
  volume: '/backups',
  secrets: '/etc/agent',
  tls: '/etc/agent/tls',
  s3: '/etc/agent/s3',
  s3Ca: '/etc/agent/s3-ca',
  encryption: '/etc/agent/encryption',
  result: '/dev/termination-log',
} as const;

/** Of the progress of a worker, in plain HTTP. */
export const AGENT_PORT = 8080;

/** Name of the container of etcd, and of its volume claim template. */
export const ETCD_CONTAINER = 'etcd';
export const DATA_VOLUME = 'data';

/** The names of the objects of a cluster. */
export const names = {
  statefulSet: (cluster: string) => cluster,
  disruptionBudget: (cluster: string) => cluster,
  clientService: (cluster: string) => `${cluster}-client`,
  peerService: (cluster: string) => `${cluster}-peer`,
  configMap: (cluster: string) => `${cluster}-config`,
  caSecret: (cluster: string) => `${cluster}-ca`,
  serverSecret: (cluster: string) => `${cluster}-server-tls`,
  peerSecret: (cluster: string) => `${cluster}-peer-tls`,
  clientSecret: (cluster: string) => `${cluster}-client-tls`,
  pod: (cluster: string, slot: number) => `${cluster}-${slot}`,
  claim: (cluster: string, slot: number) => `${DATA_VOLUME}-${cluster}-${slot}`,
  /** The key of a slot in the ConfigMap. */
  configKey: (cluster: string, slot: number) => `${cluster}-${slot}.yaml`,
  /** The name of a slot in DNS and in its certificate, without the domain of the Kubernetes cluster. */
  host: (cluster: string, namespace: string, slot: number) => `${cluster}-${slot}.${cluster}-peer.${namespace}.svc`,
} as const;

/** The slot of a pod; undefined if it is not a pod of the cluster's StatefulSet. */
export function slotOf(cluster: string, podName: string): number | undefined {
  const digits = podName.startsWith(`${cluster}-`) ? podName.slice(cluster.length + 1) : '';
  return /^(?:0|[1-9]\d{0,8})$/u.test(digits) ? Number(digits) : undefined;
}

/** The labels that all objects of a cluster have. */
export function labelsOf(cluster: string): Readonly<Record<string, string>> {
  return {
    [labels.name]: 'etcd',
    [labels.instance]: cluster,
    [labels.managedBy]: OPERATOR_NAME,
    [labels.cluster]: cluster,
  };
}

/** The labels that select the pods of a cluster; they never change. */
export function selectorOf(cluster: string): Readonly<Record<string, string>> {
  return { [labels.name]: 'etcd', [labels.instance]: cluster, [labels.cluster]: cluster };
}
