/** Backups of a real member with TLS on a volume, and back: fetched, restored with etcdutl, served, and compared. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { etcdBinaries, skipWithoutRelease } from '../client/etcd/binaries.kit.ts';
import type { ConnectEtcd, EtcdClient, EtcdEndpoint } from '../client/etcd/contract.ts';
import { connectGateway } from '../client/etcd/gateway.ts';
import { RealEtcd } from '../client/etcd/real.kit.ts';
import { eventually } from '../client/etcd/suite.kit.ts';
import { etcdTool, statusOf } from '../snapshot/etcd-tools.kit.ts';
import { parseManifest } from '../snapshot/manifest.ts';
import { AgentBench } from './agent.kit.ts';
import type { AgentResult, BackupResult, FetchResult } from './job.ts';

function backedUp(result: AgentResult): BackupResult {
  if (!result.ok || result.do !== 'backup') throw new Error(JSON.stringify(result));
  return result;
}

describe.skipIf(skipWithoutRelease('3.5'))('an agent', () => {
  const servers = new RealEtcd({ release: '3.5', tls: true });
  const bench = new AgentBench(servers.credentials);
  const at = () => servers.endpoint(0);
  let client: EtcdClient;
  const tls = { tls: true };
  const make = async (name: string, changes: Parameters<AgentBench['backupJob']>[2] = {}) =>
    backedUp(await bench.run(bench.backupJob([at()], name, { ...tls, ...changes })));

  beforeAll(async () => {
    servers.start(0, { state: 'new', slots: [0] });
    client = connectGateway(systemClock)(servers.credentials);
    await eventually(() => client.status(at(), { timeoutMs: 1_000 }));
    for (let count = 0; count < 40; count++) await client.put(at(), `key-${count % 25}`, `${count}`.repeat(3_000));
  });
  afterAll(async () => {
    client.close();
    await servers.close();
    bench.close();
  });

  /** Runs a member with data, beside the one that is backed up. */
  async function serving(
    data: string,
    scheme: string,
    flags: readonly string[],
    use: (endpoint: EtcdEndpoint) => Promise<void>,
  ): Promise<void> {
    const found = etcdBinaries('3.5');
    const url = `${scheme}://${at().address}:12379`;
    const peers = `--listen-peer-urls=http://${at().address}:12380`;
    const argv = [
      `--data-dir=${data}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      peers,
      ...flags,
    ];
    const child = spawn(join(found.directory ?? '', 'etcd'), argv, { stdio: 'ignore' });
    const exited = once(child, 'exit');
    try {
      await use({ ...at(), host: 'localhost', port: 12379 });
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
  }

  it('stores a plain backup as a snapshot that etcdutl reads, with a manifest', async () => {
    const { clusterId } = await client.status(at());
    const result = await make('plain');
    expect(result).toMatchObject({ version: '3.5.16', keys: 25, isCompared: true, pruned: [], isPrunedAll: true });
    expect(result.key).toBe('default/main/plain.db');
    const { hash, revision } = await statusOf(bench.file(result.key));
    expect(result).toMatchObject({ hash, revision, storedSha256: result.sha256 });
    const manifest = parseManifest(readFileSync(bench.file(result.manifestKey)), 'm');
    expect(manifest).toMatchObject({ key: result.key, compression: 'none', source: { clusterId, backupUid: 'plain' } });
    expect(readdirSync(bench.scratch)).toEqual([]);
  });

  it('reports the backup that exists when it runs again, and makes no other', async () => {
    const first = await make('again');
    await client.put(at(), 'key-1', 'changed meanwhile');
    const second = await make('again');
    expect({ ...second, durationMs: 0, isCompared: true }).toEqual({ ...first, durationMs: 0 });
    const files = readdirSync(bench.file('default/main')).filter((name) => name.startsWith('again'));
    expect(files).toHaveLength(2);
    writeFileSync(bench.file(first.key), 'other bytes');
    expect(await bench.run(bench.backupJob([at()], 'again', tls))).toMatchObject({
      ok: false,
      code: 'SnapshotCorrupt',
    });
  });

  it('does not take the backup of another cluster for its own, and leaves it as it is', async () => {
    const first = await make('taken');
    const job = bench.backupJob([at()], 'taken', tls);
    const source = { ...job.source, clusterUid: 'another', backupUid: 'another' };
    expect(await bench.run({ ...job, source })).toMatchObject({ ok: false, code: 'KeyTaken' });
    expect(await make('taken')).toMatchObject({ sha256: first.sha256 });
  });

  it('removes data of an attempt that did not complete', async () => {
    writeFileSync(bench.file('default/main/broken.db'), 'half');
    writeFileSync(bench.file('default/main/broken.db.gz'), 'half, with other settings');
    writeFileSync(bench.file('default/main/brokenother.db'), 'of a stranger');
    const { hash } = await make('broken');
    expect(await statusOf(bench.file('default/main/broken.db'))).toMatchObject({ hash });
    expect(existsSync(bench.file('default/main/broken.db.gz'))).toBe(false);
    expect(existsSync(bench.file('default/main/brokenother.db'))).toBe(true);
  });

  it('asks the next member if one does not answer or is of another cluster', async () => {
    const gone = { ...at(), port: 1 };
    expect(backedUp(await bench.run(bench.backupJob([gone, at()], 'fallback', tls))).keys).toBe(25);
    const source = { ...bench.backupJob([], 'x').source, clusterId: 'abc' };
    const refused = await bench.run(bench.backupJob([gone, at()], 'x', { ...tls, source }));
    expect(refused).toMatchObject({ ok: false, code: 'NoSnapshot', isRetriable: true });
    expect(refused).toHaveProperty('message', expect.stringMatching(/ECONNREFUSED.*belongs to another cluster/));
  });

  it('closes the snapshot of a member that is not fit, and one that is not needed or for which there is no space', async () => {
    await bench.run(bench.backupJob([at()], 'complete', tls));
    const signals: AbortSignal[] = [];
    const connect: ConnectEtcd = (credentials) => {
      const connected = connectGateway(systemClock)(credentials);
      const open = connected.snapshot.bind(connected);
      const snapshot: EtcdClient['snapshot'] = (endpoint, options = {}) => {
        if (options.signal) signals.push(options.signal);
        return open(endpoint, options);
      };
      return Object.assign(connected, { snapshot });
    };
    const source = { ...bench.backupJob([], 'unfit').source, clusterId: 'abc' };
    const jobs = [
      bench.backupJob([at()], 'unfit', { ...tls, source }),
      bench.backupJob([at()], 'no-space', { ...tls, scratch: '/nowhere', compression: 'gzip' }),
    ];
    for (const job of jobs) expect(await bench.run(job, { connect })).toMatchObject({ ok: false });
    expect(await bench.run(bench.backupJob([at()], 'complete', tls), { connect })).toMatchObject({ ok: true });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  });

  it('says what is missing: scratch, volume, key, job', async () => {
    const outcomeOf = (changes: object) => bench.run(bench.backupJob([at()], 'missing', { ...tls, ...changes }));
    expect(await outcomeOf({ scratch: '/nowhere', compression: 'gzip' })).toMatchObject({
      code: 'NoScratch',
      isRetriable: false,
    });
    const destination = { type: 'Volume', directory: '/nowhere' };
    expect(await outcomeOf({ destination })).toMatchObject({ code: 'StorageNoBucket' });
    bench.secret('encryption', 'key', 'short');
    expect(await outcomeOf({ isEncrypted: true })).toMatchObject({ code: 'SnapshotInvalidKey' });
    bench.secret('encryption', 'key', 'ab'.repeat(32));
    expect(await outcomeOf({ keyBase: '' })).toMatchObject({ code: 'InvalidJob' });
  });

  it('keeps as many backups of a schedule as it should, and those of others', async () => {
    const source = (name: string, scheduleUid: string) => ({ ...bench.backupJob([], name).source, scheduleUid });
    const retention = { maxBackups: 2, scheduleUid: 's' };
    const made: BackupResult[] = [await make('other', { source: source('other', 'o') })];
    for (const name of ['one', 'two', 'three']) {
      made.push(await make(name, { source: source(name, 's'), retention }));
      bench.advanceMs += 2_000;
    }
    expect(made.at(-1)).toMatchObject({
      pruned: [made[1]?.manifestKey.replace('.manifest.json', '')],
      isPrunedAll: true,
    });
    expect(made.map(({ key }) => existsSync(bench.file(key)))).toEqual([true, false, true, true]);
    expect(made.map(({ manifestKey }) => existsSync(bench.file(manifestKey)))).toEqual([true, false, true, true]);
    const base = made[0]?.manifestKey.replace('.manifest.json', '') ?? '';
    const job = { do: 'prune', destination: bench.destination, keys: [base] } as const;
    expect(await bench.run(job)).toMatchObject({ ok: true, deleted: 1 });
    expect(await bench.run(job)).toMatchObject({ ok: true });
    expect(existsSync(bench.file(made[0]?.key ?? ''))).toBe(false);
  });

  it('fetches what it stored, compressed and encrypted, and a member that starts with it has the same keys', async () => {
    const made = await make('sealed', { compression: 'gzip', isEncrypted: true });
    expect(made.key).toMatch(/\.db\.gz\.enc$/);
    const job = bench.fetchJob(made.manifestKey, { isEncrypted: true, expected: { revision: made.revision } });
    const { revision, keys, hash, hashKV, sha256 } = made;
    expect(await bench.run(job)).toMatchObject({ ok: true, revision, keys, hash, hashKV, sha256, version: '3.5.16' });

    const data = join(bench.directory, 'restore', 'data');
    await etcdTool('etcdutl', 'snapshot', 'restore', job.into, `--data-dir=${data}`);
    const to = join(bench.directory, 'data');
    const commit = {
      do: 'commit',
      from: data,
      to,
      remove: [join(bench.directory, 'restore')],
      marker: 'uid-1',
    } as const;
    expect(await bench.run(commit)).toEqual({ ok: true, do: 'commit', isNew: true });
    expect(existsSync(join(bench.directory, 'restore'))).toBe(false);
    expect(await bench.run(commit)).toEqual({ ok: true, do: 'commit', isNew: false });
    expect(await bench.run({ ...commit, marker: 'uid-2' })).toMatchObject({ ok: false, code: 'DataExists' });

    await serving(to, 'http', [], async (endpoint) => {
      const check = { ...bench.checkJob(endpoint), expected: { revision, keys, hashKV: hashKV ?? '' } };
      expect(await bench.run(check)).toMatchObject({ ok: true, revision, keys, hashKV });
      const wrong = await bench.run({ ...check, expected: { ...check.expected, keys: keys + 1 } });
      expect(wrong).toMatchObject({ ok: false, code: 'RehearsalMismatch' });
    });
  });

  it('links a plain backup on a volume instead of copying it, after it was verified', async () => {
    const { key, manifestKey, sha256, hash } = await make('linked');
    const job = { ...bench.fetchJob(manifestKey), mayLink: true, into: join(bench.directory, 'linked', 'snapshot.db') };
    expect(await bench.run(job)).toMatchObject({ ok: true, sha256 });
    expect(readlinkSync(job.into)).toBe(bench.file(key));
    expect(await bench.run(job)).toMatchObject({ ok: true });
    const sealed = await make('linked-sealed', { compression: 'gzip' });
    symlinkSync(bench.file(key), `${job.into}.part`);
    expect(await bench.run({ ...job, key: sealed.manifestKey })).toMatchObject({ ok: true });
    expect(await statusOf(bench.file(key))).toMatchObject({ hash });
    expect(lstatSync(job.into).isFile()).toBe(true);
    truncateSync(bench.file(key), 8_192 + 32);
    expect(await bench.run(job)).toMatchObject({ ok: false });
    expect(lstatSync(job.into).isFile()).toBe(true);
  });

  it('leaves the checksum of a linked backup to the tool of etcd, if it was computed before', async () => {
    const { key, manifestKey, sha256 } = await make('linked-twice');
    const file = bench.file(key);
    const [checked, into] = [join(bench.directory, 'checked.db'), join(bench.directory, 'prepared', 'snapshot.db')];
    const first = await bench.run({ ...bench.fetchJob(manifestKey), mayLink: true, into: checked });
    const { databaseSha256 } = first as FetchResult;
    expect(databaseSha256).toBe(readFileSync(file).subarray(-32).toString('hex'));
    const job = { ...bench.fetchJob(manifestKey), mayLink: true, into, databaseSha256 };
    const restored = (name: string) =>
      etcdTool('etcdutl', 'snapshot', 'restore', into, `--data-dir=${join(bench.directory, name)}`);
    const openFiles = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        const path = join('/proc/self/fd', fd);
        return existsSync(path) && readlinkSync(path) === file;
      });
    expect(await bench.run({ ...job, freeFactor: 1e12 })).toMatchObject({ ok: false, code: 'ScratchFull' });
    expect(openFiles()).toEqual([]);
    expect(await bench.run(job)).toMatchObject({ ok: true, sha256, databaseSha256 });
    expect(openFiles()).toEqual([]);
    await restored('twice');

    const bytes = readFileSync(file);
    bytes[9_000] = (bytes[9_000] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect(await bench.run({ ...job, mayLink: false })).toMatchObject({ ok: false, code: 'SnapshotCorrupt' });
    expect(await bench.run(job)).toMatchObject({ ok: true });
    await expect(restored('twice-damaged')).rejects.toThrow('expected sha256');

    rmSync(into);
    appendFileSync(file, Buffer.alloc(512));
    expect(await bench.run(job)).toMatchObject({ ok: false, code: 'SnapshotMismatch' });
    bytes[bytes.byteLength - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect(await bench.run(job)).toMatchObject({ ok: false, code: 'SnapshotMismatch' });
    truncateSync(file, bytes.byteLength - 512);
    expect(await bench.run(job)).toMatchObject({ ok: false, code: 'SnapshotMismatch' });
    expect(existsSync(into)).toBe(false);
  });

  it('refuses what is damaged, cut, swapped, of another key or of a newer version, and writes nothing', async () => {
    const plain = await make('refusal');
    const sealed = await make('refusal-sealed', { compression: 'gzip', isEncrypted: true });
    const original = join(bench.directory, 'original');
    const into = join(bench.directory, 'refused', 'snapshot.db');
    const messageOf = async (key: string, changes: object = {}) => {
      const result = await bench.run(bench.fetchJob(key, { into, ...changes }));
      expect(existsSync(into) || existsSync(`${into}.part`)).toBe(false);
      return result.ok ? 'fetched' : result.message;
    };
    const file = bench.file(plain.key);
    copyFileSync(file, original);
    const bytes = readFileSync(original);
    bytes[9_000] = (bytes[9_000] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect(await messageOf(plain.manifestKey)).toContain('do not have the checksum at its end');
    copyFileSync(original, file);
    truncateSync(file, 8_192 + 32);
    expect(await messageOf(plain.manifestKey)).toMatch(/checksum at its end|is cut/);
    copyFileSync(bench.file((await make('swapped-in')).key), file);
    await client.put(at(), 'later', 'one');
    copyFileSync(bench.file((await make('swapped-in-2')).key), file);
    expect(await messageOf(plain.manifestKey)).toMatch(/is not the one that was stored|more than the expected/);
    rmSync(file);
    expect(await messageOf(plain.manifestKey)).toMatch(/is missing, and only its manifest .*; choose another backup$/);
    expect(await messageOf(plain.key)).toMatch(/^there is no .*; choose another backup$/);
    copyFileSync(original, file);

    expect(await messageOf(sealed.manifestKey)).toContain('give the key with which it was made');
    bench.secret('encryption', 'key', 'cd'.repeat(32));
    expect(await messageOf(sealed.manifestKey, { isEncrypted: true })).toContain('use the key with which it was made');
    bench.secret('encryption', 'key', 'ab'.repeat(32));
    expect(await messageOf(plain.manifestKey, { etcdVersion: '3.4.20' })).toContain(
      'restore it into version 3.5 or newer',
    );
    expect(await messageOf(plain.manifestKey, { expected: { revision: '1' } })).toContain(
      'is not the backup that was asked for',
    );
    expect(await messageOf(plain.manifestKey, { freeFactor: 1e9 })).toContain('use a larger volume');
    expect(await messageOf('default/main/none.manifest.json')).toContain('choose another one');
    mkdirSync(join(bench.directory, 'refused'), { recursive: true });
    // A bare snapshot, without a manifest.
    expect(await messageOf(plain.key, { into: join(bench.directory, 'bare.db') })).toBe('fetched');
    expect(readFileSync(join(bench.directory, 'bare.db')).equals(readFileSync(original))).toBe(true);
  });

  // The last one: authentication stays enabled.
  it('backs up a member with authentication, and examines one that is restored from it as root', async () => {
    const wanted = expect.stringContaining('has to be a user of etcd with the role root');
    servers.control(0, 'user', 'add', 'root:secret');
    servers.control(0, 'user', 'grant-role', 'root', 'root');
    servers.control(0, 'auth', 'enable');
    const refused = await bench.run(bench.backupJob([at()], 'guarded', tls));
    expect(refused).toMatchObject({ ok: false, message: expect.stringContaining('user not found') });
    servers.control(0, '--user=root:secret', 'user', 'add', '--no-password', 'operator');
    expect(await bench.run(bench.backupJob([at()], 'guarded', tls))).toMatchObject({ ok: false, message: wanted });
    servers.control(0, '--user=root:secret', 'user', 'grant-role', 'operator', 'root');
    const { manifestKey, revision, keys, isCompared } = await make('guarded');
    expect(isCompared).toBe(true);

    const certificates = join(bench.directory, 'certificates');
    const job = bench.fetchJob(manifestKey, { certificates });
    expect(await bench.run(job)).toMatchObject({ ok: true, isAuthEnabled: true });
    const data = join(bench.directory, 'guarded');
    await etcdTool('etcdutl', 'snapshot', 'restore', job.into, '--skip-hash-check', `--data-dir=${data}`);
    const file = (name: string) => join(certificates, name);
    const flags = [
      '--client-cert-auth',
      `--trusted-ca-file=${file('ca.crt')}`,
      `--cert-file=${file('tls.crt')}`,
      `--key-file=${file('tls.key')}`,
    ];
    await serving(data, 'https', flags, async (endpoint) => {
      const check = { ...bench.checkJob(endpoint), certificates, expected: { revision, keys } };
      expect(await bench.run(check)).toMatchObject({ ok: true, revision, keys });
    });
  });
});
