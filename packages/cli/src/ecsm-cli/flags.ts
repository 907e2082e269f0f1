/** Flags that several commands share. Data only: it is loaded with every command. */
import type { Flag } from '@ecsm/command-line';

/** Where the platform is, and how to reach it: flags of every command. */
export const platformFlags: readonly Flag[] = [
  {
    name: 'url',
    value: 'URL',
    variable: 'ECSMCLI_URL',
    key: 'url',
    help: 'where the platform is, in one piece: http://HOST:PORT',
  },
  { name: 'host', value: 'HOST', variable: 'ECSMCLI_HOST', key: 'host', default: '127.0.0.1', help: 'its host' },
  { name: 'port', value: 'PORT', variable: 'ECSMCLI_PORT', key: 'port', default: '3001', help: 'its port' },
  {
    name: 'protocol',
    value: 'NAME',
    variable: 'ECSMCLI_PROTOCOL',
    key: 'protocol',
    choices: ['http', 'https'],
    default: 'http',
    help: 'how it is spoken to',
  },
  {
    name: 'header',
    value: "'NAME: VALUE'",
    variable: 'ECSMCLI_HEADER',
    key: 'header',
    repeats: true,
    secret: true,
    help: 'sent with every request, for authentication. Others on this machine can see a flag, but not a variable',
  },
  {
    name: 'tls-ca',
    value: 'FILE',
    variable: 'ECSMCLI_TLS_CA',
    key: 'tlsCa',
    help: "the authority that signed its certificate, in PEM. Default: the system's",
  },
  {
    name: 'timeout',
    value: 'TIME',
    variable: 'ECSMCLI_TIMEOUT',
    key: 'timeout',
    help: 'how long to try, as in 30s or 5m: one request with its retries (30s if not said), a list with all its pages (5m), and with --wait the waiting (5m)',
  },
  {
    name: 'zone',
    value: 'OFFSET',
    variable: 'ECSMCLI_ZONE',
    key: 'zone',
    default: 'UTC',
    help: 'the time zone in which it writes times that name none, as in +08:00',
  },
  {
    name: 'config',
    value: 'FILE',
    variable: 'ECSMCLI_CONFIG',
    help: 'more settings, in YAML or JSON. Default: .ecsm-cli.yaml here, or else in your home directory',
  },
];

export const outputFlag: Flag = {
  name: 'output',
  short: 'o',
  value: 'FORMAT',
  help: 'table, wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=NAME:PATH,... Default table',
  complete: async () => ['table', 'wide', 'yaml', 'json', 'name', 'jsonpath=', 'custom-columns='],
};

export const noHeadersFlag: Flag = { name: 'no-headers', help: 'leave the header of tables out' };

export const sortFlag: Flag = { name: 'sort-by', value: 'PATH', help: 'sort by a field, as in .createdTime' };

export const namespaceFlag: Flag = {
  name: 'namespace',
  short: 'n',
  value: 'NAMESPACE',
  help: "only services that are named as the operator names those of this namespace: NAMESPACE.NAME, or NAME for 'default'",
};

export const yesFlag: Flag = { name: 'yes', short: 'y', help: 'ask nothing, do it' };

export const waitFlag: Flag = { name: 'wait', help: 'end when it has happened, not when it has begun; see --timeout' };

export const fileFlag: Flag = {
  name: 'filename',
  short: 'f',
  value: 'FILE|-',
  help: 'the service as the platform has it: name, image, node, policy, factor; YAML or JSON, - is standard input',
};

export const intervalFlag: Flag = {
  name: 'interval',
  value: 'TIME',
  default: '2s',
  help: 'from one look to the next; shorter costs more of the link',
};

export const limitFlag: Flag = { name: 'limit', value: 'COUNT', help: 'at most so many. Default: all' };
