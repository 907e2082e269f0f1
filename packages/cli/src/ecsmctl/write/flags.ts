/** Flags of the commands that write, said once. */
import type { Flag } from '@ecsm/command-line';

export const dryRunFlag: Flag = {
  name: 'dry-run',
  value: 'MODE',
  withoutValue: 'server',
  choices: ['none', 'client', 'server'],
  help: 'write nothing, and say what would be done (client and server are the same here)',
};

export const timeoutFlag: Flag = {
  name: 'timeout',
  value: 'TIME',
  default: '5m',
  help: 'give up waiting after this time, such as 90s or 1h30m; 0 is for ever',
};

export const allFlag: Flag = { name: 'all', help: 'all objects of the kind in the namespace' };

export const nameOutputFlag: Flag = {
  name: 'output',
  short: 'o',
  value: 'FORMAT',
  choices: ['name'],
  help: 'print only KIND/NAME',
};

/** Where the platform is, for those who ask it themselves. As ecsm-operator calls them. */
export const platformFlags: readonly Flag[] = [
  {
    name: 'ecsm',
    value: 'URL',
    variable: 'ECSM_URL',
    default: 'http://127.0.0.1:3001',
    help: 'with --live: the platform, with http:// or https://',
  },
  {
    name: 'header',
    value: "'NAME: VALUE'",
    variable: 'ECSM_HEADER',
    repeats: true,
    secret: true,
    help: 'with --live: sent with every call to the platform, for authentication. Others on this machine can see a flag, but not a variable',
  },
  {
    name: 'tls-ca',
    value: 'FILE',
    variable: 'ECSM_TLS_CA',
    help: 'with --live: trust the certificates that this one has signed, in PEM, instead of those that the system trusts',
  },
];
