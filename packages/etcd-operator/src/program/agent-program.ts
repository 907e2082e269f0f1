/**
 * `etcd-agent` as data: what the operator runs in the pods of backups and restores. It is a program of its own because it ends
 * soon: with the flags that make the operator small, Node.js compiles its own modules at every start.
 */
import { type Command, type Program, versionOf } from '@ecsm/command-line';
import type { AgentJob } from '../agent/job.ts';

const helps: Readonly<Record<AgentJob['do'], string>> = {
  backup: 'store a snapshot of a member',
  fetch: 'fetch a stored snapshot into a file',
  commit: 'put restored data into its place',
  check: 'compare a restored member with its backup',
  prune: 'delete stored backups',
};

const exitCodes = [
  { code: 0, help: 'the job is done' },
  { code: 1, help: 'it failed: the result says why' },
];

function commandOf(name: AgentJob['do']): Command {
  return {
    name,
    help: helps[name],
    flags: [
      {
        name: 'progress-port',
        value: 'PORT',
        default: '8080',
        help: 'port of GET /progress, on all addresses of the pod. off: no server',
      },
    ],
    examples: [],
    exitCodes,
    load: async () => ({ run: (await import('./agent-commands.ts')).runAgent(name) }),
  };
}

export const agentProgram: Program = {
  name: 'etcd-agent',
  help:
    'runs one job of etcd-operator, in a pod that it creates. The job is the JSON document in AGENT_JOB, secrets are files ' +
    'below /etc/agent, and the result is written to AGENT_RESULT_FILE, by default /dev/termination-log',
  examples: [],
  flags: [],
  version: () => versionOf(new URL('../../package.json', import.meta.url)),
  exitCodes,
  commands: [commandOf('backup'), commandOf('fetch'), commandOf('commit'), commandOf('check'), commandOf('prune')],
};
