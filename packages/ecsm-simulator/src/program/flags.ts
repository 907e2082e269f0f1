/** Every flag of the simulator in one table. */
import type { Flag } from '@ecsm/command-line';
import { profileNames } from '../control/behaviour.ts';

export const flags: readonly Flag[] = [
  {
    name: 'listen',
    value: 'HOST:PORT',
    default: '127.0.0.1:3001',
    help: 'where to listen; port 0 takes any free one',
  },
  {
    name: 'allow-remote',
    help: 'allow an address that other machines can reach. Anybody may then do anything to the simulator',
  },
  { name: 'nodes', value: 'N', default: '3', help: 'how many nodes there are at the start' },
  {
    name: 'services',
    value: 'N',
    default: '0',
    help: 'how many services are deployed at the start, for tests of scale',
  },
  { name: 'seed', value: 'N', default: '1', help: 'all chance follows from it: the same seed and calls, the same run' },
  { name: 'latency', value: 'MS', default: '0', help: 'how long each call is on its way, in milliseconds' },
  { name: 'loss', value: 'PERCENT', default: '0', help: 'how many requests never arrive, in percent' },
  {
    name: 'profile',
    value: 'NAME',
    choices: profileNames,
    help: 'how the platform behaves where its documentation is silent (default likely)',
  },
  {
    name: 'set',
    value: 'SWITCH=VALUE',
    repeats: true,
    help: 'one of the switches of a profile, as GET /sim/behaviour lists them',
  },
  {
    name: 'state',
    value: 'FILE',
    help: 'keep the state in this file, and go on from it if it is there; nodes, services and seed are then its own. Default: keep nothing',
  },
  {
    name: 'log-format',
    value: 'FORMAT',
    choices: ['readable', 'json'],
    default: 'readable',
    help: 'format of the log',
  },
  { name: 'quiet', help: 'say only where it listens, and what goes wrong' },
];
