/** Shared flags. Data only: this module is loaded with every command. */
import type { Flag } from '@ecsm/command-line';

/** Address of the platform and connection settings: flags of every command. */
export const platformFlags: readonly Flag[] = [
  {
    name: 'url',
    value: 'URL',
    variable: 'ECSMCLI_URL',
    key: 'url',
    help: 'URL of the platform: http://HOST:PORT',
  },
  {
    name: 'host',
    value: 'HOST',
    variable: 'ECSMCLI_HOST',
    key: 'host',
    default: '127.0.0.1',
    help: 'platform host',
  },
  { name: 'port', value: 'PORT', variable: 'ECSMCLI_PORT', key: 'port', default: '3001', help: 'platform port' },
  {
    name: 'protocol',
    value: 'NAME',
    variable: 'ECSMCLI_PROTOCOL',
    key: 'protocol',
    choices: ['http', 'https'],
    default: 'http',
    help: 'platform protocol',
  },
  {
    name: 'header',
    value: "'NAME: VALUE'",
    variable: 'ECSMCLI_HEADER',
    key: 'header',
    repeats: true,
    secret: true,
    help: 'HTTP header sent with every request, for authentication. Other users of this machine can see a flag, but not a variable',
  },
  {
    name: 'tls-ca',
    value: 'FILE',
    variable: 'ECSMCLI_TLS_CA',
    key: 'tlsCa',
    help: "CA certificates that the platform is verified with, PEM. Default: the system's",
  },
  {
    name: 'timeout',
    value: 'TIME',
    variable: 'ECSMCLI_TIMEOUT',
    key: 'timeout',
    help: 'time limit, such as 30s or 5m: of one request with its retries (default 30s), of a list with all its pages (5m) and of --wait (5m)',
  },
  {
    name: 'zone',
    value: 'OFFSET',
    variable: 'ECSMCLI_ZONE',
    key: 'zone',
    default: 'UTC',
    help: 'time zone of platform times without an offset, such as +08:00',
  },
  {
    name: 'config',
    value: 'FILE',
    variable: 'ECSMCLI_CONFIG',
    help: 'config file, YAML or JSON. Default: .ecsm-cli.yaml in the working directory, then in the home directory',
  },
];

export const outputFlag: Flag = {
  name: 'output',
  short: 'o',
  value: 'FORMAT',
  help: 'table, wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=NAME:PATH,... Default table',
  complete: async () => ['table', 'wide', 'yaml', 'json', 'name', 'jsonpath=', 'custom-columns='],
};

export const noHeadersFlag: Flag = { name: 'no-headers', help: 'omit the header of tables' };

export const sortFlag: Flag = { name: 'sort-by', value: 'PATH', help: 'sort by a field, such as .createdTime' };

export const namespaceFlag: Flag = {
  name: 'namespace',
  short: 'n',
  value: 'NAMESPACE',
  help: "only services of this namespace of the operator, by name: NAMESPACE.NAME, or NAME for 'default'",
};

export const yesFlag: Flag = { name: 'yes', short: 'y', help: 'do not ask for confirmation' };

export const waitFlag: Flag = { name: 'wait', help: 'wait until the operation is complete; see --timeout' };

export const fileFlag: Flag = {
  name: 'filename',
  short: 'f',
  value: 'FILE|-',
  help: 'service in the format of the platform: name, image, node, policy, factor; YAML or JSON, - is standard input',
};

export const intervalFlag: Flag = {
  name: 'interval',
  value: 'TIME',
  default: '2s',
  help: 'polling interval; a shorter one causes more traffic',
};

export const limitFlag: Flag = { name: 'limit', value: 'COUNT', help: 'maximum number of results. Default: all' };
