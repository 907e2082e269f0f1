/**
 * The settings of etcd that users may set in `spec.etcd.options`, by their names in etcd's config file. Others are owned
 * by the operator, and refused with the reason.
 */

type OptionType = 'integer' | 'boolean' | 'duration' | 'text';

const experimental = {
  'bootstrap-defrag-threshold-megabytes': 'integer',
  'compaction-batch-limit': 'integer',
  'compaction-sleep-interval': 'duration',
  'downgrade-check-time': 'duration',
  'enable-lease-checkpoint': 'boolean',
  'enable-lease-checkpoint-persist': 'boolean',
  'max-learners': 'owned',
  'memory-mlock': 'boolean',
  'peer-skip-client-san-verification': 'owned',
  'snapshot-catchup-entries': 'integer',
  'stop-grpc-service-on-defrag': 'boolean',
  'txn-mode-write-with-shared-buffer': 'boolean',
  'warning-apply-duration': 'duration',
  'warning-unary-request-duration': 'duration',
  'watch-progress-notify-interval': 'duration',
} as const satisfies Readonly<Record<string, OptionType | 'owned'>>;

const stable = {
  'backend-batch-interval': 'duration',
  'backend-batch-limit': 'integer',
  'backend-bbolt-freelist-type': 'text',
  'election-timeout': 'integer',
  'enable-pprof': 'boolean',
  'grpc-keepalive-interval': 'duration',
  'grpc-keepalive-min-time': 'duration',
  'grpc-keepalive-timeout': 'duration',
  'heartbeat-interval': 'integer',
  'log-level': 'text',
  'max-concurrent-streams': 'integer',
  'max-request-bytes': 'integer',
  'max-snapshots': 'integer',
  'max-txn-ops': 'integer',
  'max-wals': 'integer',
  metrics: 'text',
  'pre-vote': 'boolean',
  'snapshot-count': 'integer',
  'tls-max-version': 'text',
  'tls-min-version': 'text',
} as const satisfies Readonly<Record<string, OptionType>>;

/** Up to etcd 3.5 these settings have the prefix `experimental-`, from 3.6 on they have none. */
const EXPERIMENTAL_PREFIX = 'experimental-';

export const etcdOptions: ReadonlyMap<string, OptionType> = new Map<string, OptionType>([
  ...Object.entries(stable),
  ...Object.entries(experimental).flatMap(([name, type]): [string, OptionType][] =>
    type === 'owned'
      ? []
      : [
          [name, type],
          [`${EXPERIMENTAL_PREFIX}${name}`, type],
        ],
  ),
]);

const owned: readonly (readonly [RegExp, string])[] = [
  [/^(name|data-dir|wal-dir|config-file)$/u, 'the operator gives every member its name and its data directory'],
  [/^initial-(corrupt-check)$/u, 'the operator enables it'],
  [/^(initial-|discovery|advertise-)/u, 'the operator decides how members start and find each other'],
  [/^listen-/u, 'the addresses of members are fixed'],
  [/(^|-)(tls|cert-file|key-file|trusted-ca-file|client-cert-auth|transport-security)$/u, 'use spec.security.tls'],
  [/^(peer-|client-)/u, 'use spec.security.tls'],
  [/^quota-backend-bytes$/u, 'use spec.etcd.quotaBackendBytes'],
  [/^auto-compaction-mode$/u, 'use spec.etcd.autoCompactionMode'],
  [/^auto-compaction-retention$/u, 'use spec.etcd.autoCompactionRetention'],
  [/^force-new-cluster$/u, 'use the annotation etcd.ecsm.sh/recover-quorum-from'],
  [/^unsafe-no-fsync$/u, 'it would lose acknowledged writes'],
  [/^strict-reconfig-check$/u, 'it protects the quorum from changes of the membership'],
  [/^max-learners$/u, 'the operator adds one learner at a time'],
  [/^(corrupt-check-time|compact-hash-check-(enabled|time))$/u, 'the operator enables checks for corruption'],
  [/^(enable-grpc-gateway|host-whitelist)$/u, 'the operator uses the gateway'],
  [/^(log-outputs|logger|enable-log-rotation)$/u, 'the log belongs to the container'],
  [/^(auth-token|enable-v2|proxy)/u, 'it is not supported'],
];

/** Why a setting is refused, as `it is set by the operator: …` or `it is not a known setting`; undefined if it is not. */
export function optionProblem(name: string, value: string | number): string | undefined {
  const type = etcdOptions.get(name);
  if (type !== undefined) return valueProblem(type, value);
  const plain = name.startsWith(EXPERIMENTAL_PREFIX) ? name.slice(EXPERIMENTAL_PREFIX.length) : name;
  const reason = owned.find(([expression]) => expression.test(plain))?.[1];
  return reason === undefined ? 'it is not a setting that can be changed' : `it cannot be set here: ${reason}`;
}

const forms: Readonly<Record<OptionType, readonly [RegExp, string]>> = {
  integer: [/^\d{1,15}$/u, 'must be an integer'],
  boolean: [/^(true|false)$/u, 'must be "true" or "false"'],
  duration: [/^(\d+(\.\d+)?(ns|us|ms|s|m|h))+$/u, 'must be a duration such as 100ms or 10s'],
  text: [/^[\w.-]+$/u, 'must be one word'],
};

function valueProblem(type: OptionType, value: string | number): string | undefined {
  const [expression, message] = forms[type];
  return expression.test(String(value)) ? undefined : message;
}

/** The value as it is written into etcd's config file. */
export function optionValue(name: string, value: string | number): string | number | boolean {
  switch (etcdOptions.get(name)) {
    case 'integer':
      return Number(value);
    case 'boolean':
      return value === 'true';
    case 'duration':
      return nanosecondsOf(String(value));
    default:
      return String(value);
  }
}

const nanosecondsIn: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1_000,
  ms: 1_000_000,
  s: 1_000_000_000,
  m: 60_000_000_000,
  h: 3_600_000_000_000,
};

/** In its config file etcd accepts durations only as a number: with `10ms` it does not start. */
function nanosecondsOf(text: string): number {
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ns|us|ms|s|m|h)/gu);
  return [...parts].reduce(
    (sum, [, count, unit = '']) => sum + Math.round(Number(count) * (nanosecondsIn[unit] ?? 0)),
    0,
  );
}
