/** `etcd-operator backup` and `etcd-agent` with backups of a real member on a volume. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, nodeFiles, type Program } from '@ecsm/command-line';
import { expectGolden, helpText, runInTestTerminal } from '@ecsm/command-line/testing';
import { systemClock } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentBench, encryptionKeyText } from '../agent/agent.kit.ts';
import type { BackupResult } from '../agent/job.ts';
import { skipWithoutRelease } from '../client/etcd/binaries.kit.ts';
import { connectGateway } from '../client/etcd/gateway.ts';
import { RealEtcd } from '../client/etcd/real.kit.ts';
import { eventually } from '../client/etcd/suite.kit.ts';
import { statusOf } from '../snapshot/etcd-tools.kit.ts';
import { agentProgram } from './agent-program.ts';
import { program } from './program.ts';

describe('the help', () => {
  it('of the commands for backups is as expected', () => {
    const groups = program.commands.filter(({ name }) => name === 'backup');
    const paths = groups.flatMap((group) => [[group], ...(group.commands ?? []).map((command) => [group, command])]);
    const text = (of: Program, path: readonly Command[]) =>
      `$ ${[of, ...path].map(({ name }) => name).join(' ')} --help\n${helpText(of, path)}`;
    const texts = [
      ...paths.map((path) => text(program, path)),
      ...[[], ...agentProgram.commands.map((command) => [command])].map((path) => text(agentProgram, path)),
    ];
    // The flags of every command are in the help of the program.
    const own = texts.map((text) => text.replace(/Flags of every command:\n(?: .*\n)+\n?/, ''));
    expectGolden(new URL('./backup-help.golden.txt', import.meta.url), own.join('\n'));
  });
});

describe.skipIf(skipWithoutRelease('3.5'))('the commands for backups', () => {
  const servers = new RealEtcd({ release: '3.5', tls: false });
  const bench = new AgentBench();
  let plain: BackupResult;
  let sealed: BackupResult;
  const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}, of = program) =>
    runInTestTerminal(of, argv, { env, nodeFiles: nodeFiles({ here: bench.directory, home: bench.directory }) });
  const failure = async (...argv: readonly string[]) => {
    const { code, out, err } = await run(argv);
    expect(out).toBe('');
    return `${code} ${err.trim()}`;
  };

  beforeAll(async () => {
    servers.start(0, { state: 'new', slots: [0] });
    const client = connectGateway(systemClock)(undefined);
    const at = servers.endpoint(0);
    await eventually(() => client.status(at, { timeoutMs: 1_000 }));
    for (let count = 0; count < 20; count++) await client.put(at, `key-${count}`, 'v'.repeat(1_000));
    const made = await bench.run(bench.backupJob([at], 'plain'));
    await client.put(at, 'more', 'data');
    const second = await bench.run(bench.backupJob([at], 'sealed', { compression: 'gzip', isEncrypted: true }));
    client.close();
    if (!made.ok || made.do !== 'backup' || !second.ok || second.do !== 'backup') throw new Error(JSON.stringify(made));
    [plain, sealed] = [made, second];
    writeFileSync(join(bench.directory, 'key'), encryptionKeyText);
    writeFileSync(join(bench.directory, 'other-key'), 'cd'.repeat(32));
    copyFileSync(bench.file(plain.key), join(bench.directory, 'bare.db'));
  });
  afterAll(async () => {
    await servers.close();
    bench.close();
  });

  it('verify a bare snapshot, a stored backup and an encrypted one', async () => {
    const bare = await run(['backup', 'verify', 'bare.db', '-o', 'json']);
    expect(JSON.parse(bare.out)).toMatchObject({ ...(await statusOf(join(bench.directory, 'bare.db'))), keys: 20 });
    const { code, out } = await run(['backup', 'verify', bench.file(plain.manifestKey)]);
    expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^sha256 +${plain.sha256}$`, 'm'))]);
    const both = await run(['backup', 'verify', bench.file(sealed.key), '--encryption-key-file', 'key', '-o', 'json']);
    expect(JSON.parse(both.out)).toMatchObject({ sha256: sealed.sha256, revision: sealed.revision, keys: 21 });
  });

  it('list complete backups only', async () => {
    writeFileSync(bench.file('default/main/half-r1.db'), 'no manifest');
    writeFileSync(bench.file('default/main/strange.manifest.json'), '{}');
    const { out } = await run(['backup', 'list', bench.volume, '-o', 'json']);
    expect(JSON.parse(out).map(({ cluster, keys }: { cluster: string; keys: number }) => [cluster, keys])).toEqual([
      ['default/main', 20],
      ['default/main', 21],
    ]);
    const table = (await run(['backup', 'list', bench.volume])).out.split('\n');
    expect(table[0]).toMatch(/^createdAt +cluster +version +revision +keys +sizeBytes +storedBytes +key$/);
    mkdirSync(join(bench.directory, 'empty'));
    expect((await run(['backup', 'list', 'empty'])).err).toBe('there are no complete backups in empty\n');
  });

  it('fetch a snapshot, and never overwrite a file', async () => {
    const argv = ['backup', 'fetch', bench.file(sealed.manifestKey), 'out.db', '--encryption-key-file', 'key'];
    expect((await run(argv)).code).toBe(0);
    expect(await statusOf(join(bench.directory, 'out.db'))).toMatchObject({ hash: sealed.hash });
    const before = readFileSync(join(bench.directory, 'out.db'));
    expect(await failure(...argv)).toBe('1 etcd-operator: out.db exists, and is not overwritten; choose another name');
    expect(readFileSync(join(bench.directory, 'out.db')).equals(before)).toBe(true);
  });

  it('refuse each kind of damage with what to do', async () => {
    const file = bench.file(plain.key);
    const original = join(bench.directory, 'bare.db');
    const changed = readFileSync(original);
    changed[10_000] = (changed[10_000] ?? 0) ^ 1;
    writeFileSync(join(bench.directory, 'changed.db'), changed);
    expect(await failure('backup', 'verify', 'changed.db')).toMatch(
      /^1 .*checksum at its end; fetch it again, or use another/,
    );
    copyFileSync(original, join(bench.directory, 'cut.db'));
    truncateSync(join(bench.directory, 'cut.db'), 12_345);
    expect(await failure('backup', 'verify', 'cut.db')).toMatch(
      /^1 .*is cut.*fetch or copy it again, or use another backup$/,
    );
    // A whole snapshot, but another one than the manifest says.
    const key = ['--encryption-key-file', 'key'];
    await run(['backup', 'fetch', bench.file(sealed.key), 'newer.db', ...key]);
    copyFileSync(join(bench.directory, 'newer.db'), file);
    expect(await failure('backup', 'verify', file)).toMatch(
      /^1 .*(is not the one that was stored|more than the expected)/,
    );
    copyFileSync(original, file);
    const fetch = ['backup', 'fetch', bench.file(sealed.key), 'none.db'];
    expect(await failure(...fetch)).toMatch(/^1 .*give the key with which it was made$/);
    expect(await failure(...fetch, '--encryption-key-file', 'other-key')).toMatch(
      /^1 .*use the key with which it was made$/,
    );
    const manifest = bench.file(plain.manifestKey);
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace('backup/v1', 'backup/v7'));
    expect(await failure('backup', 'verify', manifest)).toMatch(/^1 .*use the release that made it, or a newer one$/);
    writeFileSync(manifest, text);
    expect(existsSync(join(bench.directory, 'none.db'))).toBe(false);
    expect(await failure('backup', 'verify', 'nowhere.db')).toMatch(/^1 .*there is no file/);
  });

  it('refuse what is not a file, and do not wait for it', async () => {
    execFileSync('mkfifo', [join(bench.directory, 'pipe.db')]);
    for (const command of [['verify'], ['fetch', 'copy.db']]) {
      const [name = '', ...rest] = command;
      expect(await failure('backup', name, '.', ...rest)).toMatch(/^1 .*is a directory; name a file in it: /);
      expect(await failure('backup', name, 'pipe.db', ...rest)).toMatch(/^1 .*is not a file; name a file$/);
    }
  });

  it('refuse a wrong command line', async () => {
    expect(await failure('backup', 'verify')).toMatch(/^2 /);
    expect(await failure('backup', 'fetch', 'a.db')).toMatch(/^2 /);
    expect(await failure('backup', 'verify', 's3://bucket/key.db')).toMatch(
      /^2 .*set AWS_ACCESS_KEY_ID and AWS_SECRET/,
    );
    expect(await failure('backup', 'verify', 's3://bucket')).toMatch(/^2 .*names no object/);
    expect(await failure('backup', 'list', 's3:///prefix')).toMatch(/^2 .*names no bucket/);
    expect(await failure('backup', 'verify', 'a.gz', '--encryption-key-file', 'gone')).toMatch(
      /^2 .*there is no file "gone"/,
    );
    expect((await run(['backup', '--progress-port', 'x'], {}, agentProgram)).code).toBe(2);
  });

  it('run a job of the operator, and leave its result', async () => {
    const result = join(bench.directory, 'result');
    const env = { AGENT_SECRETS: join(bench.directory, 'secrets'), AGENT_RESULT_FILE: result };
    const job = bench.backupJob([servers.endpoint(0)], 'by-command');
    const agent = async (...argv: readonly string[]) =>
      (await run(argv, { ...env, AGENT_JOB: JSON.stringify(job) }, agentProgram)).code;
    expect(await agent('backup', '--progress-port', '0')).toBe(0);
    expect(JSON.parse(readFileSync(result, 'utf8'))).toMatchObject({ ok: true, do: 'backup', keys: 21 });
    writeFileSync(result, '');
    expect(await agent('prune', '--progress-port', 'off')).toBe(1);
    expect(JSON.parse(readFileSync(result, 'utf8'))).toMatchObject({ ok: false, code: 'InvalidJob' });
  });
});
