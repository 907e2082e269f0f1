/** `ecsm-apiserver` as data. Its flags are those of the operator that concern the server, with variables of their own. */
import { type Command, completionCommand, type Flag, type Program, versionOf } from '@ecsm/command-line';
import { flags as operatorFlags } from './flags.ts';

/** What differs from the flag of the operator. */
const changes: Readonly<Record<string, Partial<Flag>>> = {
  registry: {},
  serve: {
    default: '127.0.0.1:6443',
    help: 'address of the Kubernetes API, always with TLS. Port 0: any free port. Keys, certificates and the kubeconfig of the administrator are in $ECSM_HOME/pki',
  },
  'serve-name': {
    help: 'a further DNS name or IP address by which clients reach the server, for its certificate',
  },
  'audit-log': { help: 'file of the audit log, one line of JSON for each request. Default: none' },
  'leader-elect': {
    help: 'elect a leader: of several servers on one registry all answer, and only the leader collects garbage, removes old events and deletes the contents of namespaces',
  },
  'lease-seconds': {
    help: "with --leader-elect: duration of the leader's lease. Shorter fails over sooner",
  },
  'log-level': {},
  'log-format': {},
  config: {
    help: 'config file in YAML or JSON, as in auditLog: audit.log. Flags override variables, variables override this file',
  },
};

export const apiserverFlags: readonly Flag[] = operatorFlags.flatMap((flag) => {
  const change = changes[flag.name];
  if (change === undefined) return [];
  const variable = flag.variable?.replace('ECSM_OPERATOR_', 'ECSM_APISERVER_');
  return [{ ...flag, ...change, ...(variable === undefined ? {} : { variable }) }];
});

const run: Command = {
  name: 'run',
  help: 'serve until stopped; the default',
  examples: [{ help: 'serve a registry in a directory', line: 'ecsm-apiserver run --registry file:./fleet' }],
  load: () => import('./apiserver.ts'),
};

export const apiserver: Program = {
  name: 'ecsm-apiserver',
  help: 'serves a registry over the Kubernetes API, without an operator',
  examples: [
    { help: 'the registry in ~/.ecsm, on this machine only', line: 'ecsm-apiserver' },
    {
      help: 'for clients on other machines',
      line: 'ecsm-apiserver --serve 0.0.0.0:6443 --serve-name site-7.example.com',
    },
  ],
  flags: apiserverFlags,
  commands: [run, completionCommand('ecsm-apiserver')],
  defaultCommand: run,
  version: () => versionOf(new URL('../../package.json', import.meta.url)),
  exitCodes: [
    { code: 0, help: 'after Ctrl-C' },
    { code: 1, help: 'it failed' },
    { code: 2, help: 'a flag, a variable or the config file is invalid' },
  ],
};
