/** A store on a ledger: the ledger provides reads, watches and compaction, and each kind of store its commits. */
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
import { type Flush, GroupCommit, type Writes } from '../group-commit.ts';
import { checkLimit } from '../validate.ts';
import type { Ledger } from './ledger.ts';

export interface LedgerStoreParts {
  readonly ledger: Ledger;
  /** Makes a group of commits durable. */
  readonly flush: Flush;
  /** Notifies watchers of a flush, after its commits have been settled. */
  readonly announce?: () => void;
  /** Called on closing, after watches have ended and before waiting for commits in flight. */
  readonly stop?: () => Promise<void>;
  /** Called after these commits; the ledger is still open. */
  readonly finish?: () => Promise<void>;
  /** Bytes written beside the ledger. Default: none. */
  readonly writtenBytes?: () => number;
}

export class LedgerStore implements Store {
  readonly #parts: LedgerStoreParts;
  readonly #commits: GroupCommit;
  #closing: Promise<void> | undefined;

  constructor(parts: LedgerStoreParts) {
    this.#parts = parts;
    this.#commits = new GroupCommit(parts.ledger.what, parts.flush, parts.announce);
  }

  async get(key: string, at?: Revision): Promise<Entry | undefined> {
    const ledger = this.#ledger();
    return at === undefined ? ledger.get(key) : ledger.read((tables) => tables.get(key, at));
  }

  async list(prefix: string, options: ListOptions = {}): Promise<EntryPage> {
    const ledger = this.#ledger();
    checkLimit(options.limit);
    return ledger.read((tables) => tables.list(prefix, options));
  }

  async versions(prefix: string, options: ListOptions = {}): Promise<VersionPage> {
    const ledger = this.#ledger();
    checkLimit(options.limit);
    return ledger.read((tables) => tables.versions(prefix, options));
  }

  async revision(): Promise<Revision> {
    return this.#ledger().read((tables) => tables.revision);
  }

  async commit(writes: Writes): Promise<CommitOutcome> {
    this.#ledger();
    return this.#commits.commit(writes);
  }

  async *watch(prefix: string, options: WatchOptions): AsyncGenerator<Commit, void> {
    yield* this.#ledger().watch(prefix, options);
  }

  async compact(revision: Revision): Promise<void> {
    await this.#ledger().compact(revision);
  }

  writtenBytes(): number {
    const { ledger, writtenBytes } = this.#parts;
    return ledger.connection.writtenBytes + (writtenBytes?.() ?? 0);
  }

  close(): Promise<void> {
    const { ledger, stop, finish } = this.#parts;
    this.#closing ??= ledger.close(async () => {
      await stop?.();
      await this.#commits.idle();
      await finish?.();
    });
    return this.#closing;
  }

  #ledger(): Ledger {
    const { ledger } = this.#parts;
    if (this.#closing !== undefined) throw new ApiError('Closed', { what: ledger.what });
    return ledger;
  }
}
