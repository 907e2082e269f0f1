/** Every flag of the program in one table: its variable, its key of the config file, its default. */
import { type Flag, logFlags } from '@ecsm/command-line';

export const flags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    value: 'FILE',
    variable: 'KUBECONFIG',
    key: 'kubeconfig',
    help: 'kubeconfig of the Kubernetes cluster. Default ~/.kube/config, or the service account of the pod',
  },
  {
    name: 'context',
    value: 'NAME',
    variable: 'ETCD_OPERATOR_CONTEXT',
    key: 'context',
    help: 'context of the kubeconfig. Default: its current context',
  },
  {
    name: 'namespace',
    value: 'NAME',
    short: 'n',
    variable: 'ETCD_OPERATOR_NAMESPACE',
    key: 'namespace',
    help: 'only clusters of this namespace. Default: all namespaces',
  },
  {
    name: 'listen',
    value: 'HOST:PORT',
    variable: 'ETCD_OPERATOR_LISTEN',
    key: 'listen',
    help: 'address of /healthz, /readyz and /metrics, without authentication. Port 0: any free port; off: no server. Default 127.0.0.1:8092, with --once off',
  },
  {
    name: 'workers',
    value: 'N',
    variable: 'ETCD_OPERATOR_WORKERS',
    key: 'workers',
    default: '4',
    help: 'maximum number of clusters reconciled concurrently',
  },
  {
    name: 'health-seconds',
    value: 'N',
    variable: 'ETCD_OPERATOR_HEALTH_SECONDS',
    key: 'healthSeconds',
    default: '30',
    help: 'interval between checks of a cluster at rest. A shorter one detects failures sooner and costs more calls',
  },
  {
    name: 'call-timeout-seconds',
    value: 'N',
    variable: 'ETCD_OPERATOR_CALL_TIMEOUT_SECONDS',
    key: 'callTimeoutSeconds',
    default: '5',
    help: 'timeout of one call to a member of etcd',
  },
  {
    name: 'worker-image',
    value: 'IMAGE',
    variable: 'ETCD_OPERATOR_WORKER_IMAGE',
    key: 'workerImage',
    default: 'etcd-operator:latest',
    help: 'image of this operator, which the pods of backups and restores run',
  },
  {
    name: 'leader-elect',
    variable: 'ETCD_OPERATOR_LEADER_ELECT',
    key: 'leaderElect',
    help: 'elect a leader: of several operators only the leader acts, and another takes over when it stops',
  },
  {
    name: 'lease-namespace',
    value: 'NAME',
    variable: 'ETCD_OPERATOR_LEASE_NAMESPACE',
    key: 'leaseNamespace',
    default: 'default',
    help: 'with --leader-elect: namespace of the lease',
  },
  {
    name: 'lease-seconds',
    value: 'N',
    variable: 'ETCD_OPERATOR_LEASE_SECONDS',
    key: 'leaseSeconds',
    default: '15',
    help: "with --leader-elect: duration of the leader's lease. Shorter fails over sooner",
  },
  ...logFlags('ETCD_OPERATOR'),
  {
    name: 'config',
    value: 'FILE',
    variable: 'ETCD_OPERATOR_CONFIG',
    help: 'config file in YAML or JSON, as in healthSeconds: 60. Flags override variables, variables override this file',
  },
  { name: 'once', help: 'reconcile until every cluster is as its spec says, then exit: for scripts' },
  { name: 'timeout-seconds', value: 'N', default: '600', help: 'timeout of --once' },
];

export const manifestFlags: readonly Flag[] = [
  { name: 'image', value: 'IMAGE', default: 'etcd-operator:latest', help: 'image of the operator' },
  { name: 'install-namespace', value: 'NAME', default: 'etcd-operator', help: 'namespace that the operator runs in' },
];
