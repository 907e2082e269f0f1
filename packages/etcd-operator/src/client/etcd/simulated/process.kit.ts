/** One simulated etcd process: its log, what it has applied of it, and which leader it follows. */
import type { EtcdId } from '../contract.ts';
import type { EtcdError } from '../error.ts';
import type { DataDirectory, Entry, SimulatedEtcdOptions } from './model.kit.ts';
import { EtcdState } from './state.kit.ts';

export type Applied = (error: EtcdError | undefined) => void;

export class EtcdProcess {
  readonly options: SimulatedEtcdOptions;
  readonly data: DataDirectory;
  readonly state = new EtcdState();
  isLeader = false;
  /** The leader that it follows, or itself; undefined if it knows of none. */
  leaderId: EtcdId | undefined;
  /** Set while the leader, or as a leader the quorum, is not reachable; another one for each time. */
  loss: object | undefined;
  /** Whether its log is the one of its leader. */
  isSynced = false;
  /** Whether it answers clients: after it has announced itself through a leader. */
  isServing = false;
  isFrozen = false;
  hasExited = false;
  busyUntilMs = 0;
  /** As a leader: what each member has acknowledged to it. */
  readonly matches = new Map<EtcdId, number>();
  readonly exitListeners = new Set<() => void>();
  readonly #waiting = new Map<Entry, Applied>();
  #applied = 0;
  /** Number of entries that a former process has written into the file: they do not make it grow again. */
  readonly #inFile: number;

  constructor(options: SimulatedEtcdOptions, data: DataDirectory) {
    this.options = options;
    this.data = data;
    this.#inFile = data.fileBytes === 0 ? 0 : data.commit;
    this.applyCommitted();
    this.state.sweep();
  }

  get id(): EtcdId {
    return this.data.memberId;
  }

  get applied(): number {
    return this.#applied;
  }

  get lastTerm(): number {
    return this.data.log.at(-1)?.term ?? 0;
  }

  get isLearner(): boolean {
    return this.state.members.get(this.id)?.isLearner ?? false;
  }

  get isVoter(): boolean {
    return this.state.members.get(this.id)?.isLearner === false;
  }

  /** Whether a member with this log may become the leader of one with that of `other`. */
  isAtLeast(other: EtcdProcess): boolean {
    if (this.lastTerm !== other.lastTerm) return this.lastTerm > other.lastTerm;
    return this.data.log.length >= other.data.log.length;
  }

  /** The number of entries that both logs have in common. */
  commonWith(other: EtcdProcess): number {
    let low = 0;
    let high = Math.min(this.data.log.length, other.data.log.length);
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.data.log[middle - 1]?.term === other.data.log[middle - 1]?.term) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  onApplied(entry: Entry, callback: Applied): void {
    this.#waiting.set(entry, callback);
  }

  applyCommitted(): void {
    while (this.#applied < this.data.commit) {
      const entry = this.data.log[this.#applied];
      if (!entry) return;
      this.#applied++;
      const error = this.state.apply(entry.change);
      if (this.#applied > this.#inFile) this.data.fileBytes = Math.max(this.data.fileBytes, this.state.bytesInUse);
      const waiting = this.#waiting.get(entry);
      this.#waiting.delete(entry);
      waiting?.(error);
    }
  }
}
