/**
 * Whether a store can be written to, for `/readyz`. It notes how the commits of a process end: after one that failed for
 * a reason of the store (full, read-only, unreachable), the process is not ready until a commit succeeds.
 *
 * While commits fail, the check tries one of its own, so that it recovers even if nothing else is being written. While
 * they succeed, it writes nothing.
 */
import { type ErrorCode, isApiError } from '../api/errors.ts';
import type { Clock } from '../ports/clock.ts';
import { raiseFence } from '../registry/writer.ts';
import type { CommitOutcome, Store, Write } from '../store/contract.ts';
import { preciseTimestampAt } from './moment.ts';

/** Failures of the store. Any other is one of the writer's. */
const storeFailures: ReadonlySet<ErrorCode> = new Set([
  'StorageFull',
  'ReadOnly',
  'Unavailable',
  'Timeout',
  'Corrupt',
] satisfies ErrorCode[]);

/** A fence without a holder: it is not an object, and backups leave it out. */
const probeFence = 'write-probe';
/** From the last commit that failed to the next one that the check tries. */
export const PROBE_MS_MIN = 5_000;

interface Failure {
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly message: string;
}

export class WriteHealth {
  /** The same store, observed. Open the registry of the process on this one. */
  readonly store: Store;
  readonly #clock: Clock;
  #failure: Failure | undefined;
  #probe: Promise<void> | undefined;

  constructor(store: Store, clock: Clock) {
    this.#clock = clock;
    this.store = {
      get: (key, at) => store.get(key, at),
      list: (prefix, options) => store.list(prefix, options),
      versions: (prefix, options) => store.versions(prefix, options),
      commit: (writes) => this.#observed(writes, store.commit(writes)),
      watch: (prefix, options) => store.watch(prefix, options),
      compact: (revision) => store.compact(revision),
      revision: () => store.revision(),
      problems: () => store.problems?.() ?? [],
      close: () => store.close(),
    };
  }

  /** For `readyChecks`: why nothing can be written; undefined if the last commit succeeded. */
  async check(): Promise<string | undefined> {
    const failure = this.#failure;
    if (failure === undefined) return undefined;
    const quietMs = this.#clock.now() - failure.lastMs;
    // A clock that was set back must not put the probe off.
    if (quietMs >= PROBE_MS_MIN || quietMs < 0) await this.#tryWrite();
    if (this.#failure === undefined) return undefined;
    return `nothing can be written since ${preciseTimestampAt(failure.sinceMs)}: ${this.#failure.message}`;
  }

  /** One at a time, however many ask. */
  async #tryWrite(): Promise<void> {
    this.#probe ??= raiseFence(this.store, probeFence).then(
      () => {
        this.#probe = undefined;
      },
      () => {
        this.#probe = undefined;
      },
    );
    await this.#probe;
  }

  async #observed(writes: readonly Write[], commit: Promise<CommitOutcome>): Promise<CommitOutcome> {
    try {
      const outcome = await commit;
      // One that only compares, or whose comparison failed, has not reached the disk.
      if (outcome.committed && writes.some(({ type }) => type !== 'check')) this.#failure = undefined;
      return outcome;
    } catch (error) {
      if (isApiError(error) && storeFailures.has(error.code)) {
        const nowMs = this.#clock.now();
        this.#failure = { sinceMs: this.#failure?.sinceMs ?? nowMs, lastMs: nowMs, message: error.message };
      }
      throw error;
    }
  }
}
