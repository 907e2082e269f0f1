/** A store that counts the watches that are open. */
import type { Commit, WatchOptions } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';

export class WatchedStore extends MemoryStore {
  /** Prefixes of the watches that are open, in the order in which they were opened. */
  readonly watches: string[] = [];
  lists = 0;

  override versions(...args: Parameters<MemoryStore['versions']>): ReturnType<MemoryStore['versions']> {
    this.lists++;
    return super.versions(...args);
  }

  override watch(prefix: string, options: WatchOptions): AsyncIterable<Commit> {
    return this.#counted(prefix, super.watch(prefix, options));
  }

  async *#counted(prefix: string, commits: AsyncIterable<Commit>): AsyncGenerator<Commit> {
    this.watches.push(prefix);
    try {
      yield* commits;
    } finally {
      this.watches.splice(this.watches.indexOf(prefix), 1);
    }
  }
}
