/**
 * What only a process can show when things go wrong: pipes that close, disks that are full, signals, registries that are
 * damaged or in use, ports where nobody answers. It is always one line and an exit code, never a stack trace.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Ran } from '@ecsm/command-line/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { deliveredPrograms, root, type ShellOptions } from './programs.kit.ts';
import { type Site, startSite, telemetry } from './site.kit.ts';

/** The line for the shell, the exit code, and what is said on the error output. */
type Case = readonly [line: string, code: number, message: string | RegExp];

const programs = deliveredPrograms();
const { directory } = programs;
let site: Site;
let env: Readonly<Record<string, string>> = {};

const manifest = (name: string) => `apiVersion: ecsm.sh/v1
kind: ECSMService
metadata: { name: ${name} }
spec:
  deploymentStrategy: { type: Dynamic, replicas: 2, nodePool: [node-1, node-2] }
  template: { image: ${name}@1.0.0#sylixos }
`;

/** Somebody on a port who is no platform. */
async function stranger(meet: (socket: Socket) => void): Promise<{ readonly port: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    meet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: String((server.address() as AddressInfo).port),
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

beforeAll(async () => {
  site = await startSite();
  await site.apply(telemetry('1.0.0'));
  const silent = await stranger(() => {});
  const garbage = await stranger((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  const dead = await stranger(() => {});
  await dead.close();
  env = {
    ECSM_REGISTRY: site.url,
    ECSM_URL: `http://127.0.0.1:${site.port}`,
    ECSMCLI_PORT: String(site.port),
    SILENT: silent.port,
    GARBAGE: garbage.port,
    DEAD: dead.port,
  };
  for (const name of ['one', 'two']) writeFileSync(join(directory, `${name}.yaml`), manifest(name));
  writeFileSync(join(directory, 'file'), 'no directory');
  return async () => {
    await silent.close();
    await garbage.close();
    await site.close();
  };
});

/** No operator runs here, which every command says that reads or creates a registry. */
const notices = /^(?:created the registry|warning: no operator has ever used) .*\n/gm;

async function shell(script: string, options: ShellOptions = {}): Promise<Ran> {
  const ran = await programs.shell(script, { ...options, env: { ...env, ...options.env } });
  const shown = (text: string) => {
    const ports = ['SILENT', 'GARBAGE', 'DEAD'].reduce(
      (soFar, name) => soFar.replaceAll(`:${env[name]}`, `:${name}`),
      text,
    );
    return ports.replaceAll(directory, '/dir').replaceAll(site.directory, '/site').replace(notices, '');
  };
  return { ...ran, out: shown(ran.out), err: shown(ran.err) };
}

const stackTrace = /^\s+at .*[:(]|node:internal|\.mjs:\d+/m;

async function expectCase([line, code, message]: Case): Promise<void> {
  const { code: actual, out, err } = await shell(line);
  expect({ line, code: actual, err, out }).toEqual({
    line,
    code,
    err: typeof message === 'string' ? message : expect.stringMatching(message),
    out: expect.any(String),
  });
  expect(err).not.toMatch(stackTrace);
}

describe('a closed pipe is not an error', () => {
  it.each([
    'ecsmctl --help',
    'ecsmctl explain service --recursive',
    'ecsmctl get services -o yaml',
    'ecsmctl get service telemetry -o json',
    'ecsmctl export',
    'ecsmctl backup -',
    'ecsmctl completion bash',
    'ecsm-cli --help',
    'ecsm-cli get images -o json',
    'ecsm-cli describe node node-1',
    'ecsm-cli top nodes',
  ])('%s | head -1', async (line) => {
    const { code, out, err } = await shell(`${line} | head -1; exit $PIPESTATUS`);
    expect([code, out.split('\n').length]).toEqual([0, 2]);
    // The output of the command may follow; error messages may not.
    expect(err).not.toMatch(/^ecsm|EPIPE|closed/m);
    expect((await shell(`${line} | true; exit $PIPESTATUS`)).code).toBe(0);
  });

  it('and ends a watch at the next change', async () => {
    const change = '(sleep 1; ecsmctl label service telemetry seen=yes --overwrite > /dev/null) &';
    const { code, out, err } = await shell(`${change} ecsmctl get services -w | head -1; exit $PIPESTATUS`);
    expect([code, out.slice(0, 4), err]).toEqual([0, 'NAME', '']);
  });
});

const full = (program: string) =>
  `${program}: standard output cannot be written: ENOSPC: no space left on device, write\n`;
const unreachable = (where: string, why: string) =>
  `ecsm-cli: ${where} cannot be reached: ${why}. Is the platform running there? If not, set its address with --url, ECSMCLI_HOST and ECSMCLI_PORT, or .ecsm-cli.yaml\n`;
const refused = 'connection refused (ECONNREFUSED)';
const nothing = 'ecsmctl: standard input: the file is empty: an object starts with "apiVersion:"\n';
const tooLarge = (what: string) => new RegExp(`^ecsm(ctl|-cli): ${what} is larger than the limit of 64 MiB\\n$`);
const noRegistry = (url: string) => `ecsmctl: there is no registry at ${url} yet: "ecsmctl apply" creates one\n`;
const notADatabase = 'ecsmctl: the registry at ./c is damaged: it is not an SQLite database\n';

const cases: readonly Case[] = [
  // A full disk.
  ['ecsmctl get services > /dev/full', 1, full('ecsmctl')],
  ['ecsmctl version > /dev/full', 1, full('ecsmctl')],
  ['ecsmctl --help > /dev/full', 1, full('ecsmctl')],
  ['ecsmctl export > /dev/full', 1, full('ecsmctl')],
  ['ecsmctl backup - > /dev/full', 1, full('ecsmctl')],
  ['ecsm-cli get nodes > /dev/full', 1, full('ecsm-cli')],
  ['ecsm-cli raw GET /service/summary > /dev/full', 1, full('ecsm-cli')],
  ['ecsmctl get nothing 2> /dev/full', 2, ''],
  ['ecsmctl get services 2> /dev/full', 0, ''],
  ['ulimit -f 1; ecsmctl backup small.backup', 1, /^ecsmctl: small\.backup cannot be written: EFBIG: .*\n$/],
  ['ecsmctl backup /dev/full', 1, 'ecsmctl: /dev/full already exists and is not overwritten\n'],
  ['ecsmctl export nowhere/x', 1, 'ecsmctl: nowhere/x cannot be written: its directory does not exist\n'],
  // Input that there is not, or that never ends.
  ['ecsmctl apply -f - < /dev/null', 1, nothing],
  ['ecsmctl apply -f - <&-', 1, nothing],
  ['ecsmctl apply -f - < .', 2, 'ecsmctl: standard input is a directory: name a file\nTry: ecsmctl apply --help\n'],
  ['ecsmctl apply -f - < /dev/zero', 1, tooLarge('standard input')],
  ['ecsmctl apply -f /dev/zero', 1, tooLarge('/dev/zero')],
  ['ecsmctl validate -f /dev/zero', 1, 'ecsmctl: validation failed: 1 error\n'],
  ['ecsm-cli create service -f /dev/zero', 1, tooLarge('/dev/zero')],
  ['ecsm-cli raw POST /service -d @/dev/zero', 1, tooLarge('/dev/zero')],
  [
    'ecsm-cli image upload /dev/zero',
    1,
    'ecsm-cli: /dev/zero grew while it was read: upload a file that is not being written\n',
  ],
  ['ecsm-cli image upload /dev/null', 1, 'ecsm-cli: /dev/null is empty: it contains no image\n'],
  ['ecsmctl restore /dev/zero --registry sqlite:./new', 1, 'ecsmctl: /dev/zero:1:1: it is longer than 4194304 bytes\n'],
  // Homes, directories and settings.
  ['env -u HOME ecsmctl get services -o name', 0, ''],
  ['env -u HOME ecsm-cli get nodes -o name', 0, ''],
  [
    'env -u ECSM_REGISTRY HOME=/nowhere ECSM_HOME= ecsmctl get services',
    1,
    noRegistry('sqlite:/nowhere/.ecsm/registry'),
  ],
  ['mkdir gone && cd gone && rmdir ../gone && ecsmctl get services', 0, ''],
  ['mkdir gone && cd gone && rmdir ../gone && ecsmctl apply -f x.yaml', 1, 'ecsmctl: there is no file "x.yaml"\n'],
  ['mkdir -p a/.ecsmctl.yaml && cd a && ecsmctl get services', 1, 'ecsmctl: .ecsmctl.yaml is a directory\n'],
  ['mkdir -p b/.ecsm-cli.yaml && cd b && ecsm-cli get nodes', 1, 'ecsm-cli: .ecsm-cli.yaml is a directory\n'],
  [
    'ECSMCTL_CONFIG=/nowhere ecsmctl get services',
    2,
    'ecsmctl: ECSMCTL_CONFIG: there is no file "/nowhere"\nTry: ecsmctl get --help\n',
  ],
  [
    "ecsmctl get service $'a\\e[31mb'",
    2,
    'ecsmctl: "a\\x1b[31mb" is not a valid object name: use a-z, 0-9 and "-"\nTry: ecsmctl get --help\n',
  ],
  // Editors.
  [
    'EDITOR=false ecsmctl edit service telemetry',
    1,
    'ecsmctl: the editor "false" ended with 1, and standard input is not a terminal: run it in one, or set EDITOR to a program that needs none; nothing was changed\n',
  ],
  [
    'EDITOR=no-such-editor ecsmctl edit service telemetry',
    1,
    /^(.*not found\n)?ecsmctl: there is no editor "no-such-editor": set EDITOR to an installed editor\n$/,
  ],
  [
    'TMPDIR=/nowhere EDITOR=true ecsmctl edit service telemetry',
    1,
    'ecsmctl: cannot write to /nowhere: set TMPDIR to a writable directory\n',
  ],
  // Registries.
  ['ecsmctl get services --registry sqlite:./new', 1, noRegistry('sqlite:./new')],
  ['ecsmctl delete services --all --registry sqlite:./new', 1, noRegistry('sqlite:./new')],
  ['ecsmctl registry status --registry sqlite:./file', 1, noRegistry('sqlite:./file')],
  [
    'mkdir c && head -c 8192 /dev/urandom > c/registry.db && ecsmctl get services --registry sqlite:./c',
    1,
    notADatabase,
  ],
  ['ecsmctl apply -f one.yaml --registry sqlite:./c', 1, notADatabase],
  ['ecsmctl backup c.backup --registry sqlite:./c', 1, notADatabase],
  [
    'ecsmctl apply -f one.yaml --registry sqlite:./d > /dev/null && truncate -s 5000 d/registry.db && ecsmctl get services --registry sqlite:./d',
    1,
    'ecsmctl: the registry at ./d is damaged: the database is malformed\n',
  ],
  [
    'ecsmctl apply -f one.yaml --registry sqlite:/proc/x',
    1,
    /^ecsmctl: the registry at \/proc\/x cannot be written: ENOENT: .*\n$/,
  ],
  [
    "ecsmctl apply -f one.yaml --registry file:./e > /dev/null && echo { > e/ecsm.sh/v1/ecsmservices/default/one.json && touch -d '1 minute ago' e/ecsm.sh/v1/ecsmservices/default/one.json && ecsmctl get services --registry file:./e",
    0,
    /^warning: \/dir\/e\/ecsm\.sh\/v1\/ecsmservices\/default\/one\.json:2:1: not JSON: [^\n]*\n$/,
  ],
  // Platforms that are not there.
  [
    'ecsm-cli get nodes --port $DEAD',
    1,
    new RegExp(`^(waiting .*\\n)?${escaped(unreachable('http://127.0.0.1:DEAD', refused))}$`),
  ],
  [
    'ecsm-cli delete service telemetry --yes --port $DEAD',
    1,
    new RegExp(`^(waiting .*\\n)?${escaped(unreachable('http://127.0.0.1:DEAD', refused))}$`),
  ],
  ['ecsm-cli get nodes --port $SILENT --timeout 1s', 1, /^(waiting .*\n)*ecsm-cli: .*:SILENT.*1 s.*\n$/],
  ['ecsm-cli stop telemetry --port $SILENT --timeout 1s', 1, /^(waiting .*\n)*ecsm-cli: .*:SILENT.*1 s.*\n$/],
  ['ecsm-cli get nodes --port $GARBAGE --timeout 1s', 1, /^(waiting .*\n)*ecsm-cli: .*:GARBAGE.*\n$/],
  ['ecsm-cli get nodes --protocol https --timeout 1s', 1, /^(waiting .*\n)*ecsm-cli: https:.*\n$/],
  ['ecsmctl diff --live service/telemetry --ecsm http://127.0.0.1:$DEAD', 3, /^(waiting .*\n)*ecsmctl: .*:DEAD.*\n$/],
];

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

describe('an invalid line prints its error once', () => {
  it.each(cases.map((one) => [one[0], one] as const))('%s', (_line, one) => expectCase(one));

  it('and a stack trace only with -v', async () => {
    const { code, err } = await shell('ecsm-cli get nodes --port $DEAD -v');
    expect([code, stackTrace.test(err)]).toEqual([1, true]);
  });
});

describe('colours', () => {
  it.each([
    ['ecsmctl get services', false],
    ['FORCE_COLOR=1 ecsmctl get services', true],
    ['FORCE_COLOR=1 NO_COLOR=1 ecsmctl get services', false],
    ['FORCE_COLOR=1 ecsm-cli get nodes', true],
    ['FORCE_COLOR=1 NO_COLOR=1 ecsm-cli get nodes', false],
  ])('%s: %s', async (line, isColoured) => {
    expect((await shell(line)).out.includes('\u001b[')).toBe(isColoured);
  });
});

describe('a signal while it waits', () => {
  it.each([
    ['ecsmctl wait service/telemetry --for=condition=Available --timeout 1m', 'SIGTERM', 143],
    ['ecsmctl wait service/telemetry --for=delete --timeout 1m', 'SIGINT', 130],
    ['ecsmctl rollout status service/telemetry', 'SIGTERM', 143],
    ['ecsmctl apply -f one.yaml --wait', 'SIGHUP', 129],
    ['ecsm-cli get nodes --port $SILENT --timeout 1m', 'SIGTERM', 143],
    ['ecsm-cli raw GET /node --port $SILENT --timeout 1m', 'SIGINT', 130],
  ] as const)('%s: %s ends it with %d, and nothing is left', async (line, signal, code) => {
    let isSent = false;
    const ran = await shell(`exec ${line}`, {
      onOutput: (text, child) => {
        if (isSent || !text.includes('waiting for')) return;
        isSent = true;
        child.kill(signal);
      },
    });
    expect([ran.code, isSent], ran.err).toEqual([code, true]);
    expect(ran.err).not.toMatch(stackTrace);
    expect(programs.leftOver()).toEqual([]);
    // Whatever it held is free again.
    expect((await shell('ecsmctl label service telemetry free=yes --overwrite')).code).toBe(0);
  });

  it('leaves no partial file', async () => {
    const script = 'ecsmctl backup half.backup & sleep 0.2; kill $!; wait $!';
    const { code } = await shell(script);
    const found = readdirSync(directory).filter((name) => name.includes('half'));
    expect([0, 143]).toContain(code);
    // It may have been at its end already; then the file is whole.
    if (code === 0) expect(found).toEqual(['half.backup']);
    if (found.length === 0) return;
    expect(found).toEqual(['half.backup']);
    expect((await shell('ecsmctl restore half.backup --dry-run --registry sqlite:./elsewhere')).code).toBe(0);
  });
});

describe('concurrent processes', () => {
  it.each(['sqlite', 'file'])('create one registry, and lose nothing: %s', async (scheme) => {
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) writeFileSync(join(directory, `${name}.yaml`), manifest(name));
    const url = `${scheme}:./shared-${scheme}`;
    const all = names.map((name) => `ecsmctl apply -f ${name}.yaml --registry ${url} & jobs="$jobs $!"`).join('\n');
    const { code, out, err } = await shell(`${all}\nfor job in $jobs; do wait $job || exit; done`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').sort()).toEqual(['', ...names.map((name) => `ecsmservice/${name} created`)]);
    expect((await shell(`ecsmctl get services -o name --registry ${url}`)).out).toBe(
      names.map((name) => `ecsmservice/${name}\n`).join(''),
    );
  });

  it('apply the same object', async () => {
    const apply = 'ecsmctl apply -f two.yaml';
    const { code, out, err } = await shell(`${apply} & first=$!; ${apply} && wait $first`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').sort()).toEqual(['', 'ecsmservice/two created', 'ecsmservice/two unchanged']);
  });

  it('wait for another writer', async () => {
    writeFileSync(
      join(directory, '.delivery', 'hold.mjs'),
      `import { DatabaseSync } from '@photostructure/sqlite';
const database = new DatabaseSync(process.argv[2] + '/registry.db');
database.exec('BEGIN IMMEDIATE');
console.log('held');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
database.exec('COMMIT');
database.close();
`,
    );
    const hold = `node .delivery/hold.mjs ${join(site.directory, 'registry')}`;
    const { code, out, err } = await shell(
      `${hold} > held & until grep -qs held held; do sleep 0.05; done; ecsmctl label service telemetry late=yes && wait`,
    );
    expect({ code, out, err }).toEqual({ code: 0, out: 'ecsmservice/telemetry labeled\n', err: '' });
  });
});

/** Tables of bad lines and bad files beside the code: each row begins a line, as the formatter has it. */
const tables = [
  'ecsmctl/write/bad-lines.test.ts',
  'ecsmctl/write/bad-files.test.ts',
  'ecsmctl/rollout/errors.test.ts',
  'ecsmctl/registry/errors.test.ts',
  'ecsm-cli/errors.test.ts',
];
const rowsIn = (path: string) =>
  readFileSync(join(root, 'packages', 'cli', path), 'utf8').match(/^ {2}\[(?=['"`]|$)/gm)?.length ?? 0;
/** Some lines are here because they have to work all the same. */
const failing = cases.filter(([, code]) => code !== 0);
const counts = [...tables.map((name) => rowsIn(`src/${name}`)), failing.length];
const total = counts.reduce((sum, count) => sum + count, 0);

it('covers at least 200 invalid lines and files', () => {
  console.warn(`bad lines and files in the tables: ${counts.join(' + ')} = ${total}`);
  expect(rowsIn('test/wrong.test.ts')).toBe(cases.length);
  expect(total).toBeGreaterThanOrEqual(200);
});
