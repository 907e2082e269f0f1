/** Flags that several commands have, said once. Global ones go with every command. */
import type { Flag } from '@ecsm/command-line';

export const globalFlags: readonly Flag[] = [
  {
    name: 'namespace',
    short: 'n',
    value: 'NS',
    variable: 'ECSM_NAMESPACE',
    key: 'namespace',
    default: 'default',
    help: 'the namespace of the objects',
    complete: async (call) => (await import('./live-names.ts')).namespaces(call),
  },
  {
    name: 'registry',
    value: 'URL',
    variable: 'ECSM_REGISTRY',
    key: 'registry',
    help: 'where the objects are: sqlite:DIR, file:DIR or etcd://HOST:PORT/PREFIX. Default sqlite: in $ECSM_HOME/registry, ECSM_HOME being ~/.ecsm',
    complete: async () => ['sqlite:', 'file:', 'etcd://', 'etcds://'],
  },
  {
    name: 'config',
    value: 'FILE',
    variable: 'ECSMCTL_CONFIG',
    help: 'settings, in YAML or JSON. Default .ecsmctl.yaml here, or in your home directory',
  },
];

export const allNamespacesFlag: Flag = { name: 'all-namespaces', short: 'A', help: 'in all namespaces' };

export const selectorFlag: Flag = {
  name: 'selector',
  short: 'l',
  value: 'SELECTOR',
  help: "only those with these labels: 'app=camera,tier!=test,zone in (a,b)'",
};

export const fieldSelectorFlag: Flag = {
  name: 'field-selector',
  value: 'SELECTOR',
  help: "only those with these values: 'spec.paused=true,metadata.name!=telemetry'",
};

export const filenameFlag: Flag = {
  name: 'filename',
  short: 'f',
  value: 'FILE|DIR|-',
  repeats: true,
  help: 'where the objects are written down, in YAML or JSON; - is standard input',
};

export const recursiveFlag: Flag = {
  name: 'recursive',
  short: 'R',
  help: 'with a directory: also those below it',
};

/** What `printObjects` reads. */
export const outputFlag: Flag = {
  name: 'output',
  short: 'o',
  value: 'FORMAT',
  help: 'table, wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=NAME:PATH,...',
  complete: async () => ['table', 'wide', 'yaml', 'json', 'name', 'jsonpath=', 'custom-columns='],
};

export const tableFlags: readonly Flag[] = [
  outputFlag,
  { name: 'no-headers', help: 'leave out the line with the names of the columns' },
  { name: 'show-labels', help: 'with a column for labels' },
];
