/**
 * What is said when people get `rollout`, `wait`, `backup`, `restore`, `export` or `registry` wrong: one line that names
 * the thing and the remedy, and nothing is written.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ECSMService } from '@ecsm/operator';
import { beforeAll, describe, expect, it } from 'vitest';
import { tellHistory } from './history.kit.ts';
import { registryKit, serviceInput } from './registry.kit.ts';

/** The command line, its exit code, and the one line behind `ecsmctl: `. `/dir` is the directory of the test. */
type Complaint = readonly [line: string, code: number, message: string];

const rolloutComplaints: readonly Complaint[] = [
  ['rollout', 2, 'rollout needs a command: status, history, undo, pause, resume or restart'],
  ['rollout stauts service/telemetry', 2, 'there is no command "rollout stauts". Did you mean "status"?'],
  ['rollout status', 2, 'say what: a kind such as ecsmservices, or KIND/NAME'],
  ['rollout status service', 2, 'which ecsmservices? Say names, -l SELECTOR or --all'],
  ['rollout status service/nothing', 1, 'there is no ecsmservice "nothing" in the namespace "default"'],
  [
    'rollout status service/telemtry',
    1,
    'there is no ecsmservice "telemtry" in the namespace "default". Did you mean "telemetry"?',
  ],
  [
    'rollout status service/radar',
    1,
    'there is no ecsmservice "radar" in the namespace "default": there is one in "orbit", say -n orbit',
  ],
  ['rollout status lease/x', 2, 'leases are not rolled out: name an ecsmservice'],
  ['rollout status leases --all', 2, 'leases are not rolled out: name an ecsmservice'],
  [
    'rollout status pod/x',
    2,
    'there is no kind "pod". There are ecsmservices, servicerevisions, operatoridentities, events, leases.',
  ],
  ['rollout status service/telemetry revision/x', 2, 'servicerevisions are not rolled out: name an ecsmservice'],
  ['rollout status service telemetry -A', 2, 'a name is one of a namespace: say -n, not -A'],
  [
    'rollout status services -l app=nothing',
    1,
    'there are no ecsmservices with "app=nothing" in the namespace "default"',
  ],
  ['rollout status services -l app=nothing -A', 1, 'there are no ecsmservices with "app=nothing" in any namespace'],
  ["rollout status services -l 'a in'", 2, 'label selector "a in": at character 5: found the end, expected "("'],
  ['rollout status service/telemetry --all', 2, 'say names or --all, not both'],
  ['rollout status service/telemetry -l a=b', 2, 'say names or -l, not both'],
  [
    'rollout status service/telemetry --timeout soon',
    2,
    '--timeout has to be a time such as 90s, 5m or 1h30m, not "soon"',
  ],
  [
    'rollout status service/telemetry --timeout -1s',
    2,
    '--timeout has to be a time such as 90s, 5m or 1h30m, not "-1s"',
  ],
  [
    'rollout status service/telemetry --timeout 300h',
    2,
    '--timeout may be a week (168h) at most, not "300h"; 0 is for ever',
  ],
  ['rollout status service/telemetry --watch=maybe', 2, '--watch takes no value but true or false, not "maybe"'],
  ['rollout status service/telemetry --wacth', 2, 'there is no flag --wacth. Did you mean "--watch"?'],
  [
    'rollout status service/ telemetry',
    2,
    '"service/" is no KIND/NAME, and others are: write KIND NAME... or KIND/NAME KIND/NAME...',
  ],
  ['rollout status service/a/b', 2, '"service/a/b" is no KIND/NAME: write KIND NAME... or KIND/NAME KIND/NAME...'],
  ["rollout status 'service/bad name'", 2, '"bad name" cannot be the name of an object: use a-z, 0-9 and "-"'],
  ['rollout status -f missing.yaml', 1, 'there is no file "missing.yaml"'],
  ['rollout status -f leases.yaml', 1, 'lease/x is not rolled out: name an ecsmservice'],
  ['rollout status service/telemetry -f leases.yaml', 2, 'say names or -f, not both: "service/telemetry"'],
  [
    'rollout status service/telemetry -n Bad_Namespace',
    2,
    '--namespace: "Bad_Namespace" cannot be a namespace: use a-z, 0-9 and "-", at most 63 of them',
  ],
  [
    'rollout status service/telemetry --registry nonsense',
    2,
    '--registry: registry URL "nonsense": it has to be lmdb:<directory>, file:<directory>, etcd://host:2379/prefix or memory:',
  ],
  [
    'rollout status service/telemetry --registry lmdb:/nowhere/at/all',
    1,
    'there is no registry at lmdb:/nowhere/at/all yet: "ecsmctl apply" makes one',
  ],
  ['rollout history service/telemetry --revision 7', 1, 'ecsmservice/telemetry has no revision 7: there are 1 and 2'],
  ['rollout history service/camera --revision 1', 1, 'ecsmservice/camera has no revision 1: there are none yet'],
  ['rollout history service/telemetry --revision 0', 2, '--revision has to be a whole number from 1, not "0"'],
  ['rollout history service/telemetry --revision first', 2, '--revision has to be a whole number from 1, not "first"'],
  ['rollout history service/telemetry --revision 1.5', 2, '--revision has to be a whole number from 1, not "1.5"'],
  ['rollout history service/telemetry --revision', 2, '--revision needs a value: --revision N'],
  ['rollout history services --all --revision 1', 2, '--revision is for one service: name it'],
  [
    'rollout history service/telemetry -o xml',
    2,
    '--output: there is no format "xml". Use -o table, wide, yaml, json or name',
  ],
  [
    'rollout history service/telemetry -o custom-columns=A:.b',
    2,
    '--output: the format "custom-columns" does not go with this command. Use -o table, wide, yaml, json or name',
  ],
  [
    'rollout history service/telemetry --revision 1 -o name',
    2,
    '--output: the format "name" does not go with this command. Use -o table, yaml or json',
  ],
  ['rollout undo service/telemetry --to-revision 9', 1, 'ecsmservice/telemetry has no revision 9: there are 1 and 2'],
  [
    'rollout undo service/telemetry --to-revision latest',
    2,
    '--to-revision has to be a whole number from 0, not "latest"',
  ],
  ['rollout undo service/telemetry --to-revision -3', 2, '--to-revision has to be a whole number from 0, not "-3"'],
  ['rollout undo service/telemetry --to-revision=-3', 2, '--to-revision has to be a whole number from 0, not "-3"'],
  ['rollout undo service/camera', 1, 'ecsmservice/camera has nothing to go back to: there is no earlier revision'],
  ['rollout undo service/camera --to-revision 2', 1, 'ecsmservice/camera has no revision 2: there are none yet'],
  [
    'rollout undo telemetry',
    2,
    'there is no kind "telemetry". There are ecsmservices, servicerevisions, operatoridentities, events, leases. If it is the name of a service, write service/telemetry',
  ],
  [
    'rollout pause telemetry',
    2,
    'there is no kind "telemetry". There are ecsmservices, servicerevisions, operatoridentities, events, leases. If it is the name of a service, write service/telemetry',
  ],
  ['rollout pause', 2, 'say what: a kind such as ecsmservices, or KIND/NAME'],
  ['rollout resume service/nothing', 1, 'there is no ecsmservice "nothing" in the namespace "default"'],
  ['rollout restart services', 2, 'which ecsmservices? Say names, -l SELECTOR or --all'],
  ['rollout restart revisions --all', 2, 'servicerevisions are not rolled out: name an ecsmservice'],
];

const waitComplaints: readonly Complaint[] = [
  ['wait', 2, 'say what to wait for: --for=condition=Available, or --for=delete'],
  ['wait service/telemetry', 2, 'say what to wait for: --for=condition=Available, or --for=delete'],
  ['wait --for=delete', 2, 'say what: a kind such as ecsmservices, or KIND/NAME'],
  ['wait service/telemetry --for', 2, '--for needs a value: --for WHAT'],
  ['wait service/telemetry --for=', 2, 'the value of --for is empty: leave --for out, or say one'],
  [
    'wait service/telemetry --for=ready',
    2,
    '--for has to be condition=TYPE[=VALUE], jsonpath=PATH[=VALUE], create or delete, not "ready"',
  ],
  [
    'wait service/telemetry --for=conditon=Available',
    2,
    '--for has to be condition=TYPE[=VALUE], jsonpath=PATH[=VALUE], create or delete, not "conditon=Available". Did you mean "condition"?',
  ],
  ['wait service/telemetry --for=condition', 2, '--for=condition needs a type: --for=condition=Available'],
  ['wait service/telemetry --for=condition=', 2, '--for=condition needs a type: --for=condition=Available'],
  [
    'wait service/telemetry --for=condition=Available=',
    2,
    '--for=condition=Available= has no value: True, False or Unknown',
  ],
  [
    'wait service/telemetry --for=condition=Available=Maybe',
    2,
    'a condition is True, False or Unknown, and never "Maybe"',
  ],
  [
    'wait service/telemetry --for=condition=A=True=B',
    2,
    '--for=condition=A=True=B has one = too many: write condition=TYPE=VALUE',
  ],
  ['wait service/telemetry --for=delete=now', 2, '--for=delete takes nothing more, and "now" is there'],
  ['wait service/telemetry --for=create=x', 2, '--for=create takes nothing more, and "x" is there'],
  [
    'wait service/telemetry --for=jsonpath',
    2,
    "--for=jsonpath needs a path: --for=jsonpath='{.status.readyReplicas}'=2",
  ],
  [
    'wait service/telemetry --for=jsonpath=',
    2,
    "--for=jsonpath needs a path: --for=jsonpath='{.status.readyReplicas}'=2",
  ],
  [
    'wait service/telemetry --for=jsonpath={.status',
    2,
    '--for=jsonpath: the path "{.status" makes no sense at character 9: expected "}", but there it ends',
  ],
  [
    'wait service/telemetry --for=jsonpath={.status}=',
    2,
    '--for=jsonpath={.status}= has no value behind the =: leave the = out to wait until something is there',
  ],
  [
    'wait service/telemetry --for=jsonpath={.a[?(}=x',
    2,
    '--for=jsonpath: the path "{.a[?(}=x" makes no sense at character 7: expected a path such as @.type, or a value, but found "}"',
  ],
  [
    'wait service/telemetry --for=condition=Available --timeout=later',
    2,
    '--timeout has to be a time such as 90s, 5m or 1h30m, not "later"',
  ],
  ['wait service/nothing --for=condition=Available', 1, 'there is no ecsmservice "nothing" in the namespace "default"'],
  [
    'wait services -l app=nothing --for=condition=Available',
    1,
    'there are no ecsmservices with "app=nothing" in the namespace "default"',
  ],
  [
    'wait services --all --for=create -n empty',
    2,
    '--for=create waits for names: -l and --all find only what is there',
  ],
  ['wait services --for=delete', 2, 'which ecsmservices? Say names, -l SELECTOR or --all'],
  [
    'wait service/telemetry --for=condition=Available --timeout=0',
    1,
    'no condition Available: ecsmservice/telemetry (it has no condition Available)',
  ],
  [
    'wait service/telemetry --for=condition=Available=False --timeout=0s',
    1,
    'no condition Available=False: ecsmservice/telemetry (it has no condition Available)',
  ],
  ['wait service/telemetry --for=create --for=delete', 2, '--for is given twice'],
];

const backupComplaints: readonly Complaint[] = [
  ['backup', 2, 'backup needs FILE|-: ecsmctl backup FILE|-'],
  ['backup a b', 2, '"b" is one word too many: ecsmctl backup FILE|-'],
  ['backup taken.backup', 1, 'taken.backup exists already, and is not overwritten'],
  ['backup /nowhere/at/all/x.backup', 1, '/nowhere/at/all/x.backup cannot be written: its directory does not exist'],
  ['backup .', 1, '. exists already, and is not overwritten'],
  ['backup fleet.backup --timeout x', 2, '--timeout has to be a time such as 90s, 5m or 1h30m, not "x"'],
  ['backup - --overwrite', 2, '--overwrite is for a file, and - is the standard output'],
  ['backup fleet.backup --force', 2, 'there is no flag --force.'],
  [
    'backup fleet.backup --registry lmdb:/nowhere/at/all',
    1,
    'there is no registry at lmdb:/nowhere/at/all yet: "ecsmctl apply" makes one',
  ],
  [
    'backup fleet.backup --registry etcd://',
    2,
    '--registry: registry URL "etcd://": it has to be etcd://host:2379[,host:2379]/prefix',
  ],
  ['restore', 2, 'restore needs FILE|-: ecsmctl restore FILE|-'],
  ['restore missing.backup', 1, 'there is no file "missing.backup"'],
  ['restore .', 1, '. is a directory'],
  ['restore -', 2, 'nothing is piped into standard input: name a file'],
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
  ['restore version.backup', 1, 'version.backup:1:1: it has the format version 2, and this program knows 1 only'],
  ['restore cut.backup', 1, 'cut.backup is damaged: it was cut short at line 6: its end is missing'],
  ['restore cutline.backup', 1, 'cutline.backup is damaged: it was cut short at line 2: its end is missing'],
  [
    'restore flipped.backup',
    1,
    'line 5 of flipped.backup is damaged: its checksum does not match: it was changed, or lines before it are missing',
  ],
  ['restore header.backup', 1, 'header.backup is damaged: it was cut short at line 1: its end is missing'],
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
  ['restore more.backup', 1, 'more.backup:8:1: the backup ends on the line before, and there is more'],
  ['restore nosum.backup', 1, 'nosum.backup:2:1: it does not end in a checksum'],
  [
    'restore good.backup',
    1,
    'the target is not empty, and nothing is overwritten: it holds 5 objects (3 ecsm.sh/v1/ecsmservices, 2 ecsm.sh/v1/servicerevisions)',
  ],
  ['restore good.backup other.backup', 2, '"other.backup" is one word too many: ecsmctl restore FILE|-'],
  ['restore good.backup --dry', 2, 'there is no flag --dry. Did you mean "--dry-run"?'],
  [
    'restore good.backup --registry ftp://x',
    2,
    '--registry: registry URL "ftp://x": it has to be lmdb:<directory>, file:<directory>, etcd://host:2379/prefix or memory:',
  ],
  ['export a b', 2, '"b" is one word too many: ecsmctl export [FILE|-]'],
  ['export -o table', 2, '--output: the format "table" does not go with this command. Use -o yaml or json'],
  ['export -o name', 2, '--output: the format "name" does not go with this command. Use -o yaml or json'],
  ['export -o xml', 2, '--output: there is no format "xml". Use -o yaml or json'],
  ['export taken.backup', 1, 'taken.backup exists already, and is not overwritten'],
  ['export /nowhere/at/all/x.yaml', 1, '/nowhere/at/all/x.yaml cannot be written: its directory does not exist'],
  ['export - --overwrite', 2, '--overwrite is for a file, and - is the standard output'],
  ["export -l 'a=b=c'", 2, 'label selector "a=b=c": at character 4: found "=", expected "," or the end'],
  ['export -n Bad', 2, '--namespace: "Bad" cannot be a namespace: use a-z, 0-9 and "-", at most 63 of them'],
  [
    'restore good.backup --registry file:/dir/taken.backup',
    1,
    "the registry at /dir/taken.backup cannot be written: EACCES: permission denied, access '/dir/taken.backup'",
  ],
  [
    'restore good.backup --registry lmdb:/dir/taken.backup/x',
    1,
    "the registry at /dir/taken.backup/x cannot be written: ENOTDIR: not a directory, mkdir '/dir/taken.backup/x'",
  ],
];

const memoryComplaints: readonly Complaint[] = [
  [
    'restore good.backup --registry memory:',
    2,
    'memory: is gone when the command ends: name another registry, or say --dry-run',
  ],
  ['backup good.backup --registry memory:', 1, 'good.backup exists already, and is not overwritten'],
];

const registryComplaints: readonly Complaint[] = [
  ['registry', 2, 'registry needs a command: status, compact or migrate'],
  ['registry stats', 2, 'there is no command "registry stats". Did you mean "status"?'],
  ['registry status now', 2, 'registry status takes no words, and "now" is one'],
  [
    'registry status -o wide',
    2,
    '--output: the format "wide" does not go with this command. Use -o table, yaml or json',
  ],
  [
    'registry status --registry file:/nowhere/at/all',
    1,
    'there is no registry at file:/nowhere/at/all yet: "ecsmctl apply" makes one',
  ],
  ['registry compact --revision 99999', 1, 'there is no revision 99999 in lmdb:/dir/registry: the newest is 8'],
  ['registry compact --revision 0', 2, '--revision has to be a whole number from 1, not "0"'],
  ['registry compact --revision x', 2, '--revision has to be a whole number from 1, not "x"'],
  ['registry compact now', 2, 'registry compact takes no words, and "now" is one'],
  ['registry migrate', 2, 'say where to: --to lmdb:DIR, --to file:DIR or --to etcd://HOST:PORT/PREFIX'],
  ['registry migrate --to', 2, '--to needs a value: --to URL'],
  [
    'registry migrate --to nonsense',
    2,
    '--to: registry URL "nonsense": it has to be lmdb:<directory>, file:<directory>, etcd://host:2379/prefix or memory:',
  ],
  ['registry migrate --to memory:', 2, '--to: memory: is gone when the command ends: name another place'],
  ['registry migrate --to lmdb:', 2, '--to: registry URL "lmdb:": it names no directory'],
  [
    'registry migrate --to etcd://root:hunter2@',
    2,
    '--to: registry URL "etcd://root:…@": it has to be etcd://host:2379[,host:2379]/prefix',
  ],
  [
    'registry migrate --to lmdb:/dir/registry',
    2,
    '--to: lmdb:/dir/registry is the registry itself: name another place',
  ],
  [
    'registry migrate --to lmdb:///dir/registry/.',
    2,
    '--to: lmdb:///dir/registry/. is the registry itself: name another place',
  ],
  ['registry migrate file:x', 2, 'registry migrate takes no words, and "file:x" is one'],
  [
    'registry migrate --to file:/dir/taken.backup',
    1,
    "the registry at /dir/taken.backup cannot be written: EACCES: permission denied, access '/dir/taken.backup'",
  ],
  [
    'registry migrate --to lmdb:/dir/taken.backup/x',
    1,
    "the registry at /dir/taken.backup/x cannot be written: ENOTDIR: not a directory, mkdir '/dir/taken.backup/x'",
  ],
  [
    'registry migrate --to etcd://127.0.0.1:1/x',
    1,
    'etcd at http://127.0.0.1:1 is unavailable: ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1 (http://127.0.0.1:1)',
  ],
];

const kit = registryKit();

beforeAll(async () => {
  const told = ['1.0.0', '2.0.0'].map((tag, index) => ({ image: `telemetry@${tag}`, hash: `${index + 1}1111111` }));
  await tellHistory(kit, told);
  const registry = await kit.open();
  await registry.resource(ECSMService).create(serviceInput('camera'));
  await registry.resource(ECSMService).create(serviceInput('radar', { namespace: 'orbit' }));
  await kit.run('backup good.backup');
  makeBadFiles();
});

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
  const spec = 'spec: { holderIdentity: a, leaseDurationSeconds: 1, leaseTransitions: 0 }';
  put('leases.yaml', `apiVersion: coordination.ecsm.sh/v1\nkind: Lease\nmetadata: { name: x }\n${spec}\n`);
}

describe.each([
  ['rollout', rolloutComplaints],
  ['wait', waitComplaints],
  ['backup, restore and export', backupComplaints],
  ['a registry in memory', memoryComplaints],
  ['registry', registryComplaints],
])('%s', (_, complaints) => {
  it.each(complaints)('ecsmctl %s', async (line, code, message) => {
    const registry = await kit.open();
    const before = [await registry.revision(), ...readdirSync(kit.directory)];
    const answer = await kit.run(line.replaceAll('/dir/', `${kit.directory}/`));
    const [said = '', hint = '', ...more] = answer.err.replaceAll(kit.directory, '/dir').split('\n');
    expect(said).toBe(`ecsmctl: ${message}`);
    expect(answer.code).toBe(code);
    expect(answer.out).toBe('');
    expect(hint).toMatch(code === 2 ? /^Try: ecsmctl( [a-z]+)* --help$/ : /^$/);
    expect(more.join('')).toBe('');
    expect([await registry.revision(), ...readdirSync(kit.directory)]).toEqual(before);
  });
});

it('a stack trace is for -v', async () => {
  expect((await kit.run('restore flipped.backup')).err).not.toContain('    at ');
  expect((await kit.run('restore flipped.backup -v')).err).toContain('    at ');
});

it('a backup is not shown on a terminal', async () => {
  const { code, out, err } = await kit.run('backup -', { terminal: { columns: 80, rows: 24 } });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toBe(`ecsmctl: a backup holds passwords as they are, so it is not shown on a terminal: name a file
Try: ecsmctl backup --help
`);
});
