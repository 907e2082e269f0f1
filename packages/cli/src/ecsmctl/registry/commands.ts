/** `backup`, `restore`, `export` and `registry`: the commands that look after a whole registry. */
import { type Command, type Completer, type Flag, filesMarker } from '@ecsm/command-line';
import { outputFlag, selectorFlag } from '../shared/flags.ts';

const group = 'Look after the registry';

const completeWords: Completer = async () => [filesMarker];

const timeoutFlag: Flag = {
  name: 'timeout',
  value: 'TIME',
  default: '1h',
  help: 'give up after this: 90s, 5m, 1h30m; 0 is for ever',
};
const overwriteFlag: Flag = { name: 'overwrite', help: 'replace FILE, once the new one is whole' };
const damagedFlag: Flag = { name: 'leave-out-damaged', help: 'go on without records that cannot be read' };
const startOverFlag: Flag = {
  name: 'start-over',
  help: 'also remove what others have written to a registry that is incomplete',
};

const backup: Command = {
  name: 'backup',
  help: 'save the whole registry in a file',
  more: 'A backup is the registry as of one moment, while others go on writing: every object of every kind, with its status and history of identity. It is text, one line an object, and every line is protected by a checksum. It holds passwords as they are. A file is written whole or not at all.',
  examples: [
    { help: 'everything, into one file', line: 'ecsmctl backup fleet.backup' },
    { help: 'compressed', line: 'ecsmctl backup - | gzip > fleet.backup.gz' },
  ],
  group,
  words: 'FILE|-',
  completeWords,
  flags: [overwriteFlag, damagedFlag, timeoutFlag],
  load: () => import('./backup.ts'),
};

const restore: Command = {
  name: 'restore',
  help: 'put a backup into an empty registry',
  more: 'The backup is verified before anything is written, and what was written is read back and compared. Nothing is ever overwritten. One that was interrupted is repeated with the same command. Objects keep their identity, so the services on the platform stay theirs; leases are left out. No operator may work on the registry meanwhile.',
  examples: [
    { help: 'only verify it', line: 'ecsmctl restore fleet.backup --dry-run' },
    { help: 'into a new registry', line: 'ecsmctl restore fleet.backup --registry sqlite:./restored' },
  ],
  group,
  words: 'FILE|-',
  completeWords,
  flags: [{ name: 'dry-run', help: 'verify the backup, and restore nothing' }, startOverFlag, timeoutFlag],
  load: () => import('./restore.ts'),
};

const exportCommand: Command = {
  name: 'export',
  help: 'write all objects as manifests that apply takes back',
  more: 'Only what people have written, of all namespaces unless -n says which: no status, no identity, no revisions, events or leases. To move a registry with its history and its hold on the platform, use backup or "registry migrate". Passwords are in it as they are, except on a terminal.',
  examples: [
    { help: 'everything, into one file', line: 'ecsmctl export fleet.yaml' },
    { help: 'some of it, for another tool', line: 'ecsmctl export -l app=telemetry -o json' },
  ],
  group,
  words: '[FILE|-]',
  completeWords,
  flags: [
    { ...outputFlag, help: 'yaml or json. Default yaml', complete: async () => ['yaml', 'json'] },
    selectorFlag,
    overwriteFlag,
    timeoutFlag,
  ],
  load: () => import('./export.ts'),
};

const status: Command = {
  name: 'status',
  help: 'show what the registry holds, and what is wrong with it',
  examples: [
    { help: 'sizes and problems', line: 'ecsmctl registry status' },
    { help: 'for a program', line: 'ecsmctl registry status -o json' },
  ],
  flags: [
    { ...outputFlag, help: 'table, yaml or json', complete: async () => ['table', 'yaml', 'json'] },
    { ...timeoutFlag, default: '5m' },
  ],
  exitCodes: [{ code: 1, help: 'something is wrong: records are damaged, files refused, or it is incomplete' }],
  load: () => import('./status.ts'),
};

const compact: Command = {
  name: 'compact',
  help: 'forget the history of changes',
  more: 'Objects stay as they are. Who watches and is behind reads everything again. Stores compact themselves, so this is for those who want the room at once.',
  examples: [{ help: 'all of it', line: 'ecsmctl registry compact' }],
  flags: [{ name: 'revision', value: 'N', help: 'only before this revision. Default the newest' }],
  load: () => import('./compact.ts'),
};

const migrate: Command = {
  name: 'migrate',
  help: 'copy the whole registry to another place',
  more: 'From sqlite:, file: and etcd:// to each of them. Stop the operator first. The target has to be empty; everything is read back and compared, and the source stays as it is. One that was interrupted is repeated with the same command. Then start the operator with the new URL.',
  examples: [{ help: 'into readable files', line: 'ecsmctl registry migrate --to file:./fleet' }],
  flags: [
    {
      name: 'to',
      value: 'URL',
      help: 'where to: sqlite:DIR, file:DIR or etcd://HOST:PORT/PREFIX',
      complete: async () => ['sqlite:', 'file:', 'etcd://', 'etcds://'],
    },
    damagedFlag,
    startOverFlag,
    timeoutFlag,
  ],
  exitCodes: [{ code: 1, help: 'it did not work, or the source was written to meanwhile' }],
  load: () => import('./migrate.ts'),
};

export const registryCommands: readonly Command[] = [
  backup,
  restore,
  exportCommand,
  {
    name: 'registry',
    help: 'show, compact or move the registry',
    examples: [
      { help: 'what it holds', line: 'ecsmctl registry status' },
      { help: 'without its history', line: 'ecsmctl registry compact' },
    ],
    group,
    commands: [status, compact, migrate],
  },
];
