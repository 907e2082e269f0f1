/** `ecsm-cli`: manages the platform directly. Commands are data; their code is loaded when they are called. */
import { type Program, verboseFlag } from '@ecsm/command-line';
import { changeCommands } from './change-commands.ts';
import { platformFlags } from './flags.ts';
import { otherCommands } from './other-commands.ts';
import { readCommands } from './read-commands.ts';

export const ecsmCli: Program = {
  name: 'ecsm-cli',
  help: 'inspect and change an ECSM platform',
  examples: [
    { help: 'list services', line: 'ecsm-cli get services' },
    { help: 'show one of them', line: 'ecsm-cli describe service telemetry' },
    { help: 'show resource usage of nodes, live', line: 'ecsm-cli top nodes' },
    { help: 'scale a service', line: 'ecsm-cli scale telemetry --replicas 3' },
    { help: 'use another platform', line: 'ECSMCLI_HOST=127.0.0.1 ecsm-cli get nodes' },
  ],
  flags: [...platformFlags, verboseFlag],
  commands: [...readCommands, ...changeCommands, ...otherCommands],
};
