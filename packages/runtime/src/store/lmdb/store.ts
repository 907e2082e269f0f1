/** The embedded default: a ledger, and writers that share its flushes. A commit is acknowledged when it is flushed. */
import { ApiError } from '../../api/errors.ts';
import type {
  Commit,
  CommitOutcome,
  Entry,
  EntryPage,
  ListOptions,
  Revision,
  Store,
  VersionPage,
  WatchOptions,
} from '../contract.ts';
import { GroupCommit, type Writes } from '../group-commit.ts';
import { Ledger, type LedgerOptions } from './ledger.ts';

export class LmdbStore implements Store {
  readonly #ledger: Ledger;
  readonly #commits: GroupCommit;
  #closing: Promise<void> | undefined;

  constructor(options: LedgerOptions) {
    this.#ledger = new Ledger(options);
    this.#commits = new GroupCommit(this.#ledger.what, async (take) => {
      // Taken inside the transaction: whatever came while the flush before went on is part of this one.
      const outcomes = await this.#ledger.transaction(() => this.#ledger.apply(take()));
      this.#ledger.announce();
      return outcomes;
    });
  }

  async get(key: string, at?: Revision): Promise<Entry | undefined> {
    return this.#open().read((tables) => tables.get(key, at));
  }

  async list(prefix: string, options: ListOptions = {}): Promise<EntryPage> {
    return this.#open().read((tables) => tables.list(prefix, options));
  }

  async versions(prefix: string, options: ListOptions = {}): Promise<VersionPage> {
    return this.#open().read((tables) => tables.versions(prefix, options));
  }

  async revision(): Promise<Revision> {
    return this.#open().read((tables) => tables.revision);
  }

  async commit(writes: Writes): Promise<CommitOutcome> {
    this.#open();
    return this.#commits.commit(writes);
  }

  async *watch(prefix: string, options: WatchOptions): AsyncGenerator<Commit, void> {
    yield* this.#open().watch(prefix, options);
  }

  async compact(revision: Revision): Promise<void> {
    await this.#open().compact(revision);
  }

  close(): Promise<void> {
    this.#closing ??= this.#ledger.close(() => this.#commits.idle());
    return this.#closing;
  }

  #open(): Ledger {
    if (this.#closing !== undefined) throw new ApiError('Closed', { what: this.#ledger.what });
    return this.#ledger;
  }
}
