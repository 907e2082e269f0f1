/** The data of simulated members: their logs, their data directories, their options, and the times of the simulation. */
import { createHash } from 'node:crypto';
import type { EtcdAlarmType, EtcdId } from '../contract.ts';

export type Change =
  | { readonly type: 'none' }
  | { readonly type: 'add'; readonly id: EtcdId; readonly peerURL: string; readonly isLearner: boolean }
  | { readonly type: 'promote'; readonly id: EtcdId }
  | { readonly type: 'remove'; readonly id: EtcdId }
  /** A member announces its name and its client URL after each start. */
  | { readonly type: 'publish'; readonly id: EtcdId; readonly name: string; readonly clientURL: string }
  | { readonly type: 'put'; readonly key: string; readonly value: string }
  | { readonly type: 'compact'; readonly revision: bigint }
  /** Many writes of one key: old versions of it with this size. */
  | { readonly type: 'history'; readonly bytes: number }
  | { readonly type: 'arm' | 'disarm'; readonly id: EtcdId; readonly alarm: EtcdAlarmType }
  | { readonly type: 'version'; readonly minor: number };

/** Two logs with the same term at an index are equal up to it. */
export interface Entry {
  readonly term: number;
  readonly change: Change;
}

/** What is on a disk. Every entry that a member has acknowledged is in its log. */
export interface DataDirectory {
  readonly clusterId: EtcdId;
  readonly memberId: EtcdId;
  readonly log: Entry[];
  /** The number of entries that are known to be committed. */
  commit: number;
  term: number;
  /** The size of the database file: it shrinks only when it is defragmented. */
  fileBytes: number;
  /** Set by a test: the hash of this copy differs. */
  isDamaged: boolean;
}

/** A volume outlives the process that uses it. */
export class EtcdVolume {
  data: DataDirectory | undefined;

  /** Loses everything. A process that uses it has to be stopped before. */
  wipe(): void {
    this.data = undefined;
  }
}

/** What etcd is started with. */
export interface SimulatedEtcdOptions {
  readonly name: string;
  readonly peerURL: string;
  readonly clientURL: string;
  /** Where clients dial it. */
  readonly address: string;
  /** Default: 2379. */
  readonly port?: number;
  /** Such as `3.5.16`. */
  readonly version: string;
  readonly volume: EtcdVolume;
  /** Only used with an empty volume, like the next two. */
  readonly initialCluster: readonly { readonly name: string; readonly peerURL: string }[];
  readonly initialClusterState: 'new' | 'existing';
  readonly initialClusterToken: string;
  readonly forceNewCluster?: boolean;
  /** Default: 2 GiB. */
  readonly quotaBytes?: number;
  /** Called once, when the process ends by itself; never after `stop`. */
  readonly onExit?: (reason: string) => void;
}

export interface SimulatedEtcdTimes {
  /** From the start of a process until it takes part. */
  readonly startMs: number;
  /** How long the loss of the leader takes to be noticed and resolved. */
  readonly electionMs: number;
  /** Until a member that was away has the entries that it missed. */
  readonly catchUpMs: number;
  /** The same for a member with an empty log. */
  readonly catchUpEmptyMs: number;
  /** How long members have to be connected before the membership can change: 5 s in etcd. */
  readonly healthMs: number;
  /** After a change, until the cluster version follows the versions of the members. */
  readonly versionMs: number;
  /** Of a call, each way. */
  readonly latencyMs: number;
  /** After which a read that cannot be answered yet is tried again. */
  readonly readRetryMs: number;
  /** Until a member has deleted the history that was compacted. */
  readonly compactMs: number;
  /** A member serves nothing while it is defragmented. */
  readonly defragmentMs: number;
}

export const timesDefault: SimulatedEtcdTimes = {
  startMs: 200,
  electionMs: 1_000,
  catchUpMs: 50,
  catchUpEmptyMs: 1_000,
  healthMs: 5_000,
  versionMs: 4_000,
  latencyMs: 2,
  readRetryMs: 20,
  compactMs: 2_000,
  defragmentMs: 500,
};

/** Like etcd's: of a bootstrap from URL and token only, of an addition also from the time in seconds. */
export function memberIdOf(peerURL: string, token: string, nowMs?: number): EtcdId {
  return idOf(`${peerURL}${token}${nowMs === undefined ? '' : Math.floor(nowMs / 1_000)}`);
}

export function clusterIdOf(memberIds: readonly EtcdId[]): EtcdId {
  const sorted = memberIds.map((id) => BigInt(`0x${id}`)).sort((a, b) => (a < b ? -1 : 1));
  const bytes = Buffer.alloc(8 * sorted.length);
  for (const [index, id] of sorted.entries()) bytes.writeBigUInt64BE(id, index * 8);
  return idOf(bytes);
}

function idOf(data: string | Buffer): EtcdId {
  return createHash('sha1').update(data).digest().readBigUInt64BE(0).toString(16);
}

/** Of `3.5.16`, 5. */
export function minorOf(version: string): number {
  return Number(version.split('.')[1] ?? 0);
}

export function patchOf(version: string): number {
  return Number(version.split('.')[2] ?? 0);
}

/** What the members of a cluster share: `main-peer.default.svc` of `https://main-0.main-peer.default.svc:2380`. */
export function scopeOf(peerURL: string): string {
  return /^[a-z]+:\/\/[^.:/]*\.?([^:/]*)/u.exec(peerURL)?.[1] ?? '';
}
