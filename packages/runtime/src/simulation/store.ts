/**
 * The shared store for one simulated process: every call is an effect, with latency and with the faults of the plan.
 */
import { isApiError } from '../api/errors.ts';
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
} from '../store/contract.ts';
import { copyOf } from '../store/copy.ts';
import type { Incarnation } from './incarnation.ts';
import type { SharedStore } from './shared-store.ts';
import { closedError, SimulatedWatch, storeLink } from './watch.ts';

export class SimulatedStore implements Store {
  readonly #incarnation: Incarnation;
  readonly #shared: SharedStore;
  readonly #closing = new AbortController();

  constructor(incarnation: Incarnation, shared: SharedStore) {
    this.#incarnation = incarnation;
    this.#shared = shared;
  }

  get(key: string, at?: Revision): Promise<Entry | undefined> {
    const describe = (entry: Entry | undefined) => (entry ? `revision ${entry.revision}` : 'absent');
    return this.#read(`get ${key}`, at, (revision) => this.#shared.get(key, revision), describe);
  }

  list(prefix: string, options: ListOptions = {}): Promise<EntryPage> {
    const describe = ({ entries, revision }: EntryPage) => `${entries.length} at revision ${revision}`;
    const read = (at: Revision | undefined) => this.#shared.list(prefix, asOf(options, at));
    return this.#read(`list ${prefix}`, options.at, read, describe);
  }

  versions(prefix: string, options: ListOptions = {}): Promise<VersionPage> {
    const describe = ({ keys, revision }: VersionPage) => `${keys.length} at revision ${revision}`;
    const read = (at: Revision | undefined) => this.#shared.versions(prefix, asOf(options, at));
    return this.#read(`versions ${prefix}`, options.at, read, describe);
  }

  commit(writes: readonly Write[]): Promise<CommitOutcome> {
    if (this.#closing.signal.aborted) return Promise.reject(closedError());
    // The caller may reuse its buffers while the request is in flight.
    const sent = writes.map((write) => (write.type === 'put' ? { ...write, value: copyOf(write.value) } : write));
    const name = `commit ${writes.map(({ type, key }) => `${type} ${key}`).join(', ')}`;
    const describe = (outcome: CommitOutcome) =>
      outcome.committed ? `revision ${outcome.revision}` : `refused: ${outcome.key} is at ${outcome.actual}`;
    return this.#incarnation.effect(name, () => this.#shared.commit(sent), {
      kind: 'write',
      link: storeLink,
      describe,
    });
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<Commit> {
    const watch = new SimulatedWatch(this.#incarnation, this.#shared, prefix, options, this.#closing.signal);
    return { [Symbol.asyncIterator]: () => watch };
  }

  compact(revision: Revision): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(closedError());
    const apply = () => this.#shared.compact(revision);
    return this.#incarnation.effect(`compact ${revision}`, apply, { kind: 'write', link: storeLink });
  }

  revision(): Promise<Revision> {
    const read = (at: Revision | undefined) => Promise.resolve(at ?? this.#shared.newest);
    return this.#read('revision', undefined, read, (revision) => `revision ${revision}`);
  }

  /** For this process only. */
  async close(): Promise<void> {
    this.#closing.abort();
  }

  #read<T>(
    name: string,
    at: Revision | undefined,
    read: (at: Revision | undefined) => Promise<T>,
    describe: (value: T) => string,
  ): Promise<T> {
    if (this.#closing.signal.aborted) return Promise.reject(closedError());
    return this.#incarnation.effect(name, () => read(at), {
      kind: 'read',
      link: storeLink,
      describe,
      // A read of a given revision cannot be stale; only one of the newest can.
      ...(at === undefined ? { stale: (revisions) => this.#stale(revisions, read) } : {}),
    });
  }

  async #stale<T>(revisions: number, read: (at: Revision | undefined) => Promise<T>): Promise<T> {
    try {
      return await read(Math.max(0, this.#shared.newest - revisions));
    } catch (error) {
      // A replica whose revision is compacted would have caught up with a snapshot.
      if (isApiError(error, 'Expired')) return read(undefined);
      throw error;
    }
  }
}

function asOf(options: ListOptions, at: Revision | undefined): ListOptions {
  return at === undefined ? options : { ...options, at };
}
