/** Asks the members of a cluster. Every answer stands for itself: one that does not answer says nothing about the others. */
import type { EtcdAlarm, EtcdClient, EtcdEndpoint, EtcdMemberList, EtcdStatus } from './contract.ts';
import { isEtcdError } from './error.ts';

export interface MemberAnswer {
  readonly status?: EtcdStatus;
  readonly error?: string;
  readonly isServing: boolean;
  readonly isDenied?: boolean;
  readonly isUntrusted?: boolean;
  /** At the revision that was asked for. */
  readonly keys?: number;
}

interface MembersObserved {
  /** By slot. */
  readonly answers: ReadonlyMap<number, MemberAnswer>;
  readonly members: EtcdMemberList | undefined;
  readonly alarms: readonly EtcdAlarm[];
}

export interface MembersOptions {
  readonly signal?: AbortSignal;
  /** Of each call. */
  readonly timeoutMs: number;
  /** The keys of one member are counted, too. */
  readonly countAt?: { readonly slot: number; readonly revision: bigint };
}

/** Never written: a linearizable read of any key needs a quorum. */
const probeKey = 'etcd-operator/health';

/** Never throws for a member that does not answer. */
export async function observeMembers(
  client: EtcdClient,
  endpoints: ReadonlyMap<number, EtcdEndpoint>,
  options: MembersOptions,
): Promise<MembersObserved> {
  const answers = new Map(
    await Promise.all(
      [...endpoints].map(async ([slot, endpoint]) => [slot, await ask(client, endpoint, options, slot)] as const),
    ),
  );
  const serving = [...answers].filter(([, { isServing }]) => isServing).map(([slot]) => slot);
  const leader = serving.find((slot) => isLeader(answers.get(slot)));
  const order = leader === undefined ? serving : [leader, ...serving.filter((slot) => slot !== leader)];
  for (const slot of order) {
    const endpoint = endpoints.get(slot);
    if (endpoint === undefined) continue;
    try {
      const [members, alarms] = await Promise.all([
        client.memberList(endpoint, options),
        client.alarms(endpoint, options),
      ]);
      return { answers, members, alarms };
    } catch {
      // Another one may answer. If none does, the members are unknown, which is not the same as none.
    }
  }
  return { answers, members: undefined, alarms: [] };
}

/** Undefined if it cannot be told any more: the revision was compacted. */
async function count(
  client: EtcdClient,
  endpoint: EtcdEndpoint,
  revision: bigint,
  options: MembersOptions,
): Promise<number | undefined> {
  try {
    return await client.count(endpoint, revision, options);
  } catch (error) {
    if (isEtcdError(error, 'Other')) return undefined;
    throw error;
  }
}

function isLeader(answer: MemberAnswer | undefined): boolean {
  return answer?.status !== undefined && answer.status.leaderId === answer.status.memberId;
}

/** A learner does not serve linearizable reads; its status is enough. */
async function ask(
  client: EtcdClient,
  endpoint: EtcdEndpoint,
  options: MembersOptions,
  slot: number,
): Promise<MemberAnswer> {
  try {
    const status = await client.status(endpoint, options);
    if (status.isLearner || status.leaderId === undefined) return { status, isServing: false };
    try {
      await client.get(endpoint, probeKey, options);
      const { countAt } = options;
      const keys = countAt?.slot === slot ? await count(client, endpoint, countAt.revision, options) : undefined;
      return { status, isServing: true, ...(keys === undefined ? {} : { keys }) };
    } catch (error) {
      return {
        status,
        // A member that refuses because of the alarm has asked its quorum. Without this, the corrupt one could not be replaced.
        isServing: isEtcdError(error, 'Corrupt'),
        ...(isEtcdError(error, 'Denied') ? { isDenied: true } : {}),
      };
    }
  } catch (error) {
    return {
      error: error instanceof Error ? error.message : String(error),
      isServing: false,
      ...(isEtcdError(error, 'Denied') ? { isDenied: true } : {}),
      ...(isEtcdError(error) && error.isTlsFailure ? { isUntrusted: true } : {}),
    };
  }
}
