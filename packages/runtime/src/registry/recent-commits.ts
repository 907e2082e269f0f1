/**
 * The newest commits of a log, in memory: what the watches of one kind share. It is bounded by number and by bytes; a
 * reader that is further behind reads the log itself.
 */
import type { Clock } from '../ports/clock.ts';
import type { Commit, Revision } from '../store/contract.ts';
import { RevisionNotifier, type RevisionWaiter } from '../store/revision-notifier.ts';

export interface RecentLimits {
  /** Default 1,000. Fewer means that watchers read the log on their own sooner. */
  readonly commitsMax: number;
  /** Values, including those that were replaced. Default 2 MiB; the newest commit is always kept. */
  readonly bytesMax: number;
  /** Longest delay before readers see that the log advanced without a change for them. Default 20. */
  readonly progressMs: number;
}

export const recentLimits: RecentLimits = { commitsMax: 1_000, bytesMax: 2 * 1024 * 1024, progressMs: 20 };

interface Kept<T> {
  readonly commit: T;
  readonly sizeBytes: number;
}

export class RecentCommits<T extends { readonly revision: Revision }> {
  readonly #limits: RecentLimits;
  readonly #clock: Clock;
  readonly #convert: (commit: Commit) => T;
  readonly #notifier = new RevisionNotifier();
  readonly #kept: Kept<T>[] = [];
  #sizeBytes = 0;
  /** Every commit after this revision, up to `#through`, is kept. */
  #from: Revision;
  #through: Revision;
  #cancelProgress: (() => void) | undefined;
  #isEnded = false;
  #failure: unknown;

  constructor(from: Revision, convert: (commit: Commit) => T, clock: Clock, limits: RecentLimits = recentLimits) {
    this.#from = from;
    this.#through = from;
    this.#convert = convert;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Why the log could not be read any more; undefined if it was not that. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Whether a reader at this revision can continue here without a gap. */
  covers(revision: Revision): boolean {
    return !this.#isEnded && revision >= this.#from && revision <= this.#through;
  }

  push(commit: Commit): void {
    if (commit.revision <= this.#through) return;
    this.#through = commit.revision;
    if (commit.changes.length === 0) {
      // Every commit of another kind would otherwise wake every watcher of this one.
      this.#cancelProgress ??= this.#clock.after(this.#limits.progressMs, () => this.#notify());
      return;
    }
    const sizeBytes = sizeOf(commit);
    this.#kept.push({ commit: this.#convert(commit), sizeBytes });
    this.#sizeBytes += sizeBytes;
    this.#evict();
    this.#notify();
  }

  /**
   * The first commit after a revision that is covered, or the revision up to which there is none. Returns undefined if
   * there is nothing new.
   */
  next(after: Revision): T | Revision | undefined {
    let low = 0;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#kept[middle]?.commit.revision ?? 0) <= after) low = middle + 1;
      else high = middle;
    }
    return this.#kept[low]?.commit ?? (this.#through > after ? this.#through : undefined);
  }

  /** A wait resolves once there is something after its revision. It rejects when this has ended. */
  waiter(): RevisionWaiter {
    return this.#notifier.waiter();
  }

  /** Discards commits up to a revision, as the log does: a reader before it starts again with a list. */
  compact(revision: Revision): void {
    while (this.#kept[0] && this.#kept[0].commit.revision <= revision) this.#shift();
    this.#from = Math.max(this.#from, Math.min(revision, this.#through));
  }

  /** Nothing is covered any more. */
  end(failure?: unknown): void {
    this.#isEnded = true;
    this.#failure = failure;
    this.#cancelProgress?.();
    this.#kept.length = 0;
    this.#notifier.close('the shared log');
  }

  #notify(): void {
    this.#cancelProgress?.();
    this.#cancelProgress = undefined;
    this.#notifier.notify(this.#through);
  }

  #evict(): void {
    const { commitsMax, bytesMax } = this.#limits;
    while (this.#kept.length > 1 && (this.#kept.length > commitsMax || this.#sizeBytes > bytesMax)) this.#shift();
  }

  #shift(): void {
    const oldest = this.#kept.shift();
    if (!oldest) return;
    this.#sizeBytes -= oldest.sizeBytes;
    this.#from = oldest.commit.revision;
  }
}

function sizeOf({ changes }: Commit): number {
  let sizeBytes = 0;
  for (const change of changes) {
    sizeBytes += change.previous?.byteLength ?? 0;
    if (change.type === 'put') sizeBytes += change.value.byteLength;
  }
  return sizeBytes;
}
