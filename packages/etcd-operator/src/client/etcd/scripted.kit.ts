/** A client of etcd whose answers are set by tests, and which remembers the changes that were asked for. */
import type {
  EtcdAlarm,
  EtcdClient,
  EtcdEndpoint,
  EtcdErrorCode,
  EtcdHash,
  EtcdMember,
  EtcdMemberList,
  EtcdSnapshot,
  EtcdStatus,
} from './contract.ts';
import { EtcdError } from './error.ts';

/** What one member answers. A code: it answers with that error. */
export interface MemberScript {
  readonly status: EtcdStatus | EtcdErrorCode;
  /** Of a linearizable read. Default: it succeeds. */
  readonly read?: EtcdErrorCode;
  readonly list?: EtcdMemberList | EtcdErrorCode;
  readonly alarms?: readonly EtcdAlarm[] | EtcdErrorCode;
  readonly keys?: number | EtcdErrorCode;
}

export class ScriptedEtcd implements EtcdClient {
  /** By the name of the host, or the address of the pod. */
  readonly members = new Map<string, MemberScript>();
  /** Such as `promote b at 10.0.0.1`. */
  readonly changes: string[] = [];
  /** The next change fails so. */
  failure: EtcdErrorCode | undefined;
  onClose = () => {};

  async status(endpoint: EtcdEndpoint): Promise<EtcdStatus> {
    return answer(this.#at(endpoint).status);
  }

  async memberList(endpoint: EtcdEndpoint): Promise<EtcdMemberList> {
    return answer(this.#at(endpoint).list ?? 'Unavailable');
  }

  async alarms(endpoint: EtcdEndpoint): Promise<readonly EtcdAlarm[]> {
    return answer(this.#at(endpoint).alarms ?? []);
  }

  async get(endpoint: EtcdEndpoint): Promise<undefined> {
    const { read } = this.#at(endpoint);
    return read && answer<undefined>(read);
  }

  async addLearner(endpoint: EtcdEndpoint, peerURL: string): Promise<EtcdMemberList & { readonly memberId: string }> {
    this.#change(endpoint, `addLearner ${peerURL}`);
    return { ...(await this.memberList(endpoint)), memberId: 'new' };
  }

  async promote(endpoint: EtcdEndpoint, memberId: string): Promise<void> {
    this.#change(endpoint, `promote ${memberId}`);
  }

  async remove(endpoint: EtcdEndpoint, memberId: string): Promise<void> {
    this.#change(endpoint, `remove ${memberId}`);
  }

  async moveLeader(endpoint: EtcdEndpoint, memberId: string): Promise<void> {
    this.#change(endpoint, `moveLeader ${memberId}`);
  }

  async disarm(endpoint: EtcdEndpoint, { type, memberId }: EtcdAlarm): Promise<void> {
    this.#change(endpoint, `disarm ${type} ${memberId}`);
  }

  async compact(endpoint: EtcdEndpoint, revision: bigint): Promise<void> {
    this.#change(endpoint, `compact ${revision}`);
  }

  async defragment(endpoint: EtcdEndpoint): Promise<void> {
    this.#change(endpoint, 'defragment');
  }

  hashKV(): Promise<EtcdHash> {
    throw new EtcdError('Other', 'not scripted');
  }

  snapshot(): Promise<EtcdSnapshot> {
    throw new EtcdError('Other', 'not scripted');
  }

  async count(endpoint: EtcdEndpoint): Promise<number> {
    return answer(this.#at(endpoint).keys ?? 'Other');
  }

  put(): Promise<bigint> {
    throw new EtcdError('Other', 'not scripted');
  }

  close(): void {
    this.onClose();
  }

  #at({ host, address }: EtcdEndpoint): MemberScript {
    return this.members.get(host) ?? this.members.get(address) ?? { status: 'Unavailable' };
  }

  #change({ address }: EtcdEndpoint, change: string): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) answer(failure);
    this.changes.push(`${change} at ${address}`);
  }
}

function answer<T>(scripted: T | EtcdErrorCode): T {
  if (isCode(scripted)) throw new EtcdError(scripted, `scripted: ${scripted}`);
  return scripted;
}

function isCode(value: unknown): value is EtcdErrorCode {
  return typeof value === 'string';
}

export function member(id: string, slot: number, isLearner = false): EtcdMember {
  const host = `main-${slot}.main-peer.default.svc`;
  return {
    id,
    name: `main-${slot}`,
    peerURLs: [`http://${host}:2380`],
    clientURLs: [`http://${host}:2379`],
    isLearner,
  };
}

export function statusOfMember(memberId: string, changes: Partial<EtcdStatus> = {}): EtcdStatus {
  return {
    clusterId: 'c1',
    memberId,
    version: '3.5.21',
    leaderId: 'a',
    isLearner: false,
    revision: 7n,
    raftTerm: 2n,
    raftIndex: 10n,
    raftAppliedIndex: 10n,
    dbSizeBytes: 100,
    dbSizeInUseBytes: 50,
    ...changes,
  };
}
