/** The job that fetches a stored snapshot. The file gets its name only when everything is verified. */
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BackupStorageClient, GetResult } from '../client/storage/contract.ts';
import { isStorageError } from '../client/storage/error.ts';
import type { SnapshotChecksum } from '../snapshot/checksum.ts';
import type { EncryptionKey } from '../snapshot/encryption.ts';
import { SnapshotError } from '../snapshot/error.ts';
import { readFacts, type SnapshotFacts, trailerBytes } from '../snapshot/facts.ts';
import type { BackupManifest } from '../snapshot/manifest.ts';
import { isManifestKey } from '../snapshot/names.ts';
import { type AgentContext, encryptionKey, startStep, storageOf } from './context.ts';
import { AgentError } from './failure.ts';
import { type FetchJob, type FetchResult, tlsFiles } from './job.ts';
import { flushDirectoryOf, readSnapshot, requireSpace, writeSnapshot } from './scratch.ts';
import { openStored, readManifest } from './stored.ts';

export async function fetchSnapshot(job: FetchJob, context: AgentContext): Promise<FetchResult> {
  const storage = await storageOf(job.destination, context);
  try {
    const result = await fetchFrom(storage, job.isEncrypted ? await encryptionKey(context) : undefined, job, context);
    if (job.certificates !== undefined) await writeCertificates(job.certificates, context);
    return result;
  } finally {
    storage.close();
  }
}

async function writeCertificates(directory: string, { clock }: AgentContext): Promise<void> {
  const { scratchCertificates } = await import('../client/etcd/scratch-certificates.ts');
  const { ca, cert, key } = scratchCertificates(clock);
  await mkdir(directory, { recursive: true });
  const write = (name: string, pem: string) => writeFile(join(directory, name), pem, { mode: 0o600 });
  await Promise.all([write(tlsFiles.ca, ca), write(tlsFiles.cert, cert), write(tlsFiles.key, key)]);
}

/** What of a job is the same wherever the store and the key come from. */
interface FetchRequest extends Omit<FetchJob, 'do' | 'destination' | 'isEncrypted' | 'certificates'> {
  /** Whether the file has to survive a crash of the machine. A restore that is repeated fetches it again. */
  readonly flush?: boolean;
}

export async function fetchFrom(
  storage: BackupStorageClient,
  key: EncryptionKey | undefined,
  job: FetchRequest,
  context: AgentContext,
): Promise<FetchResult> {
  const startMs = context.clock.monotonicMs();
  const manifest = await manifestOf(job, storage, context);
  if (manifest) checkManifest(job, manifest, key);
  await mkdir(dirname(job.into), { recursive: true });
  const fetched = await fetchInto(job, manifest, key, storage, context);
  return { ...fetched, durationMs: context.clock.monotonicMs() - startMs };
}

async function manifestOf({ key }: FetchRequest, storage: BackupStorageClient, context: AgentContext) {
  if (!isManifestKey(key)) return undefined;
  const manifest = await readManifest(storage, key, context.signal);
  if (manifest) return manifest;
  throw new AgentError(
    'NoBackup',
    `there is no ${key}: the backup was deleted, or never completed; choose another one`,
  );
}

/** Before anything is fetched. */
function checkManifest(
  { expected = {}, etcdVersion, key: name }: FetchRequest,
  manifest: BackupManifest,
  key?: EncryptionKey,
): void {
  const { snapshot, stored, etcd, encryption } = manifest;
  const pairs: readonly (readonly [string, string | undefined, string])[] = [
    ['checksum', expected.snapshotSha256, snapshot.sha256],
    ['checksum', expected.storedSha256, stored.sha256],
    ['revision', expected.revision, etcd.revision],
  ];
  for (const [what, wanted, found] of pairs) {
    if (wanted === undefined || wanted === found) continue;
    const problem = `${name} is not the backup that was asked for: its ${what} is ${found}, not ${wanted}`;
    throw new SnapshotError('Mismatch', `${problem}; choose the right one`);
  }
  requireVersion(etcd.version, etcdVersion);
  if (encryption !== 'none' && !key) {
    const problem = `${manifest.key} is encrypted with the key ${encryption.keyId}`;
    throw new SnapshotError('WrongKey', `${problem}; give the key with which it was made`);
  }
}

/** etcd reads data of its own and of older minor versions. */
function requireVersion(found: string, target: string): void {
  const [major = 0, minor = 0] = found.split('.').map(Number);
  const [targetMajor = 0, targetMinor = 0] = target.replace(/^v/, '').split('.').map(Number);
  if (major < targetMajor || (major === targetMajor && minor <= targetMinor)) return;
  const problem = `the snapshot is of etcd ${major}.${minor}, and cannot be restored into ${targetMajor}.${targetMinor}`;
  throw new SnapshotError('NewerVersion', `${problem}; restore it into version ${major}.${minor} or newer`);
}

async function fetchInto(
  job: FetchRequest,
  manifest: BackupManifest | undefined,
  key: EncryptionKey | undefined,
  storage: BackupStorageClient,
  context: AgentContext,
): Promise<Omit<FetchResult, 'durationMs'>> {
  const { signal } = context;
  const part = `${job.into}.part`;
  // A link that was left by a process that was killed would be written through, into the stored file.
  await rm(part, { force: true });
  const stored = await storage.get(manifest?.key ?? job.key, { signal }).catch((error: unknown) => {
    if (!isStorageError(error, 'NotFound')) throw error;
    const problem = manifest ? `${manifest.key} is missing, and only its manifest is there` : `there is no ${job.key}`;
    throw new AgentError('NoBackup', `${problem}; choose another backup`);
  });
  try {
    const isPlain = manifest?.compression === 'none' && manifest.encryption === 'none';
    const linked = job.mayLink && isPlain ? stored.file : undefined;
    const copies = linked === undefined ? job.freeFactor : job.freeFactor - 1;
    await requireSpace(dirname(job.into), (manifest?.snapshot.sizeBytes ?? stored.object.sizeBytes) * copies);
    const checksum =
      linked !== undefined && manifest && job.databaseSha256 !== undefined
        ? await compareEnd(linked, stored.object.sizeBytes, manifest, job.databaseSha256)
        : await receive(job, stored, manifest, key, linked === undefined ? part : undefined, context);
    const facts = recordedFacts(manifest) ?? (await factsOf(linked ?? part, checksum.sizeBytes, context));
    requireFacts(job, facts);
    if (linked !== undefined) await symlink(linked, part);
    await rename(part, job.into);
    if (job.flush) await flushDirectoryOf(job.into);
    const { revision, keys, hash, hashKV, isAuthEnabled } = facts;
    const version = manifest ? { version: manifest.etcd.version } : {};
    const { sizeBytes, sha256, databaseSha256 } = checksum;
    const found = { sizeBytes, sha256, databaseSha256, revision, keys, hash, hashKV, isAuthEnabled, ...version };
    return { ok: true, do: 'fetch', ...found };
  } finally {
    // It is open until its end, or until this.
    await stored.body[Symbol.asyncIterator]().return?.();
    await rm(part, { force: true });
  }
}

/** Reads what is stored, into a file if there is a path. Throws unless all of it is what was asked for. */
async function receive(
  { expected, flush = false }: FetchRequest,
  { object, body }: GetResult,
  manifest: BackupManifest | undefined,
  key: EncryptionKey | undefined,
  into: string | undefined,
  context: AgentContext,
): Promise<SnapshotChecksum> {
  const expectedBytes = manifest?.snapshot.sizeBytes;
  const opened = openStored(body, key, object.key);
  const options = {
    step: 'fetching the backup',
    totalBytes: expectedBytes ?? object.sizeBytes,
    flush,
    ...(expectedBytes === undefined ? {} : { maxBytes: expectedBytes }),
  };
  const reader =
    into === undefined
      ? await readSnapshot(opened.chunks, context, options)
      : await writeSnapshot(opened.chunks, into, context, options);
  const checksum = reader.finish();
  requireEqual(expected?.storedSha256 ?? manifest?.stored.sha256, opened.storedSha256() ?? checksum.sha256);
  requireEqual(expected?.snapshotSha256 ?? manifest?.snapshot.sha256, checksum.sha256);
  return checksum;
}

/** Compares the size and the end of a stored file, whose other bytes its next reader compares with that end. */
async function compareEnd(
  file: string,
  foundBytes: number,
  { snapshot: { sizeBytes, sha256 } }: BackupManifest,
  databaseSha256: string,
): Promise<SnapshotChecksum> {
  if (foundBytes !== sizeBytes) throw swapped(`it has ${foundBytes} bytes, not ${sizeBytes}`);
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const end = Buffer.alloc(trailerBytes);
    await handle.read(end, 0, trailerBytes, sizeBytes - trailerBytes);
    requireEqual(databaseSha256, end.toString('hex'));
  } finally {
    await handle.close();
  }
  return { sizeBytes, sha256, databaseSha256 };
}

type FetchedFacts = Pick<FetchResult, 'revision' | 'keys' | 'hash' | 'isAuthEnabled'> &
  Pick<SnapshotFacts, 'hashKV' | 'storageVersion'>;

/** The bytes are those that the manifest describes, so the facts are, too. They are not read from the database again. */
function recordedFacts(manifest: BackupManifest | undefined): FetchedFacts | undefined {
  if (manifest?.etcd.hashKV === undefined) return undefined;
  const { revision, keys, hash, hashKV, storageVersion = '', isAuthEnabled = false } = manifest.etcd;
  return { revision, keys, hash, hashKV, storageVersion, isAuthEnabled };
}

function factsOf(path: string, sizeBytes: number, context: AgentContext): Promise<SnapshotFacts> {
  startStep(context, 'verifying the snapshot', sizeBytes);
  return readFacts(path, { signal: context.signal });
}

function requireFacts({ expected, etcdVersion }: FetchRequest, { storageVersion, revision, hash }: FetchedFacts): void {
  if (storageVersion !== '') requireVersion(storageVersion, etcdVersion);
  if ((expected?.revision ?? revision) === revision) return;
  throw swapped(`it has the revision ${revision} and the hash ${hash}`);
}

function requireEqual(wanted: string | undefined, found: string): void {
  if (wanted !== undefined && wanted !== found) throw swapped(`its checksum is ${found}, not ${wanted}`);
}

function swapped(problem: string): SnapshotError {
  return new SnapshotError('Mismatch', `the object is not the one that was stored: ${problem}; use another backup`);
}
