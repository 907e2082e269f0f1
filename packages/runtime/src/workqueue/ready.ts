/**
 * The keys that may be taken now: the highest priority first, the longest wait among equals, and nothing waits for ever.
 *
 * Ageing is continuous: a key counts `priority + waited / ageingMs`. All of them age at the same speed, so who goes before
 * whom never changes while they wait, and one heap sorted by `since - priority × ageingMs` is right at every moment.
 * A key of priority 0 goes before every key of priority 1 that became ready `ageingMs` or more after it.
 */
import type { Entry } from './entry.ts';
import { Heap } from './heap.ts';
import { Line } from './line.ts';

export class Ready {
  readonly #heap = new Heap<Entry>();
  readonly #line = new Line<Entry>();
  readonly #ageingMs: number;
  #sequence = 0;

  constructor(ageingMs: number) {
    this.#ageingMs = ageingMs;
  }

  get size(): number {
    return this.#heap.size;
  }

  /** Since when the oldest one waits. */
  get oldestSince(): number | undefined {
    return this.#line.oldest?.since;
  }

  push(entry: Entry, now: number): void {
    entry.since = now;
    entry.sequence = this.#sequence++;
    entry.order = this.#orderOf(entry);
    this.#heap.push(entry);
    this.#line.join(entry);
  }

  /** Its priority has changed; how long it has waited stays. */
  reprioritized(entry: Entry): void {
    entry.order = this.#orderOf(entry);
    this.#heap.reordered(entry);
  }

  pop(): Entry | undefined {
    const first = this.#heap.first;
    if (!first) return undefined;
    this.#heap.remove(first);
    this.#line.leave(first);
    return first;
  }

  clear(): readonly Entry[] {
    const entries = this.#heap.clear();
    for (const entry of entries) this.#line.leave(entry);
    return entries;
  }

  #orderOf(entry: Entry): number {
    return entry.since - entry.priority * this.#ageingMs;
  }
}
