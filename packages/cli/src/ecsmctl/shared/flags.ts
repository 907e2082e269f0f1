/** Flags shared by several commands, and the global flags of every command. */
import type { Flag } from '@ecsm/command-line';

export const globalFlags: readonly Flag[] = [
  {
    name: 'namespace',
    short: 'n',
    value: 'NS',
    variable: 'ECSM_NAMESPACE',
    key: 'namespace',
    default: 'default',
    help: 'namespace of the objects',
    complete: async (call) => (await import('./live-names.ts')).namespaces(call),
  },
  {
    name: 'registry',
    value: 'URL',
    variable: 'ECSM_REGISTRY',
    key: 'registry',
    help: 'URL of the registry: sqlite:DIR, file:DIR, etcd://HOST:PORT/PREFIX, or of an API server: kubernetes:[CONTEXT] with a kubeconfig, https://HOST:PORT with ECSM_TOKEN_FILE and ECSM_CERTIFICATE_AUTHORITY. Default sqlite:$ECSM_HOME/registry, where ECSM_HOME defaults to ~/.ecsm; if there is none and KUBECONFIG is set, its current context, if that serves ecsm.sh/v1',
    complete: async () => ['sqlite:', 'file:', 'etcd://', 'etcds://', 'kubernetes:', 'https://'],
  },
  {
    name: 'context',
    value: 'NAME',
    help: 'context of the kubeconfig: the same as --registry kubernetes:NAME',
    complete: async (call) => (await import('./contexts.ts')).contextNames(call),
  },
  {
    name: 'kubeconfig',
    value: 'FILE',
    help: 'kubeconfig of an API server: without --context and --registry, its current context is used. Default for these two: KUBECONFIG, or ~/.kube/config',
  },
  {
    name: 'config',
    value: 'FILE',
    variable: 'ECSMCTL_CONFIG',
    help: 'config file in YAML or JSON. Default .ecsmctl.yaml in the working directory or the home directory',
  },
];

export const allNamespacesFlag: Flag = { name: 'all-namespaces', short: 'A', help: 'use all namespaces' };

export const showValuesFlag: Flag = {
  name: 'show-values',
  help: 'show the values of env, command and vsoa. Only where the registry has its files, not through a server',
};

export const selectorFlag: Flag = {
  name: 'selector',
  short: 'l',
  value: 'SELECTOR',
  help: "label selector, such as 'app=camera,tier!=test,zone in (a,b)'",
};

export const fieldSelectorFlag: Flag = {
  name: 'field-selector',
  value: 'SELECTOR',
  help: "field selector, such as 'spec.paused=true,metadata.name!=telemetry'",
};

export const filenameFlag: Flag = {
  name: 'filename',
  short: 'f',
  value: 'FILE|DIR|-',
  repeats: true,
  help: 'manifest file or directory, in YAML or JSON; - is standard input. Several: -f a.yaml,b.yaml or -f a.yaml -f b.yaml',
};

/** Known to users of kubectl, and refused with the alternative. */
export const kustomizeFlag: Flag = {
  name: 'kustomize',
  short: 'k',
  value: 'DIR',
  help: 'not supported: pipe the output of "kustomize build DIR" into -f -',
};

export const recursiveFlag: Flag = {
  name: 'recursive',
  short: 'R',
  help: 'read subdirectories of the directory given with -f',
};

/** What `isDryRun` reads. */
export const dryRunFlag: Flag = {
  name: 'dry-run',
  value: 'MODE',
  withoutValue: 'server',
  choices: ['none', 'client', 'server'],
  help: 'show what would be done without writing (client and server are equivalent)',
};

/** What `printObjects` reads. */
export const outputFlag: Flag = {
  name: 'output',
  short: 'o',
  value: 'FORMAT',
  help: 'output format: table, wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=NAME:PATH,...',
  complete: async () => ['table', 'wide', 'yaml', 'json', 'name', 'jsonpath=', 'custom-columns='],
};

export const tableFlags: readonly Flag[] = [
  outputFlag,
  { name: 'no-headers', help: 'omit the table header' },
  { name: 'show-labels', help: 'add a column with the labels' },
  {
    name: 'label-columns',
    short: 'L',
    value: 'KEYS',
    repeats: true,
    help: 'add a column for each of these labels: -L app,tier',
  },
];

/** The connection to the platform. The same names as the flags of ecsm-operator. */
export const platformFlags: readonly Flag[] = [
  {
    name: 'ecsm',
    value: 'URL',
    variable: 'ECSM_URL',
    default: 'http://127.0.0.1:3001',
    help: 'with --live: URL of the platform, http:// or https://',
  },
  {
    name: 'header',
    value: "'NAME: VALUE'",
    variable: 'ECSM_HEADER',
    repeats: true,
    secret: true,
    help: 'with --live: HTTP header of every platform request, for authentication. Other users of this machine can see flags, but not variables',
  },
  {
    name: 'tls-ca',
    value: 'FILE',
    variable: 'ECSM_TLS_CA',
    help: 'with --live: CA certificate in PEM, used instead of the CA certificates of the system',
  },
];
