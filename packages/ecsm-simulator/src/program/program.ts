/** `ecsm-sim` as data: its commands and flags. */
import { type Command, completionCommand, type Program, versionOf } from '@ecsm/command-line';
import { flags } from './flags.ts';

const simulate: Command = {
  name: 'ecsm-sim',
  help: 'simulate a platform until Ctrl-C',
  examples: [],
  flags,
  load: async () => ({ run: (await import('./commands.ts')).simulate }),
};

const call: Command = {
  name: 'call',
  help: 'make one call to a simulator that runs',
  examples: [
    { help: 'break something', line: 'ecsm-sim call POST /sim/nodes/node-1/cut' },
    { help: 'what else can be broken', line: 'ecsm-sim call GET /sim/' },
  ],
  words: '[METHOD] PATH [JSON]',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  flags: [{ name: 'to', value: 'URL', default: 'http://127.0.0.1:3001', help: 'the simulator' }],
  load: async () => ({ run: (await import('./commands.ts')).callOnce }),
};

export const program: Program = {
  name: 'ecsm-sim',
  help: 'a simulated ECSM platform to develop and test against',
  examples: [
    { help: 'three nodes on http://127.0.0.1:3001/api/v1', line: 'ecsm-sim' },
    { help: 'ten nodes, remembered from one run to the next', line: 'ecsm-sim --nodes 10 --state platform.json' },
    { help: 'a slow, lossy link', line: 'ecsm-sim --latency 800 --loss 5' },
    { help: 'a platform that behaves unexpectedly', line: 'ecsm-sim --profile contrary --set update=recreate' },
    { help: 'break something in the one that runs', line: 'ecsm-sim call POST /sim/nodes/node-1/cut' },
  ],
  flags: [],
  commands: [call, completionCommand('ecsm-sim')],
  defaultCommand: simulate,
  version: () => versionOf(new URL('../../package.json', import.meta.url)),
  exitCodes: [
    { code: 0, help: 'after Ctrl-C, and after a call that worked' },
    { code: 1, help: 'it could not run, or the call failed' },
    { code: 2, help: 'the command line or the state file is wrong' },
  ],
};
