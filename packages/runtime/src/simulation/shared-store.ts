/**
 * The store that all processes of a simulation share, with synchronous access to its contents for oracles, which cannot
 * await.
 */
import type { CommitOutcome, Entry, Revision, Write } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { ParsedBytes } from '../store/parsed-bytes.ts';

export class SharedStore extends MemoryStore {
  readonly #contents = new Map<string, Entry>();
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
    const shared = writes.map((write) =>
      write.type === 'put' ? { ...write, value: new ParsedBytes(write.value) } : write,
    );
    const outcome = await super.commit(shared);
    if (!outcome.committed || outcome.revision <= this.#newest) return outcome;
    const { revision } = outcome;
    this.#newest = revision;
    for (const { type, key } of writes) {
      if (type === 'check') continue;
      const entry = this.newestEntry(key);
      if (entry) this.#contents.set(key, entry);
      else this.#contents.delete(key);
    }
    return outcome;
  }

  #parse({ value }: Entry): unknown {
    return value instanceof ParsedBytes ? value.json : JSON.parse(new TextDecoder().decode(value));
  }
}
