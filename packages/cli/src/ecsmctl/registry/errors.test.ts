/** What is said when people get `backup`, `restore`, `export` or `registry` wrong, or have a backup that is damaged. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { type ErrorCase, expectErrors, prepared } from '../shared/errors.kit.ts';

const backupErrors: readonly ErrorCase[] = [
  ['backup', 2, 'backup needs FILE|-: ecsmctl backup FILE|-'],
  ['backup a b', 2, 'unexpected argument "b": ecsmctl backup FILE|-'],
  ['backup taken.backup', 1, 'taken.backup already exists and is not overwritten'],
  ['backup /nowhere/at/all/x.backup', 1, '/nowhere/at/all/x.backup cannot be written: its directory does not exist'],
  ['backup .', 1, '. already exists and is not overwritten'],
  ['backup fleet.backup --timeout x', 2, '--timeout has to be a time such as 90s, 5m or 1h30m, not "x"'],
  ['backup - --overwrite', 2, '--overwrite cannot be used with standard output (-)'],
  ['backup fleet.backup --force', 2, 'unknown flag --force.'],
  [
    'backup fleet.backup --registry sqlite:/nowhere/at/all',
    1,
    'there is no registry at sqlite:/nowhere/at/all yet: "ecsmctl apply" creates one',
  ],
  [
    'backup fleet.backup --registry etcd://',
    2,
    '--registry: registry URL "etcd://": it has to be etcd://host:2379[,host:2379]/prefix',
  ],
  ['restore', 2, 'restore needs FILE|-: ecsmctl restore FILE|-'],
  ['restore missing.backup', 1, 'there is no file "missing.backup"'],
  ['restore .', 1, '. is a directory'],
  ['restore -', 2, 'standard input is a terminal: name a file'],
  ['restore empty.backup', 1, 'empty.backup:1:1: it is empty'],
  [
    'restore text.backup',
    1,
    'text.backup:1:1: it is not a backup of a registry: its first line has no "format":"ecsm-registry-backup"',
  ],
  [
    'restore json.backup',
    1,
    'json.backup:1:1: it is not a backup of a registry: its first line has no "format":"ecsm-registry-backup"',
  ],
  ['restore gzip.backup', 1, 'gzip.backup:1:1: it is compressed with gzip: unpack it first'],
  [
    'restore utf16.backup',
    1,
    'utf16.backup:1:1: it is UTF-16 text, and a backup is UTF-8: was it redirected by a shell that changes encodings?',
  ],
  [
    'restore binary.backup',
    1,
    'binary.backup:1:1: it is UTF-16 text, and a backup is UTF-8: was it redirected by a shell that changes encodings?',
  ],
  ['restore version.backup', 1, 'version.backup:1:1: its format version is 2, but only 1 is supported'],
  ['restore cut.backup', 1, 'cut.backup is damaged: it was truncated at line 6: its end is missing'],
  ['restore cutline.backup', 1, 'cutline.backup is damaged: it was truncated at line 2: its end is missing'],
  [
    'restore flipped.backup',
    1,
    'line 5 of flipped.backup is damaged: its checksum does not match: it was changed, or lines before it are missing',
  ],
  ['restore header.backup', 1, 'header.backup is damaged: it was truncated at line 1: its end is missing'],
  [
    'restore missing-line.backup',
    1,
    'line 2 of missing-line.backup is damaged: its checksum does not match: it was changed, or lines before it are missing',
  ],
  [
    'restore swapped.backup',
    1,
    'line 2 of swapped.backup is damaged: its checksum does not match: it was changed, or lines before it are missing',
  ],
  ['restore more.backup', 1, 'more.backup:8:1: there is more text after the end of the backup'],
  ['restore nosum.backup', 1, 'nosum.backup:2:1: it does not end in a checksum'],
  [
    'restore good.backup',
    1,
    'the target is not empty, and nothing is overwritten: it holds 5 objects (3 ecsm.sh/v1/ecsmservices, 2 ecsm.sh/v1/servicerevisions)',
  ],
  ['restore good.backup other.backup', 2, 'unexpected argument "other.backup": ecsmctl restore FILE|-'],
  ['restore good.backup --dry', 2, 'unknown flag --dry. Did you mean "--dry-run"?'],
  [
    'restore good.backup --registry ftp://x',
    2,
    '--registry: registry URL "ftp://x": it has to be sqlite:<directory>, file:<directory>, etcd://host:2379/prefix or memory:',
  ],
  ['export a b', 2, 'unexpected argument "b": ecsmctl export [FILE|-]'],
  ['export -o table', 2, '--output: the format "table" is not supported by this command. Use -o yaml or json'],
  ['export -o name', 2, '--output: the format "name" is not supported by this command. Use -o yaml or json'],
  ['export -o xml', 2, '--output: there is no format "xml". Use -o yaml or json'],
  ['export taken.backup', 1, 'taken.backup already exists and is not overwritten'],
  ['export /nowhere/at/all/x.yaml', 1, '/nowhere/at/all/x.yaml cannot be written: its directory does not exist'],
  ['export - --overwrite', 2, '--overwrite cannot be used with standard output (-)'],
  ["export -l 'a=b=c'", 2, 'label selector "a=b=c": at character 4: found "=", expected "," or the end'],
  ['export -n Bad', 2, '--namespace: "Bad" is not a valid namespace: use a-z, 0-9 and "-", at most 63 characters'],
  [
    'restore good.backup --registry file:/dir/taken.backup',
    1,
    'the registry at /dir/taken.backup cannot be written: /dir/taken.backup is a file, not a directory',
  ],
  [
    'restore good.backup --registry sqlite:/dir/taken.backup/x',
    1,
    "the registry at /dir/taken.backup/x cannot be written: ENOTDIR: not a directory, mkdir '/dir/taken.backup/x'",
  ],
];

const memoryErrors: readonly ErrorCase[] = [
  [
    'restore good.backup --registry memory:',
    2,
    'memory: is lost when the command ends: use another registry, or --dry-run',
  ],
  ['backup good.backup --registry memory:', 1, 'good.backup already exists and is not overwritten'],
];

const registryErrors: readonly ErrorCase[] = [
  ['registry', 2, 'registry needs a command: status, compact or migrate'],
  ['registry stats', 2, 'unknown command "registry stats". Did you mean "status"?'],
  ['registry status now', 2, 'registry status takes no arguments, but got "now"'],
  [
    'registry status -o wide',
    2,
    '--output: the format "wide" is not supported by this command. Use -o table, yaml or json',
  ],
  [
    'registry status --registry file:/nowhere/at/all',
    1,
    'there is no registry at file:/nowhere/at/all yet: "ecsmctl apply" creates one',
  ],
  ['registry compact --revision 99999', 1, 'there is no revision 99999 in sqlite:/dir/registry: the newest is 8'],
  ['registry compact --revision 0', 2, '--revision has to be a whole number from 1, not "0"'],
  ['registry compact --revision x', 2, '--revision has to be a whole number from 1, not "x"'],
  ['registry compact now', 2, 'registry compact takes no arguments, but got "now"'],
  ['registry migrate', 2, 'specify the target: --to sqlite:DIR, --to file:DIR or --to etcd://HOST:PORT/PREFIX'],
  ['registry migrate --to', 2, '--to needs a value: --to URL'],
  [
    'registry migrate --to nonsense',
    2,
    '--to: registry URL "nonsense": it has to be sqlite:<directory>, file:<directory>, etcd://host:2379/prefix or memory:',
  ],
  ['registry migrate --to memory:', 2, '--to: memory: is lost when the command ends: use another URL'],
  ['registry migrate --to sqlite:', 2, '--to: registry URL "sqlite:": it has no directory'],
  [
    'registry migrate --to etcd://root:hunter2@',
    2,
    '--to: registry URL "etcd://root:…@": it has to be etcd://host:2379[,host:2379]/prefix',
  ],
  [
    'registry migrate --to sqlite:/dir/registry',
    2,
    '--to: sqlite:/dir/registry is the source registry: use another URL',
  ],
  [
    'registry migrate --to sqlite:///dir/registry/.',
    2,
    '--to: sqlite:///dir/registry/. is the source registry: use another URL',
  ],
  ['registry migrate file:x', 2, 'registry migrate takes no arguments, but got "file:x"'],
  [
    'registry migrate --to file:/dir/taken.backup',
    1,
    'the registry at /dir/taken.backup cannot be written: /dir/taken.backup is a file, not a directory',
  ],
  [
    'registry migrate --to sqlite:/dir/taken.backup/x',
    1,
    "the registry at /dir/taken.backup/x cannot be written: ENOTDIR: not a directory, mkdir '/dir/taken.backup/x'",
  ],
  [
    'registry migrate --to etcd://127.0.0.1:1/x',
    1,
    'etcd at http://127.0.0.1:1 is unavailable: ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1 (http://127.0.0.1:1)',
  ],
];

const kit = prepared();

beforeAll(makeBadFiles);

/** Everything that may have happened to a backup. */
function makeBadFiles(): void {
  const at = (name: string) => join(kit.directory, name);
  const put = (name: string, content: string | Uint8Array) => writeFileSync(at(name), content);
  const good = readFileSync(at('good.backup'));
  const text = good.toString();
  const [header = '', first = '', second = '', ...rest] = text.split('\n');
  const lines = (...some: readonly string[]) => [...some, ...rest].join('\n');
  put('taken.backup', 'x');
  put('empty.backup', '');
  put('text.backup', 'hello\n');
  put('json.backup', '{"a":1}\n');
  put('gzip.backup', gzipSync(good));
  put('utf16.backup', Buffer.from(`\ufeff${text}`, 'utf16le'));
  put(
    'binary.backup',
    Uint8Array.from({ length: 3_000 }, (_, index) => index % 251),
  );
  put('version.backup', text.replace('"version":1', '"version":2'));
  put('cut.backup', `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
  put('cutline.backup', text.slice(0, 700));
  put('flipped.backup', text.replace('telemetry@1.0.0', 'telemetry@1.0.1'));
  put('header.backup', `${header}\n`);
  put('missing-line.backup', lines(header, second));
  put('swapped.backup', lines(header, second, first));
  put('more.backup', `${text}more\n`);
  put('nosum.backup', lines(header, '{"key":"a/b"}', second));
}

expectErrors(kit, {
  'backup, restore and export': backupErrors,
  'a registry in memory': memoryErrors,
  registry: registryErrors,
});

it('a stack trace is printed only with -v', async () => {
  expect((await kit.run('restore flipped.backup')).err).not.toContain('    at ');
  expect((await kit.run('restore flipped.backup -v')).err).toContain('    at ');
});

it('a backup is not printed on a terminal', async () => {
  const { code, out, err } = await kit.run('backup -', { terminal: { columns: 80, rows: 24 } });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toBe(`ecsmctl: a backup contains passwords in plain text and is not written to a terminal: name a file
Try: ecsmctl backup --help
`);
});
