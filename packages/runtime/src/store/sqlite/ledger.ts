/**
 * A database with transactions, retention of its history and notification of watchers: the common part of the sqlite
 * store and the file store. Several processes may have it open at the same time.
 */
import { join } from 'node:path';
import { ApiError } from '../../api/errors.ts';
import { type Clock, sleep, systemClock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Commit, CommitOutcome, Entry, Revision, WatchOptions } from '../contract.ts';
import { checkCompactable } from '../expired.ts';
import { type Detail, follow, type LogBatch } from '../follow.ts';
import type { Writes } from '../group-commit.ts';
import { RevisionNotifier } from '../revision-notifier.ts';
import { Connection } from './connection.ts';
import { checkNothingLost, Doorbell } from './doorbell.ts';
import { translate } from './failures.ts';
import type { Plan } from './plan.ts';
import { RecentRows } from './recent-rows.ts';
import { Tables } from './tables.ts';

export interface LedgerOptions {
  readonly directory: string;
  readonly clock?: Clock;
  /** Where problems with the registry's files are reported. Default: nowhere. */
  readonly log?: Log;
  /** Commits of history kept for watchers and paged lists. Default 10,000. More needs disk, fewer means more relists. */
  readonly logCommitsMax?: number;
  /** History older than this is dropped with later commits. Default one hour. */
  readonly logAgeMsMax?: number;
  /** How often a watcher polls, for the case that a notification was lost. Default 1,000. */
  readonly pollMs?: number;
  /**
   * How long a commit waits while another process writes, before it fails with `Unavailable`. Default 5,000. Only a
   * process that was stopped in the middle of a commit, or a very slow disk, takes that long.
   */
  readonly lockTimeoutMs?: number;
}

/** How far the log may exceed the configured retention, so that not every commit has to compact. */
const slack = 1 / 40;

/** Revisions compacted in one transaction, so that compaction does not delay writers for long. */
const compactRevisionsMax = 1_000;

/** The longest pause between two attempts to get the write lock. SQLite has no queue for it, so attempts are frequent. */
const lockRetryMsMax = 5;

/**
 * The write-ahead log is copied into the database when it has these rows and nothing was written for some time. A commit
 * would have to wait for it.
 */
const checkpointRows = 500;
const checkpointIdleMs = 50;

export class Ledger {
  readonly what: string;
  /** For tables of the caller's own; they take part in the same transactions. */
  readonly connection: Connection;
  readonly #tables: Tables;
  readonly #doorbell: Doorbell;
  readonly #notifier = new RevisionNotifier();
  readonly #recent = new RecentRows();
  readonly #clock: Clock;
  readonly #retention: { readonly commitsMax: number; readonly ageMsMax: number };
  readonly #pollMs: number;
  readonly #lockTimeoutMs: number;
  /** Known to this process: another one may have compacted more. */
  #compacted: Revision = 0;
  #announced: Revision = 0;
  #ageCheckedMs = Number.NEGATIVE_INFINITY;
  #watchers = 0;
  #stopListening = () => {};
  #rowsSinceCheckpoint = 0;
  #cancelCheckpoint = () => {};
  #closed = false;

  static async open(options: LedgerOptions): Promise<Ledger> {
    const connection = await Connection.open(options.directory);
    const path = join(options.directory, 'doorbell');
    try {
      const doorbell = new Doorbell(path, options.clock ?? systemClock);
      const announced = doorbell.last;
      const ledger = new Ledger(connection, doorbell, options);
      const newest = ledger.read((tables) => tables.revision);
      checkNothingLost(connection.what, path, announced, newest);
      return ledger;
    } catch (error) {
      connection.close();
      throw translate(error, connection.what, options.directory);
    }
  }

  private constructor(connection: Connection, doorbell: Doorbell, options: LedgerOptions) {
    this.what = connection.what;
    this.connection = connection;
    this.#tables = new Tables(connection);
    this.#clock = options.clock ?? systemClock;
    this.#retention = { commitsMax: options.logCommitsMax ?? 10_000, ageMsMax: options.logAgeMsMax ?? 3_600_000 };
    this.#pollMs = options.pollMs ?? 1_000;
    this.#lockTimeoutMs = options.lockTimeoutMs ?? 5_000;
    this.#doorbell = doorbell;
  }

  /** Reads on one snapshot, with everything that any process has committed before. */
  read<T>(read: (tables: Tables) => T): T {
    this.#checkOpen();
    return this.connection.snapshot(() => read(this.#tables));
  }

  /** The newest value of a key. One statement, so it needs no transaction around it. */
  get(key: string): Entry | undefined {
    this.#checkOpen();
    const entry = this.connection.statement(() => this.#tables.newest(key));
    if (entry && this.#watchers > 0) this.#recent.remember(entry);
    return entry;
  }

  /**
   * Runs `work` as the only writer of all processes, and resolves when its changes are on the disk. If `work` throws,
   * nothing is changed. Throws `Unavailable`, without having run it, if it cannot get the write lock in time.
   */
  async transaction<T>(work: (tables: Tables) => T): Promise<T> {
    const startMs = this.#clock.monotonicMs();
    for (let attempt = 0; ; attempt++) {
      this.#checkOpen();
      const done = this.connection.tryTransaction(() => work(this.#tables));
      if (done) return done.value;
      if (this.#clock.monotonicMs() - startMs >= this.#lockTimeoutMs) {
        const reason = `another process has held the write lock for ${this.#lockTimeoutMs} ms; nothing was written`;
        throw new ApiError('Unavailable', { what: this.what, reason });
      }
      await sleep(this.#clock, Math.min(1 + attempt, lockRetryMsMax));
    }
  }

  /** Writes commits, each with a revision of its own, with one flush. */
  async commit(commits: readonly Writes[]): Promise<readonly CommitOutcome[]> {
    // A slow flush would take its time.
    this.#cancelCheckpoint();
    const plan = await this.transaction(() => this.#write(commits));
    if (this.#watchers > 0) this.#recent.add(plan);
    this.#checkpointWhenIdle(plan.rows.length);
    return plan.outcomes;
  }

  /** Inside a transaction: writes commits, and compacts history that is due. */
  apply(commits: readonly Writes[]): readonly CommitOutcome[] {
    return this.#write(commits).outcomes;
  }

  #write(commits: readonly Writes[]): Plan {
    const tables = this.#tables;
    const timeMs = Math.round(this.#clock.now());
    const plan = tables.plan(commits, timeMs);
    if (plan.revision === plan.since) return plan;
    tables.write(plan);
    this.#compactDue(tables, plan.revision, timeMs);
    return plan;
  }

  #checkpointWhenIdle(rows: number): void {
    this.#rowsSinceCheckpoint += rows;
    if (this.#rowsSinceCheckpoint < checkpointRows) return;
    this.#cancelCheckpoint();
    this.#cancelCheckpoint = this.#clock.after(checkpointIdleMs, () => {
      this.#rowsSinceCheckpoint = 0;
      this.connection.checkpoint();
    });
  }

  /** Compacts a bounded part of the history beyond the retention. */
  #compactDue(tables: Tables, newest: Revision, timeMs: number): void {
    const { commitsMax, ageMsMax } = this.#retention;
    if (newest - this.#compacted > commitsMax * (1 + slack)) {
      tables.compact(Math.min(newest - commitsMax, tables.compacted + compactRevisionsMax));
      this.#compacted = tables.compacted;
    }
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#ageCheckedMs < ageMsMax / 60) return;
    this.#ageCheckedMs = nowMs;
    tables.compact(tables.lastOlderThan(timeMs - ageMsMax, compactRevisionsMax));
  }

  /** Notifies watchers, in this process and in others, of a new revision; `newest` if it is known, and durable. */
  announce(newest?: Revision): void {
    const revision = newest ?? this.#poll();
    if (revision === undefined || revision <= this.#announced || this.#closed) return;
    this.#announced = revision;
    this.#notifier.notify(revision);
    this.#doorbell.notify(revision);
  }

  async *watch(prefix: string, options: WatchOptions): AsyncGenerator<Commit, void> {
    this.#checkOpen();
    this.connection.check();
    if (this.#watchers++ === 0) {
      this.#stopListening = this.#doorbell.listen(this.#clock, this.#pollMs, () => this.#poll());
    }
    // A commit of another process may have been announced before this process listened: the first read is of the log.
    let isFirst = true;
    try {
      yield* follow(
        {
          read: (after, under, detail) => {
            const recent = isFirst ? undefined : this.#readRecent(after, under, detail);
            isFirst = false;
            return recent ?? this.read((tables) => tables.read(after, under, detail));
          },
          waiter: () => this.#notifier.waiter(),
        },
        prefix,
        options,
      );
    } finally {
      if (--this.#watchers === 0) {
        this.#stopListening();
        this.#recent.clear(0);
      }
    }
  }

  /** What a watch reads next, if it is certain that the log has nothing else. */
  #readRecent(after: Revision, prefix: string, detail: Detail): LogBatch | undefined {
    this.#checkOpen();
    const find = (row: number) => this.read((tables) => tables.valueOf(row, after));
    return this.#recent.read(after, prefix, detail, this.#notifier.revision, find);
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
    this.#notifier.close(this.what);
    await finish();
    this.#closed = true;
    // A watch whose consumer does not read any more has not ended.
    this.#stopListening();
    this.#cancelCheckpoint();
    this.#doorbell.close();
    this.connection.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw new ApiError('Closed', { what: this.what });
  }

  /** Reads the newest revision, notifies watchers of it, and returns it. A failure ends the watches with its error. */
  #poll(): Revision | undefined {
    if (this.#closed) return undefined;
    try {
      this.connection.check();
      const revision = this.read((tables) => tables.revision);
      this.#notifier.notify(revision);
      return revision;
    } catch (error) {
      this.#notifier.fail(error);
      return undefined;
    }
  }
}
