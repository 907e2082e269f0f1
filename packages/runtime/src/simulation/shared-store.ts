/**
 * The store that all processes of a simulation share, with synchronous access to its contents for oracles, which cannot
 * await.
 */
import type { CommitOutcome, Entry, Revision, Write } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';

export class SharedStore extends MemoryStore {
  readonly #contents = new Map<string, Entry>();
  readonly #parsed = new WeakMap<Entry, unknown>();
  #newest: Revision = 0;

  /** The current entries. */
  get contents(): ReadonlyMap<string, Entry> {
    return this.#contents;
  }

  get newest(): Revision {
    return this.#newest;
  }

  /** A JSON value, such as an object of a registry; undefined if the key does not exist. Parsed once per version. */
  json(key: string): unknown {
    const entry = this.#contents.get(key);
    return entry && this.#parse(entry);
  }

  /** The JSON values below a prefix, with their keys. */
  *jsonBelow(prefix: string): Generator<[key: string, value: unknown]> {
    for (const [key, entry] of this.#contents) if (key.startsWith(prefix)) yield [key, this.#parse(entry)];
  }

  override async commit(writes: readonly Write[]): Promise<CommitOutcome> {
    const outcome = await super.commit(writes);
    if (!outcome.committed || outcome.revision <= this.#newest) return outcome;
    const { revision } = outcome;
    this.#newest = revision;
    for (const write of writes) {
      if (write.type === 'delete') this.#contents.delete(write.key);
      if (write.type !== 'put') continue;
      const { key, value } = write;
      this.#contents.set(key, {
        key,
        value: value.slice(),
        revision,
        created: this.#contents.get(key)?.created ?? revision,
      });
    }
    return outcome;
  }

  #parse(entry: Entry): unknown {
    if (!this.#parsed.has(entry)) this.#parsed.set(entry, JSON.parse(new TextDecoder().decode(entry.value)));
    return this.#parsed.get(entry);
  }
}
