/** What a member knows after it has applied a part of its log: a deterministic state machine. */
import { createHash } from 'node:crypto';
import type { EtcdAlarm, EtcdErrorCode, EtcdId, EtcdMember } from '../contract.ts';
import { EtcdError } from '../error.ts';
import type { Change } from './model.kit.ts';

/** Of an empty database. */
const baseBytes = 20_480;
/** What a key and a value need in addition. */
const recordBytes = 100;
const learnersMax = 1;

interface Stored {
  readonly value: string;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  readonly bytes: number;
}

export class EtcdState {
  readonly members = new Map<EtcdId, EtcdMember>();
  readonly removed = new Set<EtcdId>();
  readonly keys = new Map<string, Stored>();
  readonly alarms = new Map<string, EtcdAlarm>();
  /** Counts the changes of members. */
  configuration = 0;
  revision = 1n;
  compacted = 0n;
  /** The minor version that all members have had; 0 before it was determined. */
  minor = 0;
  #bytes = baseBytes;
  /** Size of what was compacted and is not deleted yet. */
  #garbageBytes = 0;
  /** Old versions of values, which a compaction discards. */
  #history: { readonly supersededAt: bigint; readonly bytes: number }[] = [];
  readonly #hashes = new Map<bigint, string>([[1n, '']]);

  get voters(): readonly EtcdMember[] {
    return [...this.members.values()].filter(({ isLearner }) => !isLearner);
  }

  get quorum(): number {
    return Math.floor(this.voters.length / 2) + 1;
  }

  get bytesInUse(): number {
    return this.#bytes;
  }

  get hasGarbage(): boolean {
    return this.#garbageBytes > 0;
  }

  /** Deletes what was compacted. */
  sweep(): void {
    this.#bytes -= this.#garbageBytes;
    this.#garbageBytes = 0;
  }

  hasAlarm(type: EtcdAlarm['type']): boolean {
    return [...this.alarms.values()].some((alarm) => alarm.type === type);
  }

  /** Returns the error that the proposer gets: the entry then changed nothing. */
  apply(change: Change): EtcdError | undefined {
    switch (change.type) {
      case 'none':
        return undefined;
      case 'add':
        return this.#add(change.id, change.peerURL, change.isLearner);
      case 'promote': {
        const member = this.members.get(change.id);
        if (!member) return refuse('MemberNotFound', 'member not found');
        if (!member.isLearner) return refuse('NotLearner', 'can only promote a learner member');
        this.members.set(change.id, { ...member, isLearner: false });
        this.configuration++;
        return undefined;
      }
      case 'remove':
        if (!this.members.delete(change.id)) return refuse('MemberNotFound', 'member not found');
        this.removed.add(change.id);
        this.configuration++;
        return undefined;
      case 'publish': {
        const member = this.members.get(change.id);
        if (member) this.members.set(change.id, { ...member, name: change.name, clientURLs: [change.clientURL] });
        return undefined;
      }
      case 'put':
        return this.#put(change.key, change.value);
      case 'compact':
        return this.#compact(change.revision);
      case 'history':
        if (this.hasAlarm('NOSPACE')) return refuse('NoSpace', 'mvcc: database space exceeded');
        this.#hashes.set(this.revision + 1n, this.#hashes.get(this.revision) ?? '');
        this.revision++;
        this.#history.push({ supersededAt: this.revision, bytes: change.bytes });
        this.#bytes += change.bytes;
        return undefined;
      case 'arm':
        this.alarms.set(`${change.alarm} ${change.id}`, { memberId: change.id, type: change.alarm });
        return undefined;
      case 'disarm':
        this.alarms.delete(`${change.alarm} ${change.id}`);
        return undefined;
      case 'version':
        this.minor = change.minor;
        return undefined;
    }
  }

  /** Throws if the revision is in the future or compacted. */
  hashAt(revision: bigint): string {
    const wanted = revision === 0n ? this.revision : revision;
    if (wanted > this.revision) throw refuse('Other', 'mvcc: required revision is a future revision');
    if (wanted < this.compacted) throw refuse('Other', 'mvcc: required revision has been compacted');
    return this.#hashes.get(wanted) ?? '';
  }

  /** Throws if the revision is in the future or compacted. Nothing deletes keys here. */
  countAt(revision: bigint): number {
    this.hashAt(revision);
    return [...this.keys.values()].filter(({ createRevision }) => createRevision <= revision).length;
  }

  #add(id: EtcdId, peerURL: string, isLearner: boolean): EtcdError | undefined {
    const all = [...this.members.values()];
    // An addition of the same URL in the same second has the same id.
    if (this.removed.has(id)) return refuse('MemberNotFound', 'member not found');
    if (all.some(({ peerURLs }) => peerURLs.includes(peerURL))) {
      return refuse('PeerUrlExists', 'Peer URLs already exists');
    }
    if (isLearner && all.filter((member) => member.isLearner).length >= learnersMax) {
      return refuse('TooManyLearners', 'too many learner members in cluster');
    }
    this.configuration++;
    this.members.set(id, { id, name: '', peerURLs: [peerURL], clientURLs: [], isLearner });
    return undefined;
  }

  #put(key: string, value: string): EtcdError | undefined {
    if (this.hasAlarm('CORRUPT')) return refuse('Corrupt', 'corrupt cluster');
    if (this.hasAlarm('NOSPACE')) return refuse('NoSpace', 'mvcc: database space exceeded');
    const bytes = bytesOf(key, value);
    const old = this.keys.get(key);
    const hash = this.#hashes.get(this.revision) ?? '';
    this.revision++;
    if (old) this.#history.push({ supersededAt: this.revision, bytes: old.bytes });
    const createRevision = old?.createRevision ?? this.revision;
    this.keys.set(key, { value, createRevision, modRevision: this.revision, bytes });
    this.#bytes += bytes;
    const text = JSON.stringify([hash, key, value]);
    this.#hashes.set(this.revision, createHash('sha1').update(text).digest('hex').slice(0, 8));
    return undefined;
  }

  #compact(revision: bigint): EtcdError | undefined {
    if (revision > this.revision) return refuse('Other', 'mvcc: required revision is a future revision');
    if (revision <= this.compacted) return refuse('Other', 'mvcc: required revision has been compacted');
    this.compacted = revision;
    for (const { supersededAt, bytes } of this.#history) if (supersededAt <= revision) this.#garbageBytes += bytes;
    this.#history = this.#history.filter(({ supersededAt }) => supersededAt > revision);
    for (const old of this.#hashes.keys()) if (old < revision) this.#hashes.delete(old);
    return undefined;
  }
}

export function bytesOf(key: string, value: string): number {
  return Buffer.byteLength(key) + Buffer.byteLength(value) + recordBytes;
}

export function refuse(code: EtcdErrorCode, message: string): EtcdError {
  return new EtcdError(code, `etcdserver: ${message}`);
}
