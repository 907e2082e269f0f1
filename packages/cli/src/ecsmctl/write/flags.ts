/** Flags shared by the commands that write. */
import type { Flag } from '@ecsm/command-line';

export const timeoutFlag: Flag = {
  name: 'timeout',
  value: 'TIME',
  default: '5m',
  help: 'timeout of --wait, such as 90s, 5m or 1h30m; 0 means no timeout',
};

export const allFlag: Flag = { name: 'all', help: 'all objects of the kind in the namespace' };

export const nameOutputFlag: Flag = {
  name: 'output',
  short: 'o',
  value: 'FORMAT',
  choices: ['name'],
  help: 'print only KIND/NAME',
};
