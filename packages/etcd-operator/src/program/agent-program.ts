/** `etcd-operator agent …` as data: what the operator runs in the pods of backups and restores. */
import type { Command } from '@ecsm/command-line';
import type { AgentJob } from '../agent/job.ts';

const helps: Readonly<Record<AgentJob['do'], string>> = {
  backup: 'store a snapshot of a member',
  fetch: 'fetch a stored snapshot into a file',
  commit: 'put restored data into its place',
  check: 'compare a restored member with its backup',
  prune: 'delete stored backups',
};

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
    exitCodes: [
      { code: 0, help: 'the job is done' },
      { code: 1, help: 'it failed: the result says why' },
    ],
    load: async () => ({ run: (await import('./agent-commands.ts')).runAgent(name) }),
  };
}

export const agent: Command = {
  name: 'agent',
  help: 'internal: run one job of the operator in a pod',
  more:
    'Internal: the operator creates pods that run it. The job is the JSON document in AGENT_JOB, secrets are files below ' +
    '/etc/agent, and the result is written to AGENT_RESULT_FILE, by default /dev/termination-log.',
  examples: [],
  commands: [commandOf('backup'), commandOf('fetch'), commandOf('commit'), commandOf('check'), commandOf('prune')],
};
