/** Every option of the program in one table: flag, variable and key of the config file. The help is made from it. */

export interface Flag {
  readonly name: string;
  /** What stands for its value in the help; absent: it takes none. */
  readonly value?: string;
  /** The variable of the environment that says the same. Absent: only the command line can say it. */
  readonly variable?: string;
  /** The key of the config file that says the same. */
  readonly key?: string;
  /** Whether it may be given several times. In the environment one a line, in the config file a list. */
  readonly repeats?: boolean;
  /** Its value is never shown. */
  readonly secret?: boolean;
  /** With default and unit. */
  readonly says: string;
}

export const flags: readonly Flag[] = [
  {
    name: 'registry',
    value: 'URL',
    variable: 'ECSM_REGISTRY',
    key: 'registry',
    says: 'what people want: sqlite:DIR, file:DIR, etcd://HOST:PORT/PREFIX or memory:. Default sqlite: in $ECSM_HOME/registry, ECSM_HOME being ~/.ecsm',
  },
  {
    name: 'ecsm',
    value: 'URL',
    variable: 'ECSM_URL',
    key: 'ecsm',
    says: 'the platform, with http:// or https://. Default http://127.0.0.1:3001',
  },
  {
    name: 'header',
    value: "'NAME: VALUE'",
    variable: 'ECSM_HEADER',
    key: 'header',
    repeats: true,
    secret: true,
    says: 'sent with every call to the platform, for authentication; may be repeated. Others on this machine can see a flag, but not a variable or the config file. Default none',
  },
  {
    name: 'tls-ca',
    value: 'FILE',
    variable: 'ECSM_TLS_CA',
    key: 'tlsCa',
    says: "the authority that signed the platform's certificate, in PEM. Default: those of the system",
  },
  {
    name: 'listen',
    value: 'HOST:PORT',
    variable: 'ECSM_OPERATOR_LISTEN',
    key: 'listen',
    says: 'where /healthz, /readyz and /metrics are served, on this machine only; port 0 takes any free one, off serves nothing. Default 127.0.0.1:8090, with --once off',
  },
  {
    name: 'observe-seconds',
    value: 'N',
    variable: 'ECSM_OPERATOR_OBSERVE_SECONDS',
    key: 'observeSeconds',
    says: 'from one look at the platform to the next. Shorter finds out sooner and costs more of the link. Default 15',
  },
  {
    name: 'in-flight',
    value: 'N',
    variable: 'ECSM_OPERATOR_IN_FLIGHT',
    key: 'inFlight',
    says: 'so many calls are under way at once; others wait their turn. Default 4',
  },
  {
    name: 'workers',
    value: 'N',
    variable: 'ECSM_OPERATOR_WORKERS',
    key: 'workers',
    says: 'so many services are worked on at once. Default 16',
  },
  {
    name: 'call-timeout-seconds',
    value: 'N',
    variable: 'ECSM_OPERATOR_CALL_TIMEOUT_SECONDS',
    key: 'callTimeoutSeconds',
    says: 'how long one call may take. Shorter than the slowest answer of the link, nothing ever succeeds. Default 10',
  },
  {
    name: 'leader-elect',
    variable: 'ECSM_OPERATOR_LEADER_ELECT',
    key: 'leaderElect',
    says: 'of several operators on one registry only one works, and another takes over when it is gone. Default: this is the only one',
  },
  {
    name: 'lease-seconds',
    value: 'N',
    variable: 'ECSM_OPERATOR_LEASE_SECONDS',
    key: 'leaseSeconds',
    says: "with --leader-elect: duration of the leader's lease. Shorter fails over sooner; it has to be longer than --call-timeout-seconds plus the 4 s that a stop may take. Default 15",
  },
  {
    name: 'log-level',
    value: 'LEVEL',
    variable: 'ECSM_OPERATOR_LOG_LEVEL',
    key: 'logLevel',
    says: 'debug, info, warn or error. Default info',
  },
  {
    name: 'log-format',
    value: 'FORMAT',
    variable: 'ECSM_OPERATOR_LOG_FORMAT',
    key: 'logFormat',
    says: 'readable or json. Default readable',
  },
  {
    name: 'config',
    value: 'FILE',
    variable: 'ECSM_OPERATOR_CONFIG',
    says: 'more options, in YAML or JSON: observeSeconds: 30. Flags go before variables, variables before this file. Default none',
  },
  { name: 'once', says: 'bring everything to where it should be, then end: for scripts' },
  { name: 'timeout-seconds', value: 'N', says: 'how long --once tries. Default 300' },
  { name: 'all', says: 'with plan: every service' },
  { name: 'version', says: 'print the version and end' },
  { name: 'help', says: 'print this and end' },
];

const columns = 80;
const indent = 6;

export function helpText(): string {
  const lines = flags.flatMap(({ name, value, variable, key, says }) => {
    const also = [variable, key].filter((one) => one !== undefined).join(', ');
    const text = also === '' ? says : `${says} (${also})`;
    const head = `  --${name}${value === undefined ? '' : ` ${value}`}`;
    return [head, ...wrapped(text, columns - indent).map((line) => `${' '.repeat(indent)}${line}`)];
  });
  return `ecsm-operator: makes ECSMService objects true on an ECSM platform

Examples:
  ecsm-operator                                   the registry in ~/.ecsm, and
                                                  http://127.0.0.1:3001
  ecsm-operator --ecsm https://ecsm.site:3001 --tls-ca ca.pem --config op.yaml
  ecsm-operator --registry file:./fleet --once    make it so, and end
  ecsm-operator plan telemetry                    what it would do, and why
  ecsm-operator plan --all

Usage:
  ecsm-operator [run] [OPTIONS]
  ecsm-operator plan [NAMESPACE/]NAME... [OPTIONS]   changes nothing
  ecsm-operator plan --all [OPTIONS]

Options, each with its variable and its key in the config file:
${lines.join('\n')}

Ends with 0 after Ctrl-C, after plan, and after --once when every service is
Available; 1 if it could not run or --once did not get there in time; 2 if the
options make no sense.
`;
}

/** Whole words; one that is longer than a line gets a line of its own. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
