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

/** The connection to the platform. The same names as the flags of ecsm-operator. */
export const platformFlags: readonly Flag[] = [
  {
    name: 'ecsm',
    value: 'URL',
    variable: 'ECSM_URL',
    default: 'http://127.0.0.1:3001',
    help: 'with --live: URL of the platform, http:// or https://',
  },
  {
    name: 'header',
    value: "'NAME: VALUE'",
    variable: 'ECSM_HEADER',
    repeats: true,
    secret: true,
    help: 'with --live: HTTP header of every platform request, for authentication. Other users of this machine can see flags, but not variables',
  },
  {
    name: 'tls-ca',
    value: 'FILE',
    variable: 'ECSM_TLS_CA',
    help: 'with --live: CA certificate in PEM, used instead of the CA certificates of the system',
  },
];
