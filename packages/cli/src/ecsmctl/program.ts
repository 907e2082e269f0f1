/** ecsmctl, as data: its commands and the flags that all of them take. What a command does is loaded when it is called. */
import { completionCommand, type Program, verboseFlag } from '@ecsm/command-line';
import { otherCommands, readCommands } from './read/commands.ts';
import { registryCommands } from './registry/commands.ts';
import { rolloutCommands } from './rollout/commands.ts';
import { globalFlags } from './shared/flags.ts';
import { writeCommands } from './write/commands.ts';

export const ecsmctl: Program = {
  name: 'ecsmctl',
  says: 'says what should run on an ECSM platform, and shows what does',
  examples: [
    { says: 'what there is', line: 'ecsmctl get services -A' },
    { says: 'all about one of them', line: 'ecsmctl describe service telemetry' },
    { says: 'which fields a service has', line: 'ecsmctl explain service.spec' },
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
