/** `etcd-operator backup verify|list|fetch`. */
import { link, mkdtemp, rm, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { type Call, Failure, padEnd, type Run, UsageError } from '@ecsm/command-line';
import { silentLog, systemClock, systemRandom, untilSignal } from '@ecsm/runtime';
import type { AgentContext } from '../agent/context.ts';
import { AgentError, systemCode } from '../agent/failure.ts';
import { fetchFrom } from '../agent/fetch.ts';
import type { FetchResult } from '../agent/job.ts';
import { listBackups } from '../agent/stored.ts';
import { connectGrpc } from '../client/etcd/gateway.ts';
import type { BackupStorageClient } from '../client/storage/contract.ts';
import { isStorageError } from '../client/storage/error.ts';
import { openStorage } from '../client/storage/open.ts';
import { type EncryptionKey, parseEncryptionKey } from '../snapshot/encryption.ts';
import { isSnapshotError } from '../snapshot/error.ts';
import { baseKeyIn, isManifestKey, manifestKeyOf } from '../snapshot/names.ts';
import { verifySnapshot } from '../snapshot/verify.ts';

/** Any release: what is fetched here is not restored here. */
const anyVersion = '999.0.0';

export const verify: Run = (call) =>
  reported(async (signal) => {
    const [location = ''] = call.words;
    const path = pathOf(call, location);
    if (path !== undefined && isPlain(path) && !(await hasManifest(path))) {
      const { sizeBytes, sha256, facts } = await verifySnapshot(await existing(path), { signal });
      print(call, { ...facts, sizeBytes, sha256 });
      return;
    }
    const folder = await mkdtemp(join(tmpdir(), 'etcd-operator-backup-'));
    try {
      print(call, shown(await fetchTo(call, location, join(folder, 'snapshot.db'), signal)));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

export const fetch: Run = (call) =>
  reported(async (signal) => {
    const [location = '', target = ''] = call.words;
    const into = resolve(call.terminal.files.here, target);
    const taken = new Failure(`${target} exists, and is not overwritten; choose another name`);
    if (await exists(into)) throw taken;
    const aside = `${into}.${systemRandom.uuid()}`;
    try {
      const result = await fetchTo(call, location, aside, signal);
      // Fails if the file has been created meanwhile, unlike a rename.
      await link(aside, into).catch((error: unknown) => {
        throw systemCode(error) === 'EEXIST' ? taken : error;
      });
      print(call, shown(result));
    } finally {
      await unlink(aside).catch(() => {});
    }
  });

export const list: Run = (call) =>
  reported(async (signal) => {
    const [location = ''] = call.words;
    const { storage, prefix } = await openFolder(call, location);
    const rows: Readonly<Record<string, string | number>>[] = [];
    try {
      for await (const { manifest } of listBackups(storage, prefix, signal)) {
        const { createdAt, source, etcd, snapshot, stored, key } = manifest;
        const cluster = `${source.namespace}/${source.cluster}`;
        const sizes = { sizeBytes: snapshot.sizeBytes, storedBytes: stored.sizeBytes };
        rows.push({
          createdAt,
          cluster,
          version: etcd.version,
          revision: etcd.revision,
          keys: etcd.keys,
          ...sizes,
          key,
        });
      }
    } finally {
      storage.close();
    }
    const { out, err } = call.terminal;
    if (call.flag('output') === 'json') out.write(`${JSON.stringify(rows, null, 2)}\n`);
    else if (rows.length === 0) err.write(`there are no complete backups in ${location}\n`);
    else out.write(table([Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row).map(String))]));
  });

async function fetchTo(call: Call, location: string, into: string, signal: AbortSignal): Promise<FetchResult> {
  const key = await encryptionKeyOf(call);
  const { storage, key: name } = await openObject(call, location);
  const context: AgentContext = {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    signal,
    connect: connectGrpc(systemClock),
    secrets: '',
    progress: { step: '', bytes: 0, totalBytes: 0 },
  };
  try {
    const request = {
      key: await manifestBeside(storage, name),
      etcdVersion: anyVersion,
      into,
      freeFactor: 1,
      flush: true,
    };
    return await fetchFrom(storage, key, request, context);
  } finally {
    storage.close();
  }
}

/** The manifest says more than the data alone: it is used where there is one. */
async function manifestBeside(storage: BackupStorageClient, key: string): Promise<string> {
  const base = baseKeyIn(key);
  if (isManifestKey(key) || base === undefined) return key;
  return (await storage.head(manifestKeyOf(base))) ? manifestKeyOf(base) : key;
}

async function openObject(call: Call, location: string): Promise<{ storage: BackupStorageClient; key: string }> {
  const path = pathOf(call, location);
  if (path === undefined) {
    const { bucket, key } = bucketOf(location);
    if (key === '' || key.endsWith('/')) throw new UsageError(`${location} names no object: s3://BUCKET/KEY`);
    return { storage: await openBucket(call, bucket), key };
  }
  await existing(path);
  const { clock, random } = { clock: systemClock, random: systemRandom };
  const storage = openStorage({ type: 'Volume', directory: dirname(path) }, { clock, random });
  return { storage, key: basename(path) };
}

async function openFolder(call: Call, location: string): Promise<{ storage: BackupStorageClient; prefix: string }> {
  const path = pathOf(call, location);
  if (path === undefined) {
    const { bucket, key } = bucketOf(location);
    return { storage: await openBucket(call, bucket), prefix: key };
  }
  const options = { clock: systemClock, random: systemRandom };
  return { storage: openStorage({ type: 'Volume', directory: path }, options), prefix: '' };
}

async function openBucket(call: Call, bucket: string): Promise<BackupStorageClient> {
  const { env, files } = call.terminal;
  const [accessKeyId = '', secretAccessKey = ''] = [env['AWS_ACCESS_KEY_ID'], env['AWS_SECRET_ACCESS_KEY']];
  if (accessKeyId === '' || secretAccessKey === '') {
    throw new UsageError('a bucket needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  const sessionToken = env['AWS_SESSION_TOKEN'];
  const [region, endpoint, caFile] = [call.flag('region'), call.flag('endpoint'), call.flag('ca')];
  const ca = caFile === undefined ? undefined : await files.read(caFile);
  if (caFile !== undefined && !ca) throw new UsageError(`--ca: there is no file "${caFile}"`);
  return openStorage(
    {
      type: 'S3',
      bucket,
      ...(region === undefined ? {} : { region }),
      ...(endpoint === undefined ? {} : { endpoint }),
    },
    {
      clock: systemClock,
      random: systemRandom,
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
      ...(ca ? { ca: Buffer.from(ca).toString('utf8') } : {}),
    },
  );
}

async function encryptionKeyOf(call: Call): Promise<EncryptionKey | undefined> {
  const file = call.flag('encryption-key-file');
  if (file === undefined) return undefined;
  const content = await call.terminal.files.read(file);
  if (!content) throw new UsageError(`--encryption-key-file: there is no file "${file}"`);
  return parseEncryptionKey(content);
}

/** Undefined for a bucket. */
function pathOf(call: Call, location: string): string | undefined {
  return location.startsWith('s3://') ? undefined : resolve(call.terminal.files.here, location);
}

function bucketOf(location: string): { readonly bucket: string; readonly key: string } {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/.exec(location) ?? [];
  if (bucket === '') throw new UsageError(`${location} names no bucket: s3://BUCKET/KEY`);
  return { bucket, key };
}

function isPlain(path: string): boolean {
  return !/\.(gz|enc|manifest\.json)$/.test(path);
}

async function hasManifest(path: string): Promise<boolean> {
  const base = baseKeyIn(path);
  return base !== undefined && exists(manifestKeyOf(base));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** To open something else would fail with other words, or never return. */
async function existing(path: string): Promise<string> {
  const found = await stat(path).catch((error: unknown) => {
    throw systemCode(error) === 'ENOENT' ? new Failure(`there is no file ${path}`) : error;
  });
  if (found.isFile()) return path;
  const remedy = found.isDirectory() ? `name a file in it: "etcd-operator backup list" shows them` : 'name a file';
  throw new Failure(`${path} is ${found.isDirectory() ? 'a directory' : 'not a file'}; ${remedy}`);
}

function shown({ ok: _ok, do: _do, durationMs: _durationMs, databaseSha256: _end, ...facts }: FetchResult): object {
  return facts;
}

function print(call: Call, facts: object): void {
  const { out } = call.terminal;
  if (call.flag('output') === 'json') out.write(`${JSON.stringify(facts, null, 2)}\n`);
  else out.write(table(Object.entries(facts).map(([name, value]) => [name, String(value)])));
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** Errors whose messages are for people. */
async function reported(action: (signal: AbortSignal) => Promise<void>): Promise<number> {
  return untilSignal(
    async (signal) => {
      try {
        await action(signal);
        return 0;
      } catch (error) {
        if (signal.aborted) throw new Failure('interrupted');
        const isKnown = isSnapshotError(error) || isStorageError(error) || error instanceof AgentError;
        throw isKnown ? new Failure(error.message, { cause: error }) : error;
      }
    },
    { log: silentLog },
  );
}
