/**
 * The store for more than one machine: a cluster of etcd servers, over their JSON gateway. The revision is etcd's, a
 * commit is one transaction, a watch is etcd's watch, and availability is etcd's quorum.
 */
import { ApiError, isApiError } from '../../api/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Random } from '../../ports/random.ts';
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
  Write,
} from '../contract.ts';
import { checkWrites } from '../validate.ts';
import { type RangeAnswer, readEntry, readRange, readTransaction, type TransactionAnswer } from './answers.ts';
import { parseEndpoints, type TlsOptions } from './endpoint.ts';
import { EtcdFailure, toApiError } from './errors.ts';
import { inspectionOf, verdictOf } from './full.ts';
import { Keyspace } from './keyspace.ts';
import { checkedRevision, PageReader, revisionField } from './pages.ts';
import { outcomeOf, transactionOf } from './transaction.ts';
import { Transport } from './transport.ts';
import { EtcdWatch, type WatchContext } from './watch.ts';

export interface EtcdStoreOptions {
  /** Servers of one cluster, `host:port` or `http(s)://host:port`. If one cannot be reached, the next is used. */
  readonly endpoints: readonly string[];
  /** All keys are under `<prefix>/`. Stores of one cluster with different prefixes are separate. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /**
   * Timeout of a call over all its attempts. Default 5,000 ms: an election takes one to two seconds. A shorter one fails
   * sooner, and leaves more commits whose outcome is unknown.
   */
  readonly timeoutMs?: number;
  /** Required if the cluster has authentication enabled. */
  readonly username?: string;
  readonly password?: string;
  /** For https. Endpoints without a scheme use https if this is set. */
  readonly tls?: TlsOptions;
}

/**
 * Opens a store and waits for the response of a server. Throws `Unavailable` with the endpoints if none responds, and
 * `Forbidden` if the user may not sign in or read the prefix. After a later outage the same store works again.
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const store = new EtcdStore(options);
  try {
    await store.revision();
  } catch (error) {
    await store.close();
    throw isApiError(error, 'Timeout')
      ? new ApiError(
          'Unavailable',
          { what: error.details.what, reason: `no response within ${error.details.timeoutMs} ms` },
          error,
        )
      : error;
  }
  return store;
}

class EtcdStore implements Store {
  readonly #options: EtcdStoreOptions;
  readonly #timeoutMs: number;
  readonly #what: string;
  readonly #keyspace: Keyspace;
  readonly #transport: Transport;
  readonly #pages: PageReader;
  readonly #watches = new Set<EtcdWatch>();
  readonly #inFlight = new Set<Promise<unknown>>();
  /** The newest revision in any response so far. */
  #reached: Revision = 0;
  #closing: Promise<void> | undefined;

  constructor(options: EtcdStoreOptions) {
    const endpoints = parseEndpoints(options.endpoints, options.tls);
    const { clock, timeoutMs = 5_000, username, password = '' } = options;
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    this.#what = `etcd at ${endpoints.map((endpoint) => endpoint.name).join(', ')}`;
    this.#keyspace = new Keyspace(options.prefix);
    this.#transport = new Transport({
      endpoints,
      clock,
      timeoutMs,
      credentials: username ? { username, password } : undefined,
    });
    this.#pages = new PageReader(this.#keyspace, (body) => this.#range(body));
  }

  get(key: string, at?: Revision): Promise<Entry | undefined> {
    return this.#run(async () => {
      const { keyValues } = await this.#range({ key: this.#keyspace.encode(key), ...revisionField(at) });
      return keyValues[0] && readEntry(keyValues[0], this.#keyspace);
    });
  }

  list(prefix: string, options: ListOptions = {}): Promise<EntryPage> {
    return this.#run(() => this.#pages.entries(prefix, options));
  }

  versions(prefix: string, options: ListOptions = {}): Promise<VersionPage> {
    return this.#run(() => this.#pages.versions(prefix, options));
  }

  commit(writes: readonly Write[]): Promise<CommitOutcome> {
    return this.#run(async () => {
      this.#checkOpen();
      checkWrites(writes);
      // An empty transaction is the only request that etcd serves without its quorum.
      if (writes.length === 0) return { committed: true, revision: await this.#newest() };
      const before = this.#reached;
      try {
        return outcomeOf(writes, await this.#transaction(transactionOf(writes, this.#keyspace), false));
      } catch (error) {
        if (error instanceof EtcdFailure && error.kind === 'full') return await this.#examine(writes, before, error);
        throw error;
      }
    });
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<Commit> {
    const { clock, random, log } = this.#options;
    const context: WatchContext = {
      transport: this.#transport,
      keyspace: this.#keyspace,
      clock,
      random,
      log,
      toApiError: (error) => this.#toApiError(error),
      started: (watch) => {
        this.#checkOpen();
        checkedRevision(options.after);
        this.#watches.add(watch);
      },
      ended: (watch) => this.#watches.delete(watch),
    };
    return new EtcdWatch(context, prefix, options);
  }

  compact(revision: Revision): Promise<void> {
    return this.#run(async () => {
      this.#checkOpen();
      if (checkedRevision(revision) === 0) return;
      try {
        // Without `physical` etcd responds once readers see it, and frees the space in the background.
        await this.#transport.call('/v3/kv/compaction', { revision: String(revision) }, { repeatable: true });
      } catch (error) {
        if (!(error instanceof EtcdFailure)) throw error;
        if (error.kind === 'compacted') return;
        if (error.kind !== 'future') throw error;
        throw new ApiError(
          'BadRequest',
          { reason: `cannot compact to revision ${revision}: it is not reached yet` },
          error,
        );
      }
    });
  }

  revision(): Promise<Revision> {
    return this.#run(() => this.#newest());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Waits for calls in flight, which end within their timeout, so that the outcome of each commit is reported. */
  async #close(): Promise<void> {
    for (const watch of this.#watches) watch.close(this.#closedError());
    await Promise.allSettled([...this.#inFlight]);
    this.#transport.destroy();
  }

  async #examine(writes: readonly Write[], before: Revision, refusal: EtcdFailure): Promise<CommitOutcome> {
    const verdict = verdictOf(writes, before, await this.#transaction(inspectionOf(writes, this.#keyspace), true));
    if (verdict.type === 'committed') return { committed: true, revision: verdict.revision };
    throw verdict.type === 'refused'
      ? refusal
      : new EtcdFailure('unavailable', `${refusal.message}, and the keys have changed since`);
  }

  async #transaction(body: object, repeatable: boolean): Promise<TransactionAnswer> {
    const answer = readTransaction(await this.#transport.call('/v3/kv/txn', body, { repeatable }));
    this.#reached = Math.max(this.#reached, answer.revision);
    return answer;
  }

  async #newest(): Promise<Revision> {
    return (await this.#range({ key: this.#keyspace.encode('') })).newest;
  }

  async #range(body: object): Promise<RangeAnswer> {
    this.#checkOpen();
    const answer = readRange(await this.#transport.call('/v3/kv/range', body, { repeatable: true }));
    this.#reached = Math.max(this.#reached, answer.newest);
    return answer;
  }

  /** Converts failures of this folder to errors of the catalogue. */
  async #run<T>(operation: () => Promise<T>): Promise<T> {
    const pending = operation();
    this.#inFlight.add(pending);
    try {
      return await pending;
    } catch (error) {
      throw this.#toApiError(error);
    } finally {
      this.#inFlight.delete(pending);
    }
  }

  #toApiError(error: unknown): unknown {
    return toApiError(error, { what: this.#what, timeoutMs: this.#timeoutMs });
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw this.#closedError();
  }

  #closedError(): ApiError {
    return new ApiError('Closed', { what: this.#what });
  }
}
