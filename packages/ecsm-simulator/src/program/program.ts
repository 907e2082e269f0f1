/** The commands and flags of `ecsm-sim`. */
import { type Command, completionCommand, type Program, versionOf } from '@ecsm/command-line';
import { flags } from './flags.ts';

const simulate: Command = {
  name: 'ecsm-sim',
  help: 'run a simulated platform until Ctrl-C',
  examples: [],
  flags,
  load: async () => ({ run: (await import('./commands.ts')).simulate }),
};

const call: Command = {
  name: 'call',
  help: 'send one call to a running simulator',
  examples: [
    { help: 'inject a fault', line: 'ecsm-sim call POST /sim/nodes/node-1/cut' },
    { help: 'list all faults and other controls', line: 'ecsm-sim call GET /sim/' },
  ],
  words: '[METHOD] PATH [JSON]',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  flags: [{ name: 'to', value: 'URL', default: 'http://127.0.0.1:3001', help: 'URL of the simulator' }],
  load: async () => ({ run: (await import('./commands.ts')).callOnce }),
};

export const program: Program = {
  name: 'ecsm-sim',
  help: 'a simulated ECSM platform for development and tests',
  examples: [
    { help: 'three nodes on http://127.0.0.1:3001/api/v1', line: 'ecsm-sim' },
    { help: 'ten nodes, with the state kept between runs', line: 'ecsm-sim --nodes 10 --state platform.json' },
    { help: 'a slow, lossy link', line: 'ecsm-sim --latency 800 --loss 5' },
    { help: 'a platform with unexpected behaviour', line: 'ecsm-sim --profile contrary --set update=recreate' },
    { help: 'inject a fault into a running simulator', line: 'ecsm-sim call POST /sim/nodes/node-1/cut' },
  ],
  flags: [],
  commands: [call, completionCommand('ecsm-sim')],
  defaultCommand: simulate,
  version: () => versionOf(new URL('../../package.json', import.meta.url)),
  exitCodes: [
    { code: 0, help: 'stopped with Ctrl-C, or the call succeeded' },
    { code: 1, help: 'the simulator could not run, or the call failed' },
    { code: 2, help: 'the command line or the state file is invalid' },
  ],
};
