/** `etcd-operator backup …` as data: backups without Kubernetes. */
import type { Command, Flag } from '@ecsm/command-line';

const storeFlags: readonly Flag[] = [
  {
    name: 'endpoint',
    value: 'URL',
    variable: 'AWS_ENDPOINT_URL',
    help: 'address of an S3-compatible store. Default: that of Amazon for the region',
  },
  { name: 'region', value: 'NAME', variable: 'AWS_REGION', help: 'region of the bucket. Default us-east-1' },
  { name: 'ca', value: 'FILE', help: 'certificate authorities of the endpoint, in PEM. Default: those of Node.js' },
];
const keyFlag: Flag = {
  name: 'encryption-key-file',
  value: 'FILE',
  help: 'key of an encrypted backup: 32 bytes, or these as 64 hexadecimal digits or in base64',
};
const outputFlag: Flag = {
  name: 'output',
  short: 'o',
  value: 'FORMAT',
  choices: ['table', 'json'],
  default: 'table',
  help: 'format of the output',
};
const exitCodes = [
  { code: 0, help: 'the backup is whole' },
  { code: 1, help: 'it is damaged, not the expected one, or cannot be read: the message says what to do' },
  { code: 2, help: 'a flag or an argument is invalid' },
];
const credentials =
  'Credentials of a bucket are read from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.';

export const backup: Command = {
  name: 'backup',
  help: 'verify, list and fetch backups of etcd, without Kubernetes',
  examples: [],
  commands: [
    {
      name: 'verify',
      help: 'check every byte of a backup, and print what it contains',
      more: `The location is a snapshot, a stored backup or its manifest: a file, or s3://BUCKET/KEY. ${credentials}`,
      words: 'LOCATION',
      flags: [...storeFlags, keyFlag, outputFlag],
      examples: [
        { help: 'a file of etcdctl snapshot save', line: 'etcd-operator backup verify snapshot.db' },
        { help: 'a stored backup', line: 'etcd-operator backup verify s3://backups/default/main/b.manifest.json' },
      ],
      exitCodes,
      load: async () => ({ run: (await import('./backup-commands.ts')).verify }),
    },
    {
      name: 'list',
      help: 'list the complete backups below a directory or a prefix',
      more: `The location is a directory, or s3://BUCKET/PREFIX. ${credentials}`,
      words: 'LOCATION',
      flags: [...storeFlags, outputFlag],
      examples: [{ help: 'of a bucket', line: 'etcd-operator backup list s3://backups/default/main/' }],
      exitCodes: [{ code: 1, help: 'the store cannot be read: the message says what to do' }],
      load: async () => ({ run: (await import('./backup-commands.ts')).list }),
    },
    {
      name: 'fetch',
      help: 'write the snapshot of a backup to a file: decrypted, decompressed and verified',
      more: `An existing file is not overwritten. "etcdutl snapshot restore" reads the file. ${credentials}`,
      words: 'LOCATION FILE',
      flags: [...storeFlags, keyFlag, outputFlag],
      examples: [
        {
          help: 'from a bucket',
          line: 'etcd-operator backup fetch s3://backups/default/main/b.manifest.json snapshot.db',
        },
      ],
      exitCodes,
      load: async () => ({ run: (await import('./backup-commands.ts')).fetch }),
    },
  ],
};
