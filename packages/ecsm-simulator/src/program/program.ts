/** `ecsm-sim` as data: its commands and flags. */
import { type Command, completionCommand, type Program, versionOf } from '@ecsm/command-line';
import { flags } from './flags.ts';

const simulate: Command = {
  name: 'ecsm-sim',
  says: 'simulate a platform until Ctrl-C',
  examples: [],
  flags,
  load: async () => ({ run: (await import('./commands.ts')).simulate }),
};

const call: Command = {
  name: 'call',
  says: 'make one call to a simulator that runs',
  examples: [
    { says: 'break something', line: 'ecsm-sim call POST /sim/nodes/node-1/cut' },
    { says: 'what else can be broken', line: 'ecsm-sim call GET /sim/' },
  ],
  words: '[METHOD] PATH [JSON]',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  flags: [{ name: 'to', value: 'URL', default: 'http://127.0.0.1:3001', says: 'the simulator' }],
  load: async () => ({ run: (await import('./commands.ts')).callOnce }),
};

export const program: Program = {
  name: 'ecsm-sim',
  says: 'a simulated ECSM platform to develop and test against',
  examples: [
    { says: 'three nodes on http://127.0.0.1:3001/api/v1', line: 'ecsm-sim' },
    { says: 'ten nodes, remembered from one run to the next', line: 'ecsm-sim --nodes 10 --state platform.json' },
    { says: 'a slow, lossy link', line: 'ecsm-sim --latency 800 --loss 5' },
    { says: 'a platform that behaves unexpectedly', line: 'ecsm-sim --profile contrary --set update=recreate' },
    { says: 'break something in the one that runs', line: 'ecsm-sim call POST /sim/nodes/node-1/cut' },
  ],
  flags: [],
  commands: [call, completionCommand('ecsm-sim')],
  defaultCommand: simulate,
  version: () => versionOf(new URL('../../package.json', import.meta.url)),
  exitCodes: [
    { code: 0, says: 'after Ctrl-C, and after a call that worked' },
    { code: 1, says: 'it could not run, or the call failed' },
    { code: 2, says: 'the command line or the state file is wrong' },
  ],
};
