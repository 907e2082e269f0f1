/**
 * The ready keys: the highest priority first, the longest wait among equals, without starvation.
 *
 * Ageing is continuous: the effective priority is `priority + waited / ageingMs`. All keys age at the same rate, so their
 * order never changes while they wait, and one heap sorted by `since - priority × ageingMs` is always correct.
 * A key of priority 0 precedes every key of priority 1 that became ready `ageingMs` or more after it.
 */
import type { Entry } from './entry.ts';
import { Heap } from './heap.ts';
import { LinkedList } from './linked-list.ts';

export class Ready {
  readonly #heap = new Heap<Entry>();
  readonly #byAge = new LinkedList<Entry>();
  readonly #ageingMs: number;
  #sequence = 0;

  constructor(ageingMs: number) {
    this.#ageingMs = ageingMs;
  }

  get size(): number {
    return this.#heap.size;
  }

  /** When the oldest ready key became ready. */
  get oldestSince(): number | undefined {
    return this.#byAge.oldest?.since;
  }

  push(entry: Entry, now: number): void {
    entry.since = now;
    entry.sequence = this.#sequence++;
    entry.order = this.#orderOf(entry);
    this.#heap.push(entry);
    this.#byAge.append(entry);
  }

  /** To be called after a change of `priority`. The waiting time is kept. */
  reprioritize(entry: Entry): void {
    entry.order = this.#orderOf(entry);
    this.#heap.reorder(entry);
  }

  pop(): Entry | undefined {
    const first = this.#heap.first;
    if (!first) return undefined;
    this.#heap.remove(first);
    this.#byAge.remove(first);
    return first;
  }

  clear(): readonly Entry[] {
    const entries = this.#heap.clear();
    for (const entry of entries) this.#byAge.remove(entry);
    return entries;
  }

  #orderOf(entry: Entry): number {
    return entry.since - entry.priority * this.#ageingMs;
  }
}
