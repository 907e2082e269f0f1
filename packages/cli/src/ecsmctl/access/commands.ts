/** Commands for the users of the Kubernetes API, as data: `token`, `kubeconfig` and `auth`. */
import { type Command, type Flag, filesMarker } from '@ecsm/command-line';
import { allNamespacesFlag, outputFlag } from '../shared/flags.ts';

const group = 'Manage access';

const completeFiles = async () => [filesMarker];

/** What `newTokenOf` reads. */
const tokenFlags: readonly Flag[] = [
  { name: 'user', value: 'NAME', help: 'name of the user; required' },
  { name: 'group', value: 'GROUP', repeats: true, help: 'group of the user' },
  { name: 'expires', value: 'TIME', default: '2160h', help: 'validity, such as 12h or 720h; at most 87600h' },
  { name: 'description', value: 'TEXT', help: 'what the token is for' },
];

const create: Command = {
  name: 'create',
  help: 'create a token and print it, once',
  more: 'Only a hash of the token is stored: it cannot be shown again. The output is the token only; its id, user and expiry are printed as a message. A token has the permissions that roles and bindings give to its user and groups.',
  examples: [
    { help: 'a token for a user', line: 'ecsmctl token create --user jane' },
    {
      help: 'a token for a program, for 30 days',
      line: 'ecsmctl token create --user backup --group system:monitoring --expires 720h > backup.token',
    },
  ],
  flags: tokenFlags,
  load: () => import('./token-create.ts'),
};

const list: Command = {
  name: 'list',
  help: 'list tokens, without their secrets',
  examples: [
    { help: 'list all tokens', line: 'ecsmctl token list' },
    { help: 'print JSON, for a script', line: 'ecsmctl token list -o json' },
  ],
  flags: [
    {
      ...outputFlag,
      help: 'output format: table, yaml, json or name',
      complete: async () => ['table', 'yaml', 'json', 'name'],
    },
  ],
  load: () => import('./token-list.ts'),
};

const revoke: Command = {
  name: 'revoke',
  help: 'revoke tokens',
  more: 'Servers reject a revoked token after at most 2 seconds. A revocation cannot be undone.',
  examples: [{ help: 'revoke all tokens', line: 'ecsmctl token revoke $(ecsmctl token list -o name)' }],
  words: 'ID...',
  exitCodes: [{ code: 1, help: 'a token does not exist; the others are revoked' }],
  load: () => import('./token-revoke.ts'),
};

const kubeconfig: Command = {
  name: 'kubeconfig',
  help: 'write a kubeconfig for a user, with a new token',
  more: 'kubectl and other clients of Kubernetes can use the file as it is. It contains the token and the certificate of the CA of the server, and the namespace if -n is set.',
  examples: [
    { help: 'a kubeconfig for a user', line: 'ecsmctl kubeconfig --user jane --out jane.kubeconfig' },
    {
      help: 'for a client on another machine',
      line: 'ecsmctl kubeconfig --user jane --server https://site-7.example.com:6443 --out jane.kubeconfig',
    },
  ],
  group,
  flags: [
    ...tokenFlags,
    { name: 'server', value: 'URL', default: 'https://127.0.0.1:6443', help: 'URL of the server for the client' },
    {
      name: 'certificate-authority',
      value: 'FILE',
      help: 'certificate of the CA of the server. Default $ECSM_HOME/pki/ca.crt',
      complete: completeFiles,
    },
    { name: 'out', value: 'FILE', help: 'file to write. Default: standard output', complete: completeFiles },
    { name: 'force', help: 'replace FILE if it exists, atomically' },
  ],
  load: () => import('./kubeconfig.ts'),
};

const canI: Command = {
  name: 'can-i',
  help: 'print whether a user may do something: yes or no',
  more: 'Evaluates the roles and bindings in the registry. Without --as the user is the administrator of this machine, who may do everything. VERB is get, list, watch, create, update, patch, delete or deletecollection. A TYPE that starts with "/" is a path of the server.',
  examples: [
    { help: 'as yourself', line: 'ecsmctl auth can-i delete services' },
    { help: 'as another user, in a namespace', line: 'ecsmctl auth can-i update services --as jane -n orbit' },
  ],
  words: 'VERB TYPE[/NAME]',
  flags: [
    { name: 'as', value: 'USER', help: 'user to check' },
    { name: 'as-group', value: 'GROUP', repeats: true, help: 'with --as: group of the user' },
    { name: 'subresource', value: 'NAME', help: 'subresource, such as scale or status' },
    { ...allNamespacesFlag, help: 'check all namespaces at once' },
  ],
  exitCodes: [
    { code: 0, help: 'yes' },
    { code: 1, help: 'no' },
  ],
  load: () => import('./can-i.ts'),
};

export const accessCommands: readonly Command[] = [
  {
    name: 'token',
    help: 'create, list or revoke tokens of the Kubernetes API',
    examples: [{ help: 'a token for a user', line: 'ecsmctl token create --user jane' }],
    group,
    commands: [create, list, revoke],
  },
  kubeconfig,
  {
    name: 'auth',
    help: 'check permissions',
    examples: [{ help: 'as yourself', line: 'ecsmctl auth can-i delete services' }],
    group,
    commands: [canI],
  },
];
