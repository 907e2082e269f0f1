/** `ecsm-cli`: the platform by hand. Commands are data here; what they do is loaded when they are called. */
import { type Program, verboseFlag } from '@ecsm/command-line';
import { changeCommands } from './change-commands.ts';
import { platformFlags } from './flags.ts';
import { otherCommands } from './other-commands.ts';
import { readCommands } from './read-commands.ts';

export const ecsmCli: Program = {
  name: 'ecsm-cli',
  help: 'look at an ECSM platform and change it by hand',
  examples: [
    { help: 'what runs', line: 'ecsm-cli get services' },
    { help: 'all about one of them', line: 'ecsm-cli describe service telemetry' },
    { help: 'what nodes use, live', line: 'ecsm-cli top nodes' },
    { help: 'more instances of it', line: 'ecsm-cli scale telemetry --replicas 3' },
    { help: 'of a platform elsewhere', line: 'ECSMCLI_HOST=127.0.0.1 ecsm-cli get nodes' },
  ],
  flags: [...platformFlags, verboseFlag],
  commands: [...readCommands, ...changeCommands, ...otherCommands],
};
