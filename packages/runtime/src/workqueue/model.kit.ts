/**
 * The work queue as one would write it without a thought for speed: plain lists, searched from end to end. The tests
 * hold the real queue to it.
 */
import fc from 'fast-check';
import type { QueueItem } from './contract.ts';

export const ageingMs = 1_000;

export type Operation =
  | { readonly do: 'add'; readonly key: string; readonly priority: number; readonly afterMs: number }
  | { readonly do: 'retry' | 'forget'; readonly key: string }
  | { readonly do: 'take' }
  | { readonly do: 'done'; readonly which: number; readonly failed: boolean }
  | { readonly do: 'advance'; readonly ms: number };

export const keys = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

const key = fc.constantFrom(...keys);
const delayMs = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 51, max: 200_000 }));

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('add'), key, priority: fc.integer({ min: -2, max: 2 }), afterMs: delayMs }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('retry', 'forget'), key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('take') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('done'), which: fc.nat(), failed: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('advance'), ms: delayMs }) },
);

interface Waiting {
  readonly key: string;
  readonly reason: string;
  priority: number;
  /** When it became ready, or will. */
  readonly at: number;
  readonly sequence: number;
}

export class QueueModel {
  readonly failures = new Map<string, number>();
  readonly running = new Map<string, { readonly at: number; readonly priority: number }>();
  /** What the takers got, by taker; the test empties it. */
  readonly handed: [taker: number, item: QueueItem][] = [];
  ready: Waiting[] = [];
  delayed: Waiting[] = [];
  dirty: Waiting[] = [];
  takers: number[] = [];
  #now = 0;
  #sequence = 0;
  #takersEver = 0;

  add(key: string, reason: string, priority: number, afterMs: number): void {
    const fresh = { key, reason, priority, at: this.#now + afterMs, sequence: this.#sequence++ };
    const waiting = [...this.ready, ...this.dirty, ...this.delayed].find((other) => other.key === key);
    if (waiting) {
      fresh.priority = waiting.priority = Math.max(waiting.priority, priority);
      if (!this.delayed.includes(waiting) || (afterMs > 0 && fresh.at >= waiting.at)) return;
      this.delayed = this.delayed.filter((other) => other !== waiting);
    }
    if (afterMs > 0) this.delayed.push(fresh);
    else this.#due(fresh);
    this.#serve();
  }

  retry(key: string, reason: string): number {
    const failures = this.failures.get(key) ?? 0;
    const delayMs = Math.min(5 * 2 ** failures, 1_000_000);
    this.failures.set(key, failures + 1);
    const waiting = [...this.ready, ...this.dirty, ...this.delayed].find((other) => other.key === key);
    this.add(key, reason, waiting?.priority ?? this.running.get(key)?.priority ?? 0, delayMs);
    return delayMs;
  }

  take(): void {
    this.takers.push(this.#takersEver++);
    this.#serve();
  }

  done(key: string): void {
    this.running.delete(key);
    const again = this.dirty.find((other) => other.key === key);
    this.dirty = this.dirty.filter((other) => other !== again);
    if (again) this.#due(again);
    this.#serve();
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = this.delayed.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at || a.sequence - b.sequence);
      if (!next) break;
      this.#now = next.at;
      this.delayed = this.delayed.filter((other) => other !== next);
      this.#due(next);
      this.#serve();
    }
    this.#now = end;
  }

  get oldestWaitMs(): number {
    return Math.max(0, ...this.ready.map(({ at }) => this.#now - at));
  }

  get longestRunningMs(): number {
    return Math.max(0, ...[...this.running.values()].map(({ at }) => this.#now - at));
  }

  #due(waiting: Waiting): void {
    if (this.running.has(waiting.key)) this.dirty.push(waiting);
    else this.ready.push({ ...waiting, at: this.#now, sequence: this.#sequence++ });
  }

  #serve(): void {
    // Counted in whole milliseconds, so that equal is equal.
    const counts = ({ priority, at }: Waiting) => priority * ageingMs + (this.#now - at);
    while (this.takers.length > 0 && this.ready.length > 0) {
      this.ready.sort((a, b) => counts(b) - counts(a) || a.sequence - b.sequence);
      const [first] = this.ready.splice(0, 1);
      const [taker] = this.takers.splice(0, 1);
      if (!first || taker === undefined) return;
      const { key, reason, priority, at } = first;
      this.running.set(key, { at: this.#now, priority });
      const attempt = this.failures.get(key) ?? 0;
      this.handed.push([taker, { key, reason, attempt, waitedMs: this.#now - at, priority }]);
    }
  }
}
