/**
 * The one store that all processes of a simulation share, with a look inside that takes no time: oracles are plain
 * functions and cannot await.
 */
import type { CommitOutcome, Entry, Revision, Write } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';

export class SharedStore extends MemoryStore {
  readonly #contents = new Map<string, Entry>();
  readonly #parsed = new WeakMap<Entry, unknown>();
  #newest: Revision = 0;

  /** What is stored now. */
  get contents(): ReadonlyMap<string, Entry> {
    return this.#contents;
  }

  get newest(): Revision {
    return this.#newest;
  }

  /** A stored value that is JSON, such as an object of a registry; nothing if it is not there. Parsed once a version. */
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
