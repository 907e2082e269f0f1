/** The job that makes a backup. The manifest is written last: what fails before it leaves nothing that looks complete. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { timestampAt } from '@ecsm/runtime';
import type { EtcdClient, EtcdEndpoint, EtcdHash, EtcdSnapshot, EtcdStatus } from '../client/etcd/contract.ts';
import { isEtcdError } from '../client/etcd/error.ts';
import type { BackupStorageClient } from '../client/storage/contract.ts';
import { LeafSums } from '../snapshot/bolt/leaf-sums.ts';
import { ChecksumReader, type SnapshotChecksum } from '../snapshot/checksum.ts';
import { type EncryptionKey, encrypt } from '../snapshot/encryption.ts';
import { SnapshotError } from '../snapshot/error.ts';
import { readFacts, type SnapshotFacts } from '../snapshot/facts.ts';
import { compress } from '../snapshot/gzip.ts';
import { type BackupManifest, formatManifest, manifestFormat } from '../snapshot/manifest.ts';
import { dataKeyOf, folderOf, manifestKeyOf } from '../snapshot/names.ts';
import { expiredBackups } from '../snapshot/retention.ts';
import { type AgentContext, encryptionKey, etcdCredentials, startStep, storageOf } from './context.ts';
import { AgentError } from './failure.ts';
import type { BackupJob, BackupResult } from './job.ts';
import { copying, reading, requireSpace } from './scratch.ts';
import { deleteBackup, deleteData, isIntact, listBackups, readManifest, type StoredBackup } from './stored.ts';

/** A member reads all its keys for its hash. */
const hashMsMax = 60_000;

export async function backup(job: BackupJob, context: AgentContext): Promise<BackupResult> {
  const startMs = context.clock.monotonicMs();
  const storage = await storageOf(job.destination, context);
  const path = join(job.scratch, 'snapshot.db');
  try {
    const earlier = await findEarlier(job, storage, context);
    const made = earlier ?? (await make(job, path, storage, context));
    const retained = await retain(job, made, storage, context);
    const durationMs = context.clock.monotonicMs() - startMs;
    return { ...resultOf(made, durationMs), ...retained };
  } finally {
    storage.close();
    await rm(path, { force: true });
  }
}

interface MadeBackup extends StoredBackup {
  readonly isCompared: boolean;
}

/** A backup of the same uid: its result was lost. Data without a manifest is of an attempt that failed. */
async function findEarlier(
  { keyBase, source }: BackupJob,
  storage: BackupStorageClient,
  context: AgentContext,
): Promise<MadeBackup | undefined> {
  const { signal } = context;
  startStep(context, 'looking for an earlier attempt');
  const manifest = await readManifest(storage, manifestKeyOf(keyBase), signal);
  if (!manifest) {
    await deleteData(storage, keyBase, signal);
    return undefined;
  }
  if (manifest.source.backupUid !== source.backupUid) {
    const remedy = 'store the backups of different clusters under different paths';
    throw new AgentError('KeyTaken', `${manifest.key} is another backup, of ${manifest.source.backupUid}; ${remedy}`);
  }
  if (await isIntact(storage, manifest, signal)) return { baseKey: keyBase, manifest, isCompared: false };
  throw new SnapshotError('Corrupt', `${manifest.key} is damaged or missing; delete this backup and make another one`);
}

/** From the first member that has a whole snapshot. */
async function make(
  job: BackupJob,
  path: string,
  storage: BackupStorageClient,
  context: AgentContext,
): Promise<MadeBackup> {
  const key = job.isEncrypted ? await encryptionKey(context) : undefined;
  const client = context.connect(job.tls ? await etcdCredentials(context) : undefined);
  const problems: string[] = [];
  try {
    for (const endpoint of job.endpoints) {
      try {
        return await makeFrom({ client, endpoint, job, path, key, storage, context });
      } catch (error) {
        context.signal.throwIfAborted();
        // Another member cannot help if the disk of this pod is full.
        if (error instanceof AgentError && !error.isRetriable) throw error;
        if (!isEtcdError(error) && !(error instanceof SnapshotError) && !(error instanceof AgentError)) throw error;
        problems.push(error.message);
        context.log.write('warn', 'no snapshot from this member', { host: endpoint.host, reason: error.message });
      }
    }
  } finally {
    client.close();
  }
  const reasons = problems.length === 0 ? 'there are no members to ask' : problems.join('; ');
  throw new AgentError('NoSnapshot', `no member sent a whole snapshot: ${reasons}`, { isRetriable: true });
}

interface Attempt {
  readonly client: EtcdClient;
  readonly endpoint: EtcdEndpoint;
  readonly job: BackupJob;
  readonly path: string;
  readonly key: EncryptionKey | undefined;
  readonly storage: BackupStorageClient;
  readonly context: AgentContext;
}

/** The snapshot of a member that fails or is not fit is closed. */
async function makeFrom(attempt: Attempt): Promise<MadeBackup> {
  const { client, endpoint, job, context } = attempt;
  const { signal } = context;
  const abandoning = new AbortController();
  // It is opened while the status is asked for, and not read before that is known.
  const opening = client.snapshot(endpoint, { signal: AbortSignal.any([signal, abandoning.signal]) });
  opening.catch(() => {});
  try {
    const status = await client.status(endpoint, { signal });
    const unfit = unfitness(status, job.source.clusterId);
    if (unfit !== undefined) throw new AgentError('UnfitMember', `${endpoint.host} ${unfit}`, { isRetriable: true });
    return await store(attempt, status, await opening);
  } catch (error) {
    abandoning.abort();
    throw error;
  }
}

/**
 * The snapshot is stored while it arrives, and completes in the store only after it was verified: in the file of the store,
 * or if that is elsewhere or not the snapshot itself, in a second copy.
 */
async function store(attempt: Attempt, status: EtcdStatus, { chunks, sizeBytes }: EtcdSnapshot): Promise<MadeBackup> {
  const { job, path, key, storage, context } = attempt;
  const { signal } = context;
  const isPlain = job.compression === 'none' && key === undefined;
  const isCopied = !isPlain || !storage.hasFiles;
  if (isCopied) await requireSpace(job.scratch, sizeBytes);
  const reader = new ChecksumReader();
  const sums = new LeafSums(sizeBytes);
  let found: Verified | undefined;
  const known = () => {
    if (found) return found;
    throw new AgentError('Internal', 'the store did not read the snapshot to its end');
  };
  const review = async (file: string) => {
    found = await verify(attempt, reader, sums, file);
  };
  const progress = { step: 'storing the snapshot', totalBytes: sizeBytes, sums };
  const copied = async function* () {
    yield* copying(chunks, path, reader, context, progress);
    // An error makes the store discard what it has received.
    await review(path);
  };
  const plain = isCopied ? copied() : reading(chunks, reader, context, progress);
  const compressed = job.compression === 'gzip' ? compress(plain) : plain;
  const dataKey = dataKeyOf(job.keyBase, job.compression, key !== undefined);
  const stored = await storage.put(dataKey, key ? encrypt(compressed, key) : compressed, {
    signal,
    ...(isPlain ? { sha256: () => known().checksum.sha256 } : {}),
    ...(isCopied ? {} : { review }),
  });
  const { facts, checksum, isCompared } = known();
  const manifest: BackupManifest = {
    format: manifestFormat,
    key: dataKey,
    createdAt: timestampAt(context.clock.now()),
    source: { ...job.source, clusterId: status.clusterId },
    etcd: {
      version: status.version,
      revision: facts.revision,
      keys: facts.keys,
      hash: facts.hash,
      hashKV: facts.hashKV,
      ...(facts.storageVersion === '' ? {} : { storageVersion: facts.storageVersion }),
      ...(facts.isAuthEnabled ? { isAuthEnabled: true } : {}),
    },
    snapshot: { sizeBytes: checksum.sizeBytes, sha256: checksum.sha256 },
    stored: { sizeBytes: stored.sizeBytes, sha256: stored.sha256 },
    compression: job.compression,
    encryption: key ? { algorithm: 'AES-256-GCM', keyId: key.id } : 'none',
  };
  startStep(context, 'writing the manifest');
  await storage.put(manifestKeyOf(job.keyBase), once(formatManifest(manifest)), { signal });
  return { baseKey: job.keyBase, manifest, isCompared };
}

interface Verified {
  readonly facts: SnapshotFacts;
  readonly checksum: SnapshotChecksum;
  readonly isCompared: boolean;
}

/** Throws if the snapshot is not whole, or not what the member has. */
async function verify(
  { client, endpoint, context }: Attempt,
  reader: ChecksumReader,
  sums: LeafSums,
  file: string,
): Promise<Verified> {
  const checksum = reader.finish();
  startStep(context, 'verifying the snapshot', checksum.sizeBytes);
  // The member computes its hash meanwhile.
  let hash: Promise<EtcdHash | undefined> | undefined;
  const facts = await readFacts(file, {
    signal: context.signal,
    sums,
    onRevision: (revision) => {
      hash = hashAt(client, endpoint, revision, context);
      hash.catch(() => {});
    },
  });
  return { facts, checksum, isCompared: compare(facts, await hash, endpoint) };
}

function unfitness(status: EtcdStatus, clusterId: string): string | undefined {
  if (status.isLearner) return 'is a learner';
  if (status.leaderId === undefined) return 'has no leader';
  if (clusterId !== '' && status.clusterId !== clusterId) return `belongs to another cluster, ${status.clusterId}`;
  return undefined;
}

/** Undefined if the member cannot tell any more: it is older than 3.5, or was compacted meanwhile. */
async function hashAt(
  client: EtcdClient,
  endpoint: EtcdEndpoint,
  revision: string,
  { signal }: AgentContext,
): Promise<EtcdHash | undefined> {
  try {
    return await client.hashKV(endpoint, BigInt(revision), { signal, timeoutMs: hashMsMax });
  } catch (error) {
    if (isEtcdError(error)) return undefined;
    throw error;
  }
}

/** False if there is nothing to compare with. */
function compare(facts: SnapshotFacts, found: EtcdHash | undefined, { host }: EtcdEndpoint): boolean {
  if (!found || String(found.compactRevision) !== facts.compactRevision) return false;
  if (found.hash === facts.hashKV) return true;
  const problem = `the keys of the snapshot have the hash ${facts.hashKV}, those of ${host} ${found.hash}`;
  throw new AgentError('HashMismatch', `${problem}: one of them is damaged`, { isRetriable: true });
}

/** After a success only. What cannot be removed now is removed after the next backup. */
async function retain(
  { retention, keyBase }: BackupJob,
  made: StoredBackup,
  storage: BackupStorageClient,
  context: AgentContext,
): Promise<Pick<BackupResult, 'pruned' | 'isPrunedAll'>> {
  if (!retention) return { pruned: [], isPrunedAll: true };
  startStep(context, 'removing old backups');
  const pruned: string[] = [];
  try {
    const backups = new Map<string, StoredBackup>();
    for await (const found of listBackups(storage, folderOf(keyBase), context.signal))
      backups.set(found.baseKey, found);
    // A list of a store may be older than what was just written.
    backups.set(made.baseKey, made);
    for (const { baseKey } of expiredBackups([...backups.values()], retention, context.clock.now())) {
      if (baseKey === made.baseKey) continue;
      await deleteBackup(storage, baseKey, context.signal);
      pruned.push(baseKey);
    }
    return { pruned, isPrunedAll: true };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.log.write('warn', 'old backups were not removed', { reason });
    return { pruned, isPrunedAll: false };
  }
}

function resultOf(
  { baseKey, manifest, isCompared }: MadeBackup,
  durationMs: number,
): Omit<BackupResult, 'pruned' | 'isPrunedAll'> {
  const { etcd, snapshot, stored, key, createdAt } = manifest;
  return {
    ok: true,
    do: 'backup',
    manifestKey: manifestKeyOf(baseKey),
    key,
    sizeBytes: snapshot.sizeBytes,
    storedSizeBytes: stored.sizeBytes,
    sha256: snapshot.sha256,
    storedSha256: stored.sha256,
    revision: etcd.revision,
    keys: etcd.keys,
    hash: etcd.hash,
    ...(etcd.hashKV === undefined ? {} : { hashKV: etcd.hashKV }),
    version: etcd.version,
    createdAt,
    durationMs,
    isCompared,
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
