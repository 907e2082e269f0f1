/**
 * Lets concurrent writers share one flush. Commits that arrive during a flush wait for the next one and share it: a
 * flush takes the same time for one commit as for a hundred.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../api/errors.ts';
import type { CommitOutcome, Write } from './contract.ts';
import { checkWrites } from './validate.ts';

export type Writes = readonly Write[];

/** Commits in one flush; more wait for the next. Bounds the memory of a transaction and the time that it takes. */
const groupCommitsMax = 256;
const groupBytesMax = 16 * 1024 * 1024;
/** Maximum waiting commits. Beyond it, commits fail with `Unavailable`: the disk cannot keep up. */
const waitingCommitsMax = 20_000;

interface Waiting {
  readonly writes: Writes;
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes a group of commits durable. `take` returns the group; calling it late lets more commits join. The result has one
 * outcome for each commit of the group, in order; an `ApiError` fails that one commit. A rejection fails all of them.
 */
export type Flush = (take: () => readonly Writes[]) => Promise<readonly (CommitOutcome | ApiError)[]>;

export class GroupCommit {
  readonly #what: string;
  readonly #flush: Flush;
  readonly #announce: () => void;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;

  /** `announce` is called after the commits of a flush have been settled. */
  constructor(what: string, flush: Flush, announce: () => void = () => {}) {
    this.#what = what;
    this.#flush = flush;
    this.#announce = announce;
  }

  commit(writes: Writes): Promise<CommitOutcome> {
    checkWrites(writes);
    if (this.#waiting.length >= waitingCommitsMax) {
      throw new ApiError('Unavailable', { what: this.#what, reason: `${waitingCommitsMax} commits already wait` });
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ writes, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when no commit is waiting. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    // Deferred, so that commits of the same turn share the first flush too, and requests of this turn are sent before it.
    await nextTurn();
    while (this.#waiting.length > 0) {
      for (const settle of await this.#flushWaiting()) settle();
      this.#announce();
      // Settled writers can send their next commit, and the event loop is not blocked.
      await nextTurn();
    }
    this.#draining = undefined;
  }

  /** Flushes the waiting commits; returns a function for each commit that settles it. */
  async #flushWaiting(): Promise<(() => void)[]> {
    let group: Waiting[] | undefined;
    const take = () => {
      group ??= this.#takeGroup();
      return group.map(({ writes }) => writes);
    };
    try {
      const outcomes = await this.#flush(take);
      return (group ?? []).map((waiting, index) => () => settle(waiting, outcomes[index]));
    } catch (error) {
      return (group ?? this.#takeGroup()).map(
        ({ reject }) =>
          () =>
            reject(error),
      );
    }
  }

  #takeGroup(): Waiting[] {
    let sizeBytes = 0;
    let count = 0;
    for (const { writes } of this.#waiting) {
      for (const write of writes) if (write.type === 'put') sizeBytes += write.value.byteLength;
      if (count > 0 && (sizeBytes > groupBytesMax || count >= groupCommitsMax)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}

function settle({ resolve, reject }: Waiting, outcome: CommitOutcome | ApiError | undefined): void {
  if (outcome && 'committed' in outcome) resolve(outcome);
  else reject(outcome ?? new ApiError('Internal', { reason: 'a commit has no outcome' }));
}
