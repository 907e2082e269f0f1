/** ecsmctl as data: its commands and global flags. The implementation of a command is loaded when the command is called. */
import { completionCommand, type Program, verboseFlag } from '@ecsm/command-line';
import { accessCommands } from './access/commands.ts';
import { otherCommands, readCommands } from './read/commands.ts';
import { registryCommands } from './registry/commands.ts';
import { rolloutCommands } from './rollout/commands.ts';
import { globalFlags } from './shared/flags.ts';
import { writeCommands } from './write/commands.ts';

export const ecsmctl: Program = {
  name: 'ecsmctl',
  help: 'declare which services run on an ECSM platform, and inspect them',
  examples: [
    { help: 'list services in all namespaces', line: 'ecsmctl get services -A' },
    { help: 'show details of one service', line: 'ecsmctl describe service telemetry' },
    { help: 'list the fields of a service', line: 'ecsmctl explain service.spec' },
  ],
  flags: [...globalFlags, verboseFlag],
  commands: [
    ...readCommands,
    ...writeCommands,
    ...rolloutCommands,
    ...registryCommands,
    ...accessCommands,
    ...otherCommands,
    { ...completionCommand('ecsmctl'), group: 'Other' },
  ],
};
