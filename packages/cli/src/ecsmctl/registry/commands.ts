/** Commands for a whole registry, as data: `backup`, `restore`, `export` and `registry`. */
import { type Command, type Completer, type Flag, filesMarker } from '@ecsm/command-line';
import { outputFlag, selectorFlag } from '../shared/flags.ts';

const group = 'Maintain the registry';

const completeWords: Completer = async () => [filesMarker];

const timeoutFlag: Flag = {
  name: 'timeout',
  value: 'TIME',
  default: '1h',
  help: 'timeout, such as 90s, 5m or 1h30m; 0 means no timeout',
};
const overwriteFlag: Flag = { name: 'overwrite', help: 'replace FILE if it exists, atomically' };
const damagedFlag: Flag = { name: 'leave-out-damaged', help: 'skip records that cannot be read' };
const startOverFlag: Flag = {
  name: 'start-over',
  help: 'clear an incomplete registry even if it holds objects written by others',
};

const backup: Command = {
  name: 'backup',
  help: 'save the whole registry to a file',
  more: 'A backup is a consistent snapshot, taken while others may write: every object of every kind, with status and uid. It is a text file with one object and one checksum per line. It contains passwords in plain text. The file is written atomically.',
  examples: [
    { help: 'back up everything to a file', line: 'ecsmctl backup fleet.backup' },
    { help: 'compress the backup', line: 'ecsmctl backup - | gzip > fleet.backup.gz' },
  ],
  group,
  words: 'FILE|-',
  completeWords,
  flags: [overwriteFlag, damagedFlag, timeoutFlag],
  load: () => import('./backup.ts'),
};

const restore: Command = {
  name: 'restore',
  help: 'restore a backup into an empty registry',
  more: 'The backup is verified before anything is written; restored objects are read back and compared. Existing objects are never overwritten. Repeat the same command after an interruption. Objects keep their uid, so they still own their services on the platform; leases are omitted. No operator may use the registry during the restore.',
  examples: [
    { help: 'verify the backup only', line: 'ecsmctl restore fleet.backup --dry-run' },
    { help: 'restore into a new registry', line: 'ecsmctl restore fleet.backup --registry sqlite:./restored' },
  ],
  group,
  words: 'FILE|-',
  completeWords,
  flags: [{ name: 'dry-run', help: 'verify the backup without restoring it' }, startOverFlag, timeoutFlag],
  load: () => import('./restore.ts'),
};

const exportCommand: Command = {
  name: 'export',
  help: 'export all objects as manifests for apply',
  more: 'Exports user-written fields of all namespaces, or of the one given with -n: no status, uid, revisions, events or leases. To move a registry with revisions and ownership of platform services, use backup or "registry migrate". Passwords are exported in plain text, except on a terminal.',
  examples: [
    { help: 'export everything to a file', line: 'ecsmctl export fleet.yaml' },
    { help: 'export selected objects as JSON', line: 'ecsmctl export -l app=telemetry -o json' },
  ],
  group,
  words: '[FILE|-]',
  completeWords,
  flags: [
    { ...outputFlag, help: 'output format: yaml or json. Default yaml', complete: async () => ['yaml', 'json'] },
    selectorFlag,
    overwriteFlag,
    timeoutFlag,
  ],
  load: () => import('./export.ts'),
};

const status: Command = {
  name: 'status',
  help: 'show the size and the problems of the registry',
  examples: [
    { help: 'show sizes and problems', line: 'ecsmctl registry status' },
    { help: 'print JSON, for a script', line: 'ecsmctl registry status -o json' },
  ],
  flags: [
    { ...outputFlag, help: 'output format: table, yaml or json', complete: async () => ['table', 'yaml', 'json'] },
    { ...timeoutFlag, default: '5m' },
  ],
  exitCodes: [
    { code: 1, help: 'the registry has problems: damaged records, rejected files, or an incomplete transfer' },
  ],
  load: () => import('./status.ts'),
};

const compact: Command = {
  name: 'compact',
  help: 'discard the history of changes',
  more: 'Objects are not changed. Watches that lag behind have to relist. Stores compact themselves; use this command to free space immediately.',
  examples: [{ help: 'discard all history', line: 'ecsmctl registry compact' }],
  flags: [{ name: 'revision', value: 'N', help: 'discard history before this revision. Default: the newest' }],
  load: () => import('./compact.ts'),
};

const migrate: Command = {
  name: 'migrate',
  help: 'copy the whole registry to another store',
  more: 'Copies between any two of sqlite:, file: and etcd://. Stop the operator first. The target must be empty; all objects are read back and compared, and the source is not changed. Repeat the same command after an interruption. Then start the operator with the new URL.',
  examples: [{ help: 'migrate to a file registry', line: 'ecsmctl registry migrate --to file:./fleet' }],
  flags: [
    {
      name: 'to',
      value: 'URL',
      help: 'target URL: sqlite:DIR, file:DIR or etcd://HOST:PORT/PREFIX',
      complete: async () => ['sqlite:', 'file:', 'etcd://', 'etcds://'],
    },
    damagedFlag,
    startOverFlag,
    timeoutFlag,
  ],
  exitCodes: [{ code: 1, help: 'the migration failed, or the source changed during the migration' }],
  load: () => import('./migrate.ts'),
};

export const registryCommands: readonly Command[] = [
  backup,
  restore,
  exportCommand,
  {
    name: 'registry',
    help: 'inspect, compact or migrate the registry',
    examples: [
      { help: 'show sizes and problems', line: 'ecsmctl registry status' },
      { help: 'discard the history of changes', line: 'ecsmctl registry compact' },
    ],
    group,
    commands: [status, compact, migrate],
  },
];
