/**
 * An LMDB environment with the tables, transactions and the news of new revisions: what the lmdb store and the file
 * store have in common. Several processes may have it open at once; LMDB's lock orders their transactions and outlives
 * a process that dies with it.
 */
import { join } from 'node:path';
import type { Database } from 'lmdb';
import { ApiError } from '../../api/errors.ts';
import { type Clock, systemClock } from '../../ports/clock.ts';
import { Bell } from '../bell.ts';
import type { Commit, CommitOutcome, Revision, WatchOptions } from '../contract.ts';
import { checkCompactable } from '../expired.ts';
import { follow } from '../follow.ts';
import type { Writes } from '../group-commit.ts';
import { Doorbell } from './doorbell.ts';
import { Environment } from './environment.ts';
import { translate } from './failures.ts';
import type { Plan } from './plan.ts';
import type { Tables } from './tables.ts';

export interface LedgerOptions {
  readonly directory: string;
  readonly clock?: Clock;
  /** Commits of history kept for watchers and paged lists. Default 10,000. More disk, against more relisting. */
  readonly logCommitsMax?: number;
  /** History older than this is dropped with later commits. Default one hour. */
  readonly logAgeMsMax?: number;
  /** How often a watcher looks for what a lost ring of the doorbell would have announced. Default 1,000. */
  readonly pollMs?: number;
}

/** How often it is tried to commit without a turn inside the transaction; then other processes write too often for that. */
const hopefulAttemptsMax = 3;

/** How far the log may grow beyond what is asked for, so that not every commit has something to compact. */
const slack = 1 / 40;

/** Room for rows on their way to lmdb is kept for the next ones, unless it is larger. */
const spareBytesMax = 1024 * 1024;

/** Revisions compacted in one transaction, so that compaction never holds up a writer for long. */
const compactRevisionsMax = 1_000;

export class Ledger {
  readonly what: string;
  readonly #directory: string;
  readonly #environment: Environment;
  readonly #doorbell: Doorbell;
  readonly #bell = new Bell();
  readonly #clock: Clock;
  readonly #retention: { readonly commitsMax: number; readonly ageMsMax: number };
  readonly #pollMs: number;
  /** As far as we know: another process may have compacted more. */
  #compacted: Revision = 0;
  #ageCheckedMs = Number.NEGATIVE_INFINITY;
  #watchers = 0;
  #spare: Buffer | undefined;
  #stopListening = () => {};
  #closed = false;

  constructor(options: LedgerOptions) {
    this.what = `the registry at ${options.directory}`;
    this.#directory = options.directory;
    this.#clock = options.clock ?? systemClock;
    this.#retention = { commitsMax: options.logCommitsMax ?? 10_000, ageMsMax: options.logAgeMsMax ?? 3_600_000 };
    this.#pollMs = options.pollMs ?? 1_000;
    this.#environment = Environment.open(options.directory);
    this.#doorbell = new Doorbell(join(options.directory, 'doorbell'));
  }

  /** A table of the caller's own in the same environment; it takes part in the same transactions. */
  openTable<V>(name: string): Database<V, string> {
    return this.#environment.table(name);
  }

  /** Reads see the newest commit of any process: without the reset they could see the snapshot of an earlier read. */
  read<T>(read: (tables: Tables) => T): T {
    this.#checkOpen();
    this.#environment.root.resetReadTxn();
    return read(this.#environment.tables);
  }

  /**
   * Runs `work` alone among all writers and flushes what it wrote. lmdb does not roll back when `work` throws, so it has
   * to check everything before it writes.
   */
  async transaction<T>(work: (tables: Tables) => T): Promise<T> {
    this.#checkOpen();
    let result: { value: T } | undefined;
    try {
      await this.#environment.root.transaction(() => {
        result = { value: work(this.#environment.tables) };
      });
    } catch (error) {
      throw await translate(error, this.what, this.#directory);
    }
    if (!result) throw new ApiError('Internal', { reason: 'a transaction ended without having run' });
    return result.value;
  }

  /** Carries out commits, each with a revision of its own, and flushes them together. */
  async commit(commits: readonly Writes[]): Promise<readonly CommitOutcome[]> {
    for (let attempt = 1; attempt <= hopefulAttemptsMax; attempt++) {
      const timeMs = this.#clock.now();
      const plan = this.read((tables) => tables.plan(commits, timeMs));
      if (plan.revision === plan.since) return plan.outcomes;
      if (this.#isForgettingDue(plan.revision, timeMs)) break;
      if (await this.#tryToWrite(plan)) return plan.outcomes;
    }
    return this.transaction(() => this.apply(commits));
  }

  /** False if somebody else, most likely another process, has committed something since the plan was made. */
  async #tryToWrite(plan: Plan): Promise<boolean> {
    const { tables } = this.#environment;
    const bytes = this.#takeSpare(plan.sizeBytes);
    try {
      return await tables.ifUnchanged(plan.since, () => tables.write(plan, bytes));
    } catch (error) {
      throw await translate(error, this.what, this.#directory);
    } finally {
      this.#keepSpare(bytes);
    }
  }

  /** Inside a transaction: carries out commits, and compacts what has grown old. */
  apply(commits: readonly Writes[]): readonly CommitOutcome[] {
    const { tables } = this.#environment;
    const timeMs = this.#clock.now();
    const plan = tables.plan(commits, timeMs);
    if (plan.revision === plan.since) return plan.outcomes;
    const bytes = this.#takeSpare(plan.sizeBytes);
    tables.write(plan, bytes);
    this.#keepSpare(bytes);
    this.#forget(tables, plan.revision, timeMs);
    return plan.outcomes;
  }

  #takeSpare(sizeBytes: number): Buffer {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare !== undefined && spare.length >= sizeBytes
      ? spare
      : Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(sizeBytes)));
  }

  #keepSpare(bytes: Buffer): void {
    if (bytes.length <= spareBytesMax) this.#spare = bytes;
  }

  /** Whether something may have come together that the options no longer ask to keep. Asked before every write. */
  #isForgettingDue(newest: Revision, timeMs: number): boolean {
    return this.#isTooLong(newest) || this.#isAgeDue(timeMs);
  }

  #isTooLong(newest: Revision): boolean {
    const { commitsMax } = this.#retention;
    return newest - this.#compacted > commitsMax + Math.max(1, Math.floor(commitsMax * slack));
  }

  #isAgeDue(timeMs: number): boolean {
    // Also when the clock was set back.
    return Math.abs(timeMs - this.#ageCheckedMs) >= this.#retention.ageMsMax / 60;
  }

  /** Compacts a bounded part of what is due. */
  #forget(tables: Tables, newest: Revision, timeMs: number): void {
    const { commitsMax, ageMsMax } = this.#retention;
    if (this.#isTooLong(newest)) {
      tables.compact(Math.min(newest - commitsMax, tables.compacted + compactRevisionsMax));
      this.#compacted = tables.compacted;
    }
    if (!this.#isAgeDue(timeMs)) return;
    this.#ageCheckedMs = timeMs;
    tables.compact(tables.lastOlderThan(timeMs - ageMsMax, compactRevisionsMax));
  }

  /** Tells watchers, in this process and in others, that there may be a new revision. */
  announce(): void {
    if (this.#closed) return;
    this.#look();
    this.#doorbell.ring();
  }

  async *watch(prefix: string, options: WatchOptions): AsyncGenerator<Commit, void> {
    this.#checkOpen();
    if (this.#watchers++ === 0) {
      this.#stopListening = this.#doorbell.listen(this.#clock, this.#pollMs, () => this.#look());
    }
    try {
      yield* follow(
        {
          read: (after, under, detail) => this.read((tables) => tables.read(after, under, detail)),
          changed: (after, signal) => this.#bell.wait(after, signal),
        },
        prefix,
        options,
      );
    } finally {
      if (--this.#watchers === 0) this.#stopListening();
    }
  }

  async compact(revision: Revision): Promise<void> {
    checkCompactable(
      revision,
      this.read((tables) => tables.revision),
    );
    for (let done = false; !done; ) {
      done = await this.transaction((tables) => {
        tables.compact(Math.min(revision, tables.compacted + compactRevisionsMax));
        return tables.compacted >= revision;
      });
    }
  }

  /** Ends watches; then `finish` may still write; then everything is closed. */
  async close(finish: () => Promise<void>): Promise<void> {
    this.#bell.close(this.what);
    await finish();
    this.#closed = true;
    this.#doorbell.close();
    await this.#environment.release();
  }

  #checkOpen(): void {
    if (this.#closed) throw new ApiError('Closed', { what: this.what });
  }

  #look(): void {
    if (!this.#closed) this.#bell.ring(this.read((tables) => tables.revision));
  }
}
