/**
 * A watch in a simulation. The watch of the shared store is reliable; this one adds delays, broken streams, and with an
 * unreliable store also lost and duplicate events.
 *
 * Opening it is an effect, and so is the delivery of every commit. States: closed → opening → open → done.
 */
import { ApiError, isApiError } from '../api/errors.ts';
import type { Commit, WatchOptions } from '../store/contract.ts';
import type { EffectFault } from './faults.ts';
import { type Incarnation, never } from './incarnation.ts';
import { effectEvents, type OpenRecord } from './journal.ts';
import { draw } from './random.ts';
import type { SharedStore } from './shared-store.ts';
import { purposes } from './world.ts';

/** The link between a process and the store. */
export const storeLink = 'store';

interface Waiter {
  resolve(result: IteratorResult<Commit, void>): void;
  reject(error: unknown): void;
}

const eventTraits = { kind: 'event', repeatable: false, stale: false } as const;
const endedReason = 'the simulated watch has ended';
const ended: IteratorResult<Commit, void> = { done: true, value: undefined };

export class SimulatedWatch implements AsyncIterator<Commit, void> {
  readonly #incarnation: Incarnation;
  readonly #prefix: string;
  readonly #after: number;
  readonly #inner: AsyncIterator<Commit, void>;
  readonly #innerAbort = new AbortController();
  readonly #signal: AbortSignal | undefined;
  readonly #closing: AbortSignal;
  #state: 'closed' | 'opening' | 'open' | 'done' = 'closed';
  #waiter: Waiter | undefined;
  /** A commit to be delivered again. */
  #again: Commit | undefined;

  constructor(
    incarnation: Incarnation,
    shared: SharedStore,
    prefix: string,
    options: WatchOptions,
    closing: AbortSignal,
  ) {
    this.#incarnation = incarnation;
    this.#prefix = prefix;
    this.#after = options.after;
    this.#inner = shared.watch(prefix, { ...options, signal: this.#innerAbort.signal })[Symbol.asyncIterator]();
    this.#signal = options.signal;
    this.#closing = closing;
  }

  next(): Promise<IteratorResult<Commit, void>> {
    if (!this.#incarnation.alive) return never();
    if (this.#signal?.aborted) this.#end();
    if (this.#state === 'done') return Promise.resolve(ended);
    if (this.#closing.aborted) return Promise.reject(closedError());
    if (this.#waiter) throw new RangeError('a simulated watch does not support concurrent calls of next()');
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
      if (this.#state === 'closed') this.#open();
      else this.#pull();
    });
  }

  async return(): Promise<IteratorResult<Commit, void>> {
    this.#end();
    return ended;
  }

  #open(): void {
    this.#state = 'opening';
    this.#signal?.addEventListener('abort', this.#end, { once: true });
    this.#closing.addEventListener('abort', this.#close, { once: true });
    this.#incarnation.cleanups.add(this.#release);
    const opened = () => {
      if (this.#state !== 'opening') return;
      this.#state = 'open';
      this.#pull();
    };
    const name = `watch ${this.#prefix} after ${this.#after}`;
    const describe = () => 'open';
    const request = this.#incarnation.effect(name, () => {}, { kind: 'read', link: storeLink, describe });
    request.then(opened, (error: unknown) => this.#break(error));
  }

  #pull(): void {
    const again = this.#again;
    this.#again = undefined;
    if (again) this.#deliver(again);
    else {
      this.#inner.next().then(
        (result) => (result.done ? this.#end() : this.#deliver(result.value)),
        (error: unknown) => this.#break(error),
      );
    }
  }

  #deliver(commit: Commit): void {
    if (this.#state === 'done') return;
    const record = this.#incarnation.startEffect(`event ${this.#prefix} ${commit.revision}`, eventTraits);
    if (!record) return;
    const { fault } = record;
    const latencyMs = Math.floor(this.#draw(record, purposes.request) * (this.#incarnation.world.latencyMsMax + 1));
    this.#later(latencyMs + (fault?.type === 'delay' ? fault.delayMs : 0), record, () =>
      this.#arrive(record, commit, fault),
    );
  }

  #arrive(record: OpenRecord, commit: Commit, fault: EffectFault | undefined): void {
    if (this.#state === 'done') return;
    const cutForMs = this.#incarnation.process.cutOffForMs(storeLink);
    if (cutForMs > 0) this.#waitForPartition(cutForMs, record, commit, fault);
    else if (fault?.type === 'breakWatch') this.#break(brokenError(), record);
    else if (fault?.type === 'dropEvent') {
      this.#note(record, 'dropped');
      this.#pull();
    } else if (fault?.type === 'crashAfter') {
      this.#note(record, effectEvents.crashAfter);
      this.#incarnation.process.crash(fault.restartMs);
    } else {
      if (fault?.type === 'repeatEvent') this.#again = commit;
      record.appliedMs = this.#incarnation.world.scheduler.nowMs;
      record.result = 'ok';
      this.#note(record, 'delivered');
      this.#settle()?.resolve({ done: false, value: commit });
    }
  }

  /** A partition delays events. Half of the affected streams continue after it, the others break. */
  #waitForPartition(cutForMs: number, record: OpenRecord, commit: Commit, fault: EffectFault | undefined): void {
    const breaks = this.#draw(record, purposes.cutError) < 0.5;
    this.#later(cutForMs, record, () =>
      breaks ? this.#break(brokenError(), record) : this.#arrive(record, commit, fault),
    );
  }

  #later(delayMs: number, record: OpenRecord, run: () => void): void {
    const tie = this.#draw(record, purposes.requestTie);
    this.#incarnation.world.scheduler.schedule(delayMs, tie, run, this.#incarnation);
  }

  #break(error: unknown, record?: OpenRecord): void {
    if (this.#state === 'done') return;
    const code = isApiError(error) ? error.code : 'error';
    if (record) {
      record.result = code;
      this.#note(record, `watch broken: ${code}`);
    } else this.#incarnation.note(`watch ${this.#prefix} broken: ${code}`);
    this.#incarnation.world.scheduler.reportRejections();
    const waiter = this.#settle();
    this.#end();
    waiter?.reject(error);
  }

  #settle(): Waiter | undefined {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    return waiter;
  }

  readonly #close = (): void => this.#break(closedError());

  readonly #end = (): void => {
    if (this.#state === 'done' || !this.#incarnation.alive) return;
    this.#state = 'done';
    this.#incarnation.cleanups.delete(this.#release);
    this.#signal?.removeEventListener('abort', this.#end);
    this.#closing.removeEventListener('abort', this.#close);
    this.#release();
    this.#settle()?.resolve(ended);
  };

  /** Ends the watch of the store without notifying the watcher. A crash of the watcher does nothing else. */
  readonly #release = (): void => {
    // Without a reason, Node creates an error with a stack each time, and a run has many watches.
    this.#innerAbort.abort(endedReason);
  };

  #note(record: OpenRecord, what: string): void {
    const { journal, scheduler } = this.#incarnation.world;
    journal.about(record, scheduler.nowMs, what);
  }

  #draw(record: OpenRecord, purpose: number): number {
    return draw(this.#incarnation.world.seed, this.#incarnation.process.index, record.number, purpose);
  }
}

export function closedError(): ApiError {
  return new ApiError('Closed', { what: 'the simulated store' });
}

function brokenError(): ApiError {
  return new ApiError('Unavailable', { what: 'the watch', reason: 'the simulation broke the stream' });
}
