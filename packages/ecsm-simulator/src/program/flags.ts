/** Every option of the program in one table, from which the help is made. */
import { profileNames } from '../control/behaviour.ts';

export interface Flag {
  readonly name: string;
  /** What stands for its value in the help; absent: it takes none. */
  readonly value?: string;
  readonly repeats?: boolean;
  /** With default and unit. */
  readonly says: string;
}

export const flags: readonly Flag[] = [
  {
    name: 'listen',
    value: 'HOST:PORT',
    says: 'where to listen; port 0 takes any free one. Default 127.0.0.1:3001',
  },
  {
    name: 'allow-remote',
    says: 'allow an address that other machines can reach. Anybody may then do anything to the simulator',
  },
  { name: 'nodes', value: 'N', says: 'how many nodes there are at the start. Default 3' },
  { name: 'services', value: 'N', says: 'how many services are deployed at the start, for tests of scale. Default 0' },
  { name: 'seed', value: 'N', says: 'all chance follows from it: the same seed and calls, the same run. Default 1' },
  { name: 'latency', value: 'MS', says: 'how long each call is on its way, in milliseconds. Default 0' },
  { name: 'loss', value: 'PERCENT', says: 'how many requests never arrive, in percent. Default 0' },
  {
    name: 'profile',
    value: 'NAME',
    says: `how the platform behaves where nobody knows: ${profileNames.join(', ')}. Default likely`,
  },
  {
    name: 'set',
    value: 'SWITCH=VALUE',
    repeats: true,
    says: 'one of the switches of a profile, as GET /sim/behaviour lists them; may be repeated. Default none',
  },
  {
    name: 'state',
    value: 'FILE',
    says: 'keep the state in this file, and go on from it if it is there; nodes, services and seed are then its own. Default: keep nothing',
  },
  { name: 'log-format', value: 'FORMAT', says: 'readable or json. Default readable' },
  { name: 'quiet', says: 'say only where it listens, and what goes wrong' },
  { name: 'version', says: 'print the version and end' },
  { name: 'help', says: 'print this and end' },
];

const width = 24;

export function helpText(): string {
  const lines = flags.map(({ name, value, says }) => {
    const flag = `--${name}${value === undefined ? '' : ` ${value}`}`;
    return `  ${flag.padEnd(width)}${says}`;
  });
  return `ecsm-sim: a simulated ECSM platform to develop and test against

Examples:
  ecsm-sim                                        three nodes on http://127.0.0.1:3001/api/v1
  ecsm-sim --nodes 10 --state platform.json       ten nodes, remembered from one run to the next
  ecsm-sim --latency 800 --loss 5                 a slow, lossy link
  ecsm-sim --profile contrary --set update=recreate
  ecsm-sim call POST /sim/nodes/node-1/cut        break something in the one that runs
  ecsm-sim call GET /sim/                         what else can be broken

Usage:
  ecsm-sim [OPTIONS]
  ecsm-sim call [METHOD] PATH [JSON] [--to URL]   one call to a simulator; by default to http://127.0.0.1:3001

Options:
${lines.join('\n')}

Ends with 0 after Ctrl-C, 1 if it could not run, 2 if the options or the state file make no sense.
`;
}
