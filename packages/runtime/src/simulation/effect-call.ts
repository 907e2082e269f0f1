/**
 * One call of an effect: sent, applied at the other end, completed. It simulates the faults of the network and crashes
 * of the caller.
 *
 *   sent ──request──▶ applied ──response──▶ completed
 *     └─ lost or late: `Timeout` or `Unavailable`; the caller does not know whether it was applied
 */
import { ApiError, isApiError } from '../api/errors.ts';
import type { LossError } from './faults.ts';
import type { Incarnation } from './incarnation.ts';
import { effectEvents, type OpenRecord } from './journal.ts';
import { draw } from './random.ts';
import type { ScheduledEvent } from './timeline.ts';
import { purposes, type World } from './world.ts';

export interface EffectOptions<T> {
  readonly kind: 'read' | 'write';
  /** Names the other end, for partitions. Without one, partitions do not affect the effect. */
  readonly link?: string;
  /** Whether the contract allows that a request arrives twice. Default false. */
  readonly repeatable?: boolean;
  /** Returns the result of that many revisions ago. Without it, there are no stale reads. */
  readonly stale?: (revisions: number) => Promise<T> | T;
  /** Default: the simulation's. */
  readonly timeoutMs?: number;
  /** A short text of the result, for the trace. */
  readonly describe?: (value: T) => string;
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

export class EffectCall<T> {
  readonly #incarnation: Incarnation;
  readonly #world: World;
  readonly #record: OpenRecord;
  readonly #apply: () => Promise<T> | T;
  readonly #options: EffectOptions<T>;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;
  #request: ScheduledEvent | undefined;

  constructor(
    incarnation: Incarnation,
    record: OpenRecord,
    apply: () => Promise<T> | T,
    options: EffectOptions<T>,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ) {
    this.#incarnation = incarnation;
    this.#world = incarnation.world;
    this.#record = record;
    this.#apply = apply;
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  send(): void {
    const { fault } = this.#record;
    if (fault?.type === 'lostRequest') this.#lose(effectEvents.requestLost, fault.error);
    else if (this.#isCut())
      this.#lose(effectEvents.cutOff, this.#draw(purposes.cutError) < 0.5 ? 'Timeout' : 'Unavailable');
    else this.#request = this.#sendRequest(fault?.type === 'delay' ? fault.delayMs : 0);
  }

  /** The caller has crashed. A request that has not arrived is lost or still arrives, depending on the seed. */
  abandon(): void {
    if (this.#request === undefined || this.#draw(purposes.survival) < 0.5) return;
    this.#request.run = undefined;
    this.#note(effectEvents.lostInCrash);
  }

  #sendRequest(extraMs: number): ScheduledEvent {
    const delayMs = this.#latencyMs(purposes.request) + extraMs;
    this.#incarnation.calls.add(this);
    if (delayMs >= this.#timeoutMs) this.#failIn(this.#timeoutMs, 'Timeout');
    // Without an owner: a request may arrive after its caller has crashed.
    return this.#world.scheduler.schedule(delayMs, this.#draw(purposes.requestTie), () => this.#arrive());
  }

  #arrive(): void {
    this.#incarnation.calls.delete(this);
    const { fault } = this.#record;
    if (this.#isCut()) this.#lose(effectEvents.cutOff, 'Timeout');
    else {
      if (fault?.type === 'duplicate') this.#repeatIn(fault.delayMs);
      const { stale } = this.#options;
      this.#perform(fault?.type === 'staleRead' && stale ? () => stale(fault.revisions) : this.#apply);
    }
  }

  #perform(apply: () => Promise<T> | T): void {
    try {
      const result = apply();
      if (result instanceof Promise) this.#await(result);
      else this.#applied({ ok: true, value: result });
    } catch (error) {
      this.#applied({ ok: false, error });
    }
  }

  /** The timeout of the caller includes the time of an asynchronous `apply`. */
  #await(result: Promise<T>): void {
    let watchdog: ScheduledEvent | undefined;
    let isSettled = false;
    const settled = (outcome: Outcome<T>) => {
      isSettled = true;
      if (watchdog) watchdog.run = undefined;
      this.#applied(outcome);
    };
    result.then(
      (value) => settled({ ok: true, value }),
      (error: unknown) => settled({ ok: false, error }),
    );
    // Most results are available immediately and need no watchdog.
    this.#world.scheduler.whenIdle(() => {
      if (!isSettled) watchdog = this.#failIn(this.#leftMs(), 'Timeout');
    });
  }

  #applied(outcome: Outcome<T>): void {
    const { fault, result } = this.#record;
    this.#record.appliedMs = this.#world.scheduler.nowMs;
    this.#note(effectEvents.applied);
    if (!this.#incarnation.alive || result !== undefined) return;
    if (fault?.type === 'crashAfter') {
      this.#note(effectEvents.crashAfter);
      this.#incarnation.process.crash(fault.restartMs);
    } else if (fault?.type === 'lostResponse') this.#lose(effectEvents.responseLost, fault.error);
    else this.#sendResponse(outcome);
  }

  #sendResponse(outcome: Outcome<T>): void {
    const delayMs = this.#latencyMs(purposes.response);
    const complete = () => {
      if (this.#isCut()) this.#lose(effectEvents.cutOff, 'Timeout');
      else this.#complete(outcome);
    };
    if (delayMs >= this.#leftMs()) this.#failIn(this.#leftMs(), 'Timeout');
    else this.#world.scheduler.schedule(delayMs, this.#draw(purposes.responseTie), complete, this.#incarnation);
  }

  #complete(outcome: Outcome<T>): void {
    if (outcome.ok) {
      this.#record.result = 'ok';
      this.#note(this.#options.describe?.(outcome.value) ?? 'ok');
      this.#resolve(outcome.value);
    } else {
      const { error } = outcome;
      this.#record.result = isApiError(error) ? error.code : 'error';
      this.#note(isApiError(error) ? error.code : String(error));
      this.#world.scheduler.reportRejections();
      this.#reject(error);
    }
  }

  #lose(what: string, code: LossError): void {
    this.#note(what);
    this.#failIn(code === 'Timeout' ? this.#leftMs() : this.#latencyMs(purposes.response), code);
  }

  #failIn(delayMs: number, code: LossError): ScheduledEvent {
    const { scheduler } = this.#world;
    const fail = () => {
      if (this.#record.result === undefined) this.#complete({ ok: false, error: this.#lossError(code) });
    };
    return scheduler.schedule(Math.max(0, delayMs), this.#draw(purposes.responseTie), fail, this.#incarnation);
  }

  #lossError(code: LossError): ApiError {
    const what = this.#options.link ?? this.#record.name;
    if (code === 'Timeout') return new ApiError('Timeout', { what, timeoutMs: this.#timeoutMs });
    return new ApiError('Unavailable', { what, reason: 'the simulation broke the connection' });
  }

  /** The second result is dropped. */
  #repeatIn(delayMs: number): void {
    this.#world.scheduler.schedule(delayMs, this.#draw(purposes.requestTie), () => {
      this.#note(effectEvents.appliedAgain);
      const ignore = () => {};
      void (async () => this.#apply())().then(ignore, ignore);
    });
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? this.#world.timeoutMs;
  }

  #leftMs(): number {
    return this.#record.sentMs + this.#timeoutMs - this.#world.scheduler.nowMs;
  }

  #isCut(): boolean {
    const { link } = this.#options;
    return link !== undefined && this.#incarnation.process.isCutOff(link);
  }

  #latencyMs(purpose: number): number {
    return Math.floor(this.#draw(purpose) * (this.#world.latencyMsMax + 1));
  }

  #draw(purpose: number): number {
    return draw(this.#world.seed, this.#incarnation.process.index, this.#record.number, purpose);
  }

  #note(what: string): void {
    this.#world.journal.about(this.#record, this.#world.scheduler.nowMs, what);
  }
}
