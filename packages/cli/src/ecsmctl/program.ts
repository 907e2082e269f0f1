/** ecsmctl, as data: its commands and the flags that all of them take. What a command does is loaded when it is called. */
import { completionCommand, type Program, verboseFlag } from '@ecsm/command-line';
import { otherCommands, readCommands } from './read/commands.ts';
import { registryCommands } from './registry/commands.ts';
import { rolloutCommands } from './rollout/commands.ts';
import { globalFlags } from './shared/flags.ts';
import { writeCommands } from './write/commands.ts';

export const ecsmctl: Program = {
  name: 'ecsmctl',
  help: 'says what should run on an ECSM platform, and shows what does',
  examples: [
    { help: 'what there is', line: 'ecsmctl get services -A' },
    { help: 'all about one of them', line: 'ecsmctl describe service telemetry' },
    { help: 'which fields a service has', line: 'ecsmctl explain service.spec' },
  ],
  flags: [...globalFlags, verboseFlag],
  commands: [
    ...readCommands,
    ...writeCommands,
    ...rolloutCommands,
    ...registryCommands,
    ...otherCommands,
    { ...completionCommand('ecsmctl'), group: 'Other' },
  ],
};
