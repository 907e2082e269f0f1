/** The job that makes a backup. The manifest is written last: what fails before it leaves nothing that looks complete. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { timestampAt } from '@ecsm/runtime';
import type { EtcdClient, EtcdEndpoint, EtcdHash, EtcdStatus } from '../client/etcd/contract.ts';
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
import { hashAt, isHashEqual, type Offer, offerOf } from './member.ts';
import { copying, reading, requireSpace } from './scratch.ts';
import { deleteBackup, deleteData, isIntact, listBackups, readManifest, type StoredBackup } from './stored.ts';

export async function backup(job: BackupJob, context: AgentContext): Promise<BackupResult> {
  const startMs = context.clock.monotonicMs();
  const credentials = job.tls ? await etcdCredentials(context) : undefined;
  const storage = await storageOf(job.destination, context);
  const client = context.connect(credentials);
  const path = join(job.scratch, 'snapshot.db');
  const offer = (endpoint: EtcdEndpoint) => offerOf(client, endpoint, job.source.clusterId, context.signal);
  // The first member is asked while the store is.
  const [first] = job.endpoints.slice(0, 1).map(offer);
  try {
    const earlier = await findEarlier(job, storage, context);
    if (earlier) first?.abandon();
    const work = { client, job, path, storage, context };
    const made = earlier ?? (await make(work, (endpoint) => (endpoint === first?.endpoint ? first : offer(endpoint))));
    const retained = await retain(job, made, storage, context);
    const durationMs = context.clock.monotonicMs() - startMs;
    return { ...resultOf(made, durationMs), ...retained };
  } finally {
    client.close();
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

interface Work {
  readonly client: EtcdClient;
  readonly job: BackupJob;
  readonly path: string;
  readonly storage: BackupStorageClient;
  readonly context: AgentContext;
}

/** From the first member that has a whole snapshot. */
async function make(work: Work, offer: (endpoint: EtcdEndpoint) => Offer): Promise<MadeBackup> {
  const { job, context } = work;
  const key = job.isEncrypted ? await encryptionKey(context) : undefined;
  const problems: string[] = [];
  for (const endpoint of job.endpoints) {
    const offered = offer(endpoint);
    try {
      return await store(work, offered, key);
    } catch (error) {
      offered.abandon();
      context.signal.throwIfAborted();
      // Another member cannot help if the disk of this pod is full.
      if (error instanceof AgentError && !error.isRetriable) throw error;
      if (!isEtcdError(error) && !(error instanceof SnapshotError) && !(error instanceof AgentError)) throw error;
      problems.push(error.message);
      context.log.write('warn', 'no snapshot from this member', { host: endpoint.host, reason: error.message });
    }
  }
  const reasons = problems.length === 0 ? 'there are no members to ask' : problems.join('; ');
  throw new AgentError('NoSnapshot', `no member sent a whole snapshot: ${reasons}`, { isRetriable: true });
}

/**
 * The snapshot is stored while it arrives, and completes in the store only after it was verified: in the file of the store,
 * or if that is elsewhere or not the snapshot itself, in a second copy. The store prepares itself before the member answers;
 * an error makes it discard what it has received.
 */
async function store(work: Work, offer: Offer, key: EncryptionKey | undefined): Promise<MadeBackup> {
  const { job, path, storage, context } = work;
  const { signal } = context;
  const isPlain = job.compression === 'none' && key === undefined;
  const isCopied = !isPlain || !storage.hasFiles;
  const reader = new ChecksumReader();
  let received: { readonly status: EtcdStatus; readonly sums: LeafSums } | undefined;
  let found: Verified | undefined;
  const known = () => {
    if (received && found) return { ...received, ...found };
    throw new AgentError('Internal', 'the store did not read the snapshot to its end');
  };
  const review = async (file: string) => {
    if (received) found = await verify(work, offer, received.status, { reader, sums: received.sums, file });
  };
  const snapshot = async function* () {
    const {
      status,
      snapshot: { chunks, sizeBytes },
    } = await offer.take();
    const sums = new LeafSums(sizeBytes);
    received = { status, sums };
    const progress = { step: 'storing the snapshot', totalBytes: sizeBytes, sums };
    if (!isCopied) return yield* reading(chunks, reader, context, progress);
    await requireSpace(job.scratch, sizeBytes);
    yield* copying(chunks, path, reader, context, progress);
    await review(path);
  };
  const plain = snapshot();
  const compressed = job.compression === 'gzip' ? compress(plain) : plain;
  const dataKey = dataKeyOf(job.keyBase, job.compression, key !== undefined);
  const stored = await storage.put(dataKey, key ? encrypt(compressed, key) : compressed, {
    signal,
    ...(isPlain ? { sha256: () => known().checksum.sha256 } : {}),
    ...(isCopied ? {} : { review }),
  });
  const { status, facts, checksum, isCompared } = known();
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

interface Received {
  readonly reader: ChecksumReader;
  readonly sums: LeafSums;
  readonly file: string;
}

/** Throws if the snapshot is not whole, or not what the member has. */
async function verify(
  { client, context }: Work,
  { endpoint }: Offer,
  status: EtcdStatus,
  { reader, sums, file }: Received,
): Promise<Verified> {
  const checksum = reader.finish();
  startStep(context, 'verifying the snapshot', checksum.sizeBytes);
  // The member computes its hash meanwhile.
  let hash: Promise<EtcdHash | undefined> | undefined;
  const facts = await readFacts(file, {
    signal: context.signal,
    sums,
    onRevision: (revision) => {
      hash = hashAt(client, endpoint, status, revision, context.signal);
      hash.catch(() => {});
    },
  });
  return { facts, checksum, isCompared: isHashEqual(facts, await hash, endpoint) };
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
