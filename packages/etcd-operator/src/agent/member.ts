/** The member of which a backup is made: its status, its snapshot, and the hash of its keys. */
import type { EtcdClient, EtcdEndpoint, EtcdHash, EtcdSnapshot, EtcdStatus } from '../client/etcd/contract.ts';
import { isEtcdError } from '../client/etcd/error.ts';
import type { SnapshotFacts } from '../snapshot/facts.ts';
import { AgentError } from './failure.ts';

/** A member reads all its keys for its hash. */
const hashMsMax = 60_000;

export interface Offer {
  readonly endpoint: EtcdEndpoint;
  /** Throws if the member is not fit for a backup. */
  take(): Promise<{ readonly status: EtcdStatus; readonly snapshot: EtcdSnapshot }>;
  /** Closes the snapshot, also one that is being read. */
  abandon(): void;
}

/** The snapshot is opened while the status is asked for, and not read before that is known. */
export function offerOf(client: EtcdClient, endpoint: EtcdEndpoint, clusterId: string, signal: AbortSignal): Offer {
  const abandoning = new AbortController();
  const options = { signal: AbortSignal.any([signal, abandoning.signal]) };
  const opening = client.snapshot(endpoint, options);
  const asking = client.status(endpoint, options);
  // They are awaited later, or never.
  for (const call of [opening, asking]) call.catch(() => {});
  return {
    endpoint,
    async take() {
      const status = await asking;
      const unfit = unfitness(status, clusterId);
      if (unfit !== undefined) throw new AgentError('UnfitMember', `${endpoint.host} ${unfit}`, { isRetriable: true });
      return { status, snapshot: await opening };
    },
    abandon() {
      abandoning.abort();
    },
  };
}

function unfitness(status: EtcdStatus, clusterId: string): string | undefined {
  if (status.isLearner) return 'is a learner';
  if (status.leaderId === undefined) return 'has no leader';
  if (clusterId !== '' && status.clusterId !== clusterId) return `belongs to another cluster, ${status.clusterId}`;
  return undefined;
}

/** Undefined if the member cannot tell: it is older than 3.5, or was compacted meanwhile. */
export async function hashAt(
  client: EtcdClient,
  endpoint: EtcdEndpoint,
  { version }: EtcdStatus,
  revision: string,
  signal: AbortSignal,
): Promise<EtcdHash | undefined> {
  if (/^3\.[0-4]\./.test(version)) return undefined;
  try {
    return await client.hashKV(endpoint, BigInt(revision), { signal, timeoutMs: hashMsMax });
  } catch (error) {
    if (isEtcdError(error)) return undefined;
    throw error;
  }
}

/** False if there is nothing to compare with. */
export function isHashEqual(facts: SnapshotFacts, found: EtcdHash | undefined, { host }: EtcdEndpoint): boolean {
  if (!found || String(found.compactRevision) !== facts.compactRevision) return false;
  if (found.hash === facts.hashKV) return true;
  const problem = `the keys of the snapshot have the hash ${facts.hashKV}, those of ${host} ${found.hash}`;
  throw new AgentError('HashMismatch', `${problem}: one of them is damaged`, { isRetriable: true });
}
