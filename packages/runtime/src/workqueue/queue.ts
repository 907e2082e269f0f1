/**
 * The work queue: which key a controller looks at next. It has client-go's guarantees: a key is never in flight twice,
 * nothing that was added is lost, and any number of adds during a run mean exactly one more run.
 */
import { ApiError } from '../api/errors.ts';
import { backoffMs } from '../lib/backoff.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../ports/clock.ts';
import type { AddOptions, QueueItem, QueueObserver, WorkQueueOptions } from './contract.ts';
import { Delays } from './delays.ts';
import { boundedReason, createEntry, type Entry } from './entry.ts';
import { Line } from './line.ts';
import { checkAdd, checkTuning, type QueueTuning } from './options.ts';
import { Ready } from './ready.ts';
import { Takers } from './takers.ts';

export type { AddOptions, QueueItem, QueueObserver, WorkQueueOptions } from './contract.ts';

export const idleFailuresMax = 10_000;

export class WorkQueue {
  readonly #tuning: QueueTuning;
  readonly #observer: QueueObserver;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #ready: Ready;
  readonly #delays: Delays;
  readonly #inFlight = new Line<Entry>();
  /**
   * A key that waits or runs carries its failures with it. Only one that failed, left and was not forgotten is kept here.
   * A key whose object is gone may never be forgotten, so there is a limit: beyond it the key that left first starts over
   * at the shortest backoff.
   */
  readonly #idleFailures = new BoundedMap<string, number>(idleFailuresMax);
  readonly #takers = new Takers<QueueItem>();
  #dirtyCount = 0;
  /** `draining` hands out what is ready or dirty, then becomes `stopped`, which hands out nothing. */
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

  /** Ready to be taken. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Waiting for their time. */
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

  /** How long the key that is ready longest has waited; 0 when none is. */
  get oldestWaitMs(): number {
    return this.#since(this.#ready.oldestSince);
  }

  /**
   * Asks for one run of the key. A key that waits already stays one, with the higher priority and the earlier time of
   * the two. During a run of the key it means exactly one more, after `done`. After `shutDown` it does nothing.
   */
  add(key: string, { reason = 'added', priority = 0, afterMs = 0 }: AddOptions = {}): void {
    checkAdd(priority, afterMs);
    if (this.#state === 'running') this.#add(this.#entryOf(key), reason, priority, afterMs);
  }

  /**
   * Counts a failure and adds the key after its backoff, with the priority it had. Returns the delay. A key that is to
   * run earlier for another reason does. After `shutDown` it adds nothing.
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

  /** Forgets the failures of a key: its next retry waits the shortest time again. What waits stays. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry) entry.failures = 0;
    else this.#idleFailures.delete(key);
  }

  attempts(key: string): number {
    return this.#entries.get(key)?.failures ?? this.#idleFailures.get(key) ?? 0;
  }

  /**
   * The next key, at once or when there is one; undefined when the signal aborts, or after `shutDown`. Takers are
   * served in the order in which they came. A key that was handed over has to be given to `done`, even if the signal
   * aborts before the caller sees it.
   */
  take(signal?: AbortSignal): Promise<QueueItem | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    const item = this.#next();
    // The take that finds nothing left is the one that notices the end of a drain.
    if (!item) this.#endIfDone();
    return item || this.#state === 'stopped' ? Promise.resolve(item) : this.#takers.wait(signal);
  }

  /** Ends the run of a key. Has to be called once for every key taken; otherwise it throws `Internal`. */
  done(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry?.inFlight) throw new ApiError('Internal', { reason: `done("${key}"): the key is not in flight` });
    const now = this.#clock.monotonicMs();
    const tookMs = now - entry.since;
    entry.inFlight = false;
    this.#inFlight.leave(entry);
    this.#observer.finished?.(key, tookMs);
    if (entry.next === 'none') this.#leave(entry);
    else if (entry.next === 'dirty') {
      this.#dirtyCount--;
      this.#makeReady(entry, now);
    }
    this.#endIfDone();
  }

  /**
   * Takes no more adds and drops what is delayed. With `drain`, what is ready, and what was added during a run, is still
   * handed out; without, it is dropped. Resolves when nothing waits and nothing is in flight, so a drain needs takers;
   * a second call without `drain` ends it early.
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
      if (entry.next === 'ready') this.#ready.reprioritized(entry);
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

  /** The time of a key has come: it is ready, or will be when its run is done. */
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
    if (this.#takers.size === 0) return;
    const item = this.#next();
    if (item) this.#takers.hand(item);
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
    this.#inFlight.join(entry);
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
      this.#takers.sendHome();
    }
    if (this.#state !== 'stopped' || this.#inFlight.size > 0) return;
    for (const resolve of this.#onEnd.splice(0)) resolve();
  }

  #since(moment: number | undefined): number {
    return moment === undefined ? 0 : this.#clock.monotonicMs() - moment;
  }
}
