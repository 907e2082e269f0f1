/** The flags of the simulator. */
import type { Flag } from '@ecsm/command-line';
import { profileNames } from '../control/behaviour.ts';

export const flags: readonly Flag[] = [
  {
    name: 'listen',
    value: 'HOST:PORT',
    default: '127.0.0.1:3001',
    help: 'listen address; port 0 is any free port',
  },
  {
    name: 'allow-remote',
    help: 'allow an address that other machines can reach; the simulator has no authentication',
  },
  { name: 'nodes', value: 'N', default: '3', help: 'number of nodes at the start' },
  {
    name: 'services',
    value: 'N',
    default: '0',
    help: 'number of services deployed at the start, for scale tests',
  },
  { name: 'seed', value: 'N', default: '1', help: 'random seed: the same seed and calls give the same run' },
  { name: 'latency', value: 'MS', default: '0', help: 'latency of each call, in milliseconds' },
  { name: 'loss', value: 'PERCENT', default: '0', help: 'percentage of lost requests' },
  {
    name: 'profile',
    value: 'NAME',
    choices: profileNames,
    help: 'behaviour where the platform is not documented (default likely)',
  },
  {
    name: 'set',
    value: 'SWITCH=VALUE',
    repeats: true,
    help: 'set one switch of the profile; GET /sim/behaviour lists them',
  },
  {
    name: 'state',
    value: 'FILE',
    help: 'save the state to this file, and restore it at the start; --nodes, --services and --seed then have no effect. Default: not saved',
  },
  {
    name: 'log-format',
    value: 'FORMAT',
    choices: ['readable', 'json'],
    default: 'readable',
    help: 'format of the log',
  },
  { name: 'quiet', help: 'log only warnings and errors' },
];
