/**
 * The jobs of worker pods on a simulated store and simulated members, step by step: a worker may end between any two of
 * them. What it does is what the agent does; the agent itself has tests of its own.
 */
import { createHash } from 'node:crypto';
import { timestampAt } from '@ecsm/runtime';
import type { AgentJob, BackupJob } from '../../src/agent/job.ts';
import { clusterIdOf, type DataDirectory, type Entry, memberIdOf } from '../../src/client/etcd/simulated/model.kit.ts';
import type { BackupStorageClient } from '../../src/client/storage/contract.ts';
import { isStorageError } from '../../src/client/storage/error.ts';
import { expiredBackups } from '../../src/snapshot/retention.ts';
import type { View } from './view.kit.ts';
import { slots } from './view.kit.ts';

interface SimulatedSnapshot {
  readonly revision: string;
  readonly minor: number;
  readonly puts: readonly { readonly key: string; readonly value: string }[];
}

interface Manifest {
  readonly key: string;
  readonly createdAt: string;
  readonly sha256: string;
  readonly revision: string;
  readonly source: { readonly backupUid: string; readonly scheduleUid?: string };
}

interface AgentWorld {
  readonly storage: BackupStorageClient;
  readonly view: View;
  readonly nowMs: () => number;
  /** Throws if the worker has ended. */
  readonly step: () => Promise<void>;
}

export class AgentFailed extends Error {
  readonly code: string;
  readonly isRetriable: boolean;

  constructor(code: string, message: string, isRetriable: boolean) {
    super(message);
    this.code = code;
    this.isRetriable = isRetriable;
  }
}

export async function simulateJob(job: AgentJob, world: AgentWorld): Promise<object> {
  switch (job.do) {
    case 'backup':
      return backup(job, world);
    case 'fetch': {
      const { manifest, snapshot } = await fetchSnapshot(job.key, world);
      const sha256 = job.expected?.snapshotSha256;
      if (sha256 !== undefined && sha256 !== manifest.sha256) throw new AgentFailed('Mismatch', 'other bytes', false);
      return { ok: true, do: 'fetch', ...factsOf(snapshot, manifest.sha256) };
    }
    case 'prune':
      for (const key of job.keys) await remove(key, world);
      return { ok: true, do: 'prune' };
    default:
      return { ok: true, do: job.do };
  }
}

/** The data directory that etcdutl would make of a stored snapshot. */
export async function restoreData(
  key: string,
  member: { readonly peerURL: string; readonly token: string },
  world: AgentWorld,
): Promise<DataDirectory> {
  const { snapshot } = await fetchSnapshot(key, world);
  const memberId = memberIdOf(member.peerURL, member.token);
  const log: Entry[] = [
    { term: 1, change: { type: 'add', id: memberId, peerURL: member.peerURL, isLearner: false } },
    { term: 1, change: { type: 'version', minor: snapshot.minor } },
    ...snapshot.puts.map((put): Entry => ({ term: 1, change: { type: 'put', ...put } })),
  ];
  const clusterId = clusterIdOf([memberId]);
  return { clusterId, memberId, log, commit: log.length, term: 1, fileBytes: 0, isDamaged: false };
}

async function backup(job: BackupJob, world: AgentWorld): Promise<object> {
  const { storage, view, step } = world;
  await step();
  for await (const { key } of storage.list(`${job.keyBase}-r`)) {
    if (!key.endsWith('.manifest.json')) continue;
    const found = await readManifest(key, world);
    if (found?.source.backupUid === job.source.backupUid) return answer(found, key, await readSnapshot(found, world));
  }
  await step();
  const process = slots
    .map((slot) => view.process(slot))
    .find((one) => one?.options.address === job.endpoints[0]?.address);
  if (process === undefined || !process.isServing) throw new AgentFailed('NoSnapshot', 'no member answers', true);
  const puts = process.data.log
    .slice(0, process.data.commit)
    .flatMap(({ change }) => (change.type === 'put' ? [{ key: change.key, value: change.value }] : []));
  const snapshot: SimulatedSnapshot = { revision: String(process.state.revision), minor: process.state.minor, puts };
  const bytes = Buffer.from(JSON.stringify(snapshot));
  const base = `${job.keyBase}-r${snapshot.revision}`;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await step();
  // A former attempt that ended before its manifest has left it.
  await storage.delete(`${base}.db`);
  await step();
  await storage.put(`${base}.db`, once(bytes));
  await step();
  const createdAt = timestampAt(world.nowMs());
  const manifest: Manifest = { key: `${base}.db`, createdAt, sha256, revision: snapshot.revision, source: job.source };
  await storage.put(`${base}.manifest.json`, once(Buffer.from(JSON.stringify(manifest))));
  await step();
  const pruned = job.retention ? await retain(job, base, manifest, world) : [];
  return { ...answer(manifest, `${base}.manifest.json`, snapshot), pruned };
}

function answer(manifest: Manifest, manifestKey: string, snapshot: SimulatedSnapshot): object {
  const facts = factsOf(snapshot, manifest.sha256);
  return { ok: true, do: 'backup', key: manifest.key, manifestKey, ...facts, storedSizeBytes: 1, pruned: [] };
}

function factsOf({ revision, puts }: SimulatedSnapshot, sha256: string): object {
  return {
    revision,
    keys: new Set(puts.map(({ key }) => key)).size,
    sizeBytes: 1,
    sha256,
    storedSha256: sha256,
    version: '3.5.30',
    hash: 'h',
  };
}

async function retain(job: BackupJob, own: string, made: Manifest, world: AgentWorld): Promise<readonly string[]> {
  const { retention } = job;
  if (retention === undefined) return [];
  const folder = job.keyBase.slice(0, job.keyBase.lastIndexOf('/') + 1);
  const found = new Map([[own, made]]);
  const pruned: string[] = [];
  try {
    for await (const { key } of world.storage.list(folder)) {
      const manifest = key.endsWith('.manifest.json') ? await readManifest(key, world) : undefined;
      if (manifest) found.set(key.slice(0, -'.manifest.json'.length), manifest);
    }
    const backups = [...found].map(([baseKey, manifest]) => ({ baseKey, manifest: manifest as never }));
    for (const { baseKey } of expiredBackups(backups, retention, world.nowMs())) {
      if (baseKey === own) continue;
      await remove(baseKey, world);
      pruned.push(baseKey);
    }
  } catch (error) {
    if (!isStorageError(error)) throw error;
  }
  return pruned;
}

async function remove(base: string, { storage, step }: AgentWorld): Promise<void> {
  await step();
  await storage.delete(`${base}.manifest.json`);
  await step();
  await storage.delete(`${base}.db`);
}

async function fetchSnapshot(key: string, world: AgentWorld) {
  await world.step();
  const manifest = await readManifest(key, world);
  if (manifest === undefined) throw new AgentFailed('NoBackup', `there is no ${key}`, false);
  return { manifest, snapshot: await readSnapshot(manifest, world) };
}

async function readSnapshot(manifest: Manifest, world: AgentWorld): Promise<SimulatedSnapshot> {
  await world.step();
  const bytes = await read(manifest.key, world);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== manifest.sha256) throw new AgentFailed('Corrupt', `${manifest.key} is damaged`, false);
  return JSON.parse(bytes.toString());
}

/** Undefined if there is none, or if it is a stranger's. */
async function readManifest(key: string, world: AgentWorld): Promise<Manifest | undefined> {
  try {
    const value = JSON.parse((await read(key, world)).toString());
    return typeof value.sha256 === 'string' ? value : undefined;
  } catch (error) {
    if (isStorageError(error, 'NotFound') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function read(key: string, { storage }: AgentWorld): Promise<Buffer> {
  const { body } = await storage.get(key);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
