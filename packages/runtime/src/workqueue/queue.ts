/**
 * The work queue: which key a controller reconciles next. It has the guarantees of client-go: a key is never in flight
 * twice, no add is lost, and any number of adds during a run cause exactly one more run.
 */
import { ApiError } from '../api/errors.ts';
import { backoffMs } from '../lib/backoff.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../ports/clock.ts';
import type { AddOptions, QueueItem, QueueObserver, WorkQueueOptions } from './contract.ts';
import { Delays } from './delays.ts';
import { boundedReason, createEntry, type Entry } from './entry.ts';
import { LinkedList } from './linked-list.ts';
import { checkAdd, checkTuning, type QueueTuning } from './options.ts';
import { Ready } from './ready.ts';
import { Waiters } from './waiters.ts';

export type { AddOptions, QueueItem, QueueObserver, WorkQueueOptions } from './contract.ts';

export const idleFailuresMax = 10_000;

export class WorkQueue {
  readonly #tuning: QueueTuning;
  readonly #observer: QueueObserver;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #ready: Ready;
  readonly #delays: Delays;
  readonly #inFlight = new LinkedList<Entry>();
  /**
   * Failure counts of keys that are not in the queue. A key whose object was deleted may never be passed to `forget`, so
   * there is a limit: beyond it, the key that left first starts over at the shortest backoff.
   */
  readonly #idleFailures = new BoundedMap<string, number>(idleFailuresMax);
  readonly #waiters = new Waiters<QueueItem>();
  #dirtyCount = 0;
  /** `draining` hands out ready and dirty keys, then becomes `stopped`, which hands out none. */
  #state: 'running' | 'draining' | 'stopped' = 'running';
  readonly #onEnd: (() => void)[] = [];

  constructor({
    clock,
    backoffMsMin = 5,
    backoffMsMax = 1_000_000,
    ageingMs = 10_000,
    observer = {},
  }: WorkQueueOptions) {
    this.#tuning = checkTuning({ backoffMsMin, backoffMsMax, ageingMs });
    this.#observer = observer;
    this.#clock = clock;
    this.#ready = new Ready(ageingMs);
    this.#delays = new Delays(clock, (entry) => this.#due(entry));
  }

  /** Number of ready keys. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Number of delayed keys. */
  get delayed(): number {
    return this.#delays.size;
  }

  get processing(): number {
    return this.#inFlight.size;
  }

  /** How long the oldest run in flight has taken; 0 when there is none. */
  get longestRunningMs(): number {
    return this.#since(this.#inFlight.oldest?.since);
  }

  /** How long all runs in flight have taken together. */
  get unfinishedMs(): number {
    let sumMs = 0;
    for (let entry = this.#inFlight.oldest; entry; entry = entry.newer) sumMs += this.#since(entry.since);
    return sumMs;
  }

  /** How long the oldest ready key has waited; 0 when there is none. */
  get oldestWaitMs(): number {
    return this.#since(this.#ready.oldestSince);
  }

  /**
   * Requests one run of the key. A key that already waits keeps the higher priority and the earlier time. During a run
   * of the key it causes exactly one more, after `done`. After `shutDown` it does nothing.
   */
  add(key: string, { reason = 'added', priority = 0, afterMs = 0 }: AddOptions = {}): void {
    checkAdd(priority, afterMs);
    if (this.#state === 'running') this.#add(this.#entryOf(key), reason, priority, afterMs);
  }

  /**
   * Counts a failure and adds the key after its backoff, with its previous priority. Returns the delay. An earlier run
   * that was requested for another reason is kept. After `shutDown` it adds nothing.
   */
  retry(key: string, reason = 'retry'): number {
    const delayMs = backoffMs(this.attempts(key), this.#tuning.backoffMsMin, this.#tuning.backoffMsMax);
    if (this.#state !== 'running') return delayMs;
    const entry = this.#entryOf(key);
    entry.failures++;
    this.#add(entry, reason, entry.priority, delayMs);
    this.#observer.retried?.(key, delayMs);
    return delayMs;
  }

  /** Resets the failures of a key: its next retry has the shortest backoff. A waiting run is kept. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry) entry.failures = 0;
    else this.#idleFailures.delete(key);
  }

  attempts(key: string): number {
    return this.#entries.get(key)?.failures ?? this.#idleFailures.get(key) ?? 0;
  }

  /**
   * Resolves with the next key as soon as there is one; with undefined when the signal aborts, or after `shutDown`.
   * Concurrent calls are served in order. Every key returned must be passed to `done`, even if the signal aborts before
   * the caller sees it.
   */
  take(signal?: AbortSignal): Promise<QueueItem | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    const item = this.#next();
    // A drain ends with the first take that finds no key.
    if (!item) this.#endIfDone();
    return item || this.#state === 'stopped' ? Promise.resolve(item) : this.#waiters.wait(signal);
  }

  /** Ends the run of a key. Must be called once for every key taken; throws `Internal` for any other. */
  done(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry?.inFlight) throw new ApiError('Internal', { reason: `done("${key}"): the key is not in flight` });
    const now = this.#clock.monotonicMs();
    const tookMs = now - entry.since;
    entry.inFlight = false;
    this.#inFlight.remove(entry);
    this.#observer.finished?.(key, tookMs);
    if (entry.next === 'none') this.#leave(entry);
    else if (entry.next === 'dirty') {
      this.#dirtyCount--;
      this.#makeReady(entry, now);
    }
    this.#endIfDone();
  }

  /**
   * Ignores further adds and drops delayed keys. With `drain`, ready keys, and keys added during a run, are still handed
   * out; otherwise they are dropped. Resolves when no key waits or is in flight, so a drain needs calls of `take`; a
   * second call without `drain` ends it early.
   */
  shutDown({ drain = false }: { readonly drain?: boolean } = {}): Promise<void> {
    if (this.#state === 'running') this.#state = 'draining';
    for (const entry of this.#delays.clear()) this.#drop(entry);
    if (!drain) {
      for (const entry of this.#ready.clear()) this.#drop(entry);
      for (let entry = this.#inFlight.oldest; entry; entry = entry.newer) this.#drop(entry);
      this.#dirtyCount = 0;
    }
    return new Promise((resolve) => {
      this.#onEnd.push(resolve);
      this.#endIfDone();
    });
  }

  #add(entry: Entry, reason: string, priority: number, afterMs: number): void {
    const now = this.#clock.monotonicMs();
    if (entry.next === 'none') entry.priority = priority;
    else if (priority > entry.priority) {
      entry.priority = priority;
      if (entry.next === 'ready') this.#ready.reprioritize(entry);
    }
    if (entry.next === 'ready' || entry.next === 'dirty') return;
    if (entry.next === 'delayed') {
      if (afterMs > 0 && now + afterMs >= entry.order) return;
      this.#delays.remove(entry);
    }
    entry.reason = boundedReason(reason);
    if (afterMs > 0) {
      entry.next = 'delayed';
      this.#delays.add(entry, now + afterMs);
    } else this.#due(entry, now);
  }

  /** The delay of a key is over: it is ready, or will be when its run is done. */
  #due(entry: Entry, now = this.#clock.monotonicMs()): void {
    this.#observer.added?.(entry.key);
    if (entry.inFlight) {
      entry.next = 'dirty';
      this.#dirtyCount++;
    } else this.#makeReady(entry, now);
  }

  #makeReady(entry: Entry, now: number): void {
    entry.next = 'ready';
    this.#ready.push(entry, now);
    if (this.#waiters.size === 0) return;
    const item = this.#next();
    if (item) this.#waiters.deliver(item);
  }

  /** Puts the first ready key in flight. */
  #next(): QueueItem | undefined {
    const entry = this.#ready.pop();
    if (!entry) return undefined;
    const { key, reason, failures, priority } = entry;
    const now = this.#clock.monotonicMs();
    const item: QueueItem = { key, reason, attempt: failures, waitedMs: now - entry.since, priority };
    entry.next = 'none';
    entry.inFlight = true;
    entry.since = now;
    this.#inFlight.append(entry);
    this.#observer.taken?.(item);
    return item;
  }

  #entryOf(key: string): Entry {
    const known = this.#entries.get(key);
    if (known) return known;
    const entry = createEntry(key, this.#idleFailures.get(key) ?? 0);
    if (entry.failures > 0) this.#idleFailures.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #drop(entry: Entry): void {
    entry.next = 'none';
    if (!entry.inFlight) this.#leave(entry);
  }

  #leave(entry: Entry): void {
    this.#entries.delete(entry.key);
    if (entry.failures > 0) this.#idleFailures.set(entry.key, entry.failures);
  }

  #endIfDone(): void {
    if (this.#state === 'draining' && this.#ready.size === 0 && this.#dirtyCount === 0) {
      this.#state = 'stopped';
      this.#waiters.releaseAll();
    }
    if (this.#state !== 'stopped' || this.#inFlight.size > 0) return;
    for (const resolve of this.#onEnd.splice(0)) resolve();
  }

  #since(moment: number | undefined): number {
    return moment === undefined ? 0 : this.#clock.monotonicMs() - moment;
  }
}
