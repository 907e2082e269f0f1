/**
 * One effect on its way: sent, applied at the other end, answered. Everything that a network and a crash can do to a
 * request happens in between.
 *
 *   sent ──request──▶ applied ──response──▶ answered
 *     └─ lost or late: `Timeout` or `Unavailable`; the caller cannot tell whether it was applied
 */
import { ApiError, isApiError } from '../api/errors.ts';
import type { LossError } from './faults.ts';
import type { Incarnation } from './incarnation.ts';
import { happenings, type OpenRecord } from './journal.ts';
import { draw } from './random.ts';
import type { Happening } from './timeline.ts';
import { purposes, type World } from './world.ts';

export interface EffectOptions<T> {
  readonly kind: 'read' | 'write';
  /** What is at the other end, for partitions. Without one, no partition touches the effect. */
  readonly link?: string;
  /** The port says that a request may arrive twice. Default false. */
  readonly repeatable?: boolean;
  /** The answer as it was that many revisions ago. Without it, the effect is never read stale. */
  readonly stale?: (revisions: number) => Promise<T> | T;
  /** Default: the simulation's. */
  readonly timeoutMs?: number;
  /** The answer in a few words, for the trace. */
  readonly describe?: (value: T) => string;
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

export class Flight<T> {
  readonly #incarnation: Incarnation;
  readonly #world: World;
  readonly #record: OpenRecord;
  readonly #apply: () => Promise<T> | T;
  readonly #options: EffectOptions<T>;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;
  #request: Happening | undefined;

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
    if (fault?.type === 'lostRequest') this.#lose(happenings.requestLost, fault.error);
    else if (this.#isCut())
      this.#lose(happenings.cutOff, this.#draw(purposes.cutError) < 0.5 ? 'Timeout' : 'Unavailable');
    else this.#request = this.#travel(fault?.type === 'delay' ? fault.delayMs : 0);
  }

  /** The sender has crashed; what has not arrived yet is lost, or still arrives, by seed. */
  abandon(): void {
    if (this.#request === undefined || this.#draw(purposes.survival) < 0.5) return;
    this.#request.run = undefined;
    this.#note(happenings.lostInCrash);
  }

  #travel(extraMs: number): Happening {
    const delayMs = this.#latencyMs(purposes.request) + extraMs;
    this.#incarnation.flights.add(this);
    if (delayMs >= this.#timeoutMs) this.#failIn(this.#timeoutMs, 'Timeout');
    // It has no owner: a request that has left may arrive after its sender is gone.
    return this.#world.scheduler.schedule(delayMs, this.#draw(purposes.requestTie), () => this.#arrive());
  }

  #arrive(): void {
    this.#incarnation.flights.delete(this);
    const { fault } = this.#record;
    if (this.#isCut()) this.#lose(happenings.cutOff, 'Timeout');
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

  /** The other end may take its time, too; the caller does not wait longer for that. */
  #await(result: Promise<T>): void {
    let watchdog: Happening | undefined;
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
    // Most answers are there at once, and need no watchdog.
    this.#world.scheduler.whenAllWait(() => {
      if (!isSettled) watchdog = this.#failIn(this.#leftMs(), 'Timeout');
    });
  }

  #applied(outcome: Outcome<T>): void {
    const { fault, answer } = this.#record;
    this.#record.appliedMs = this.#world.scheduler.nowMs;
    this.#note(happenings.applied);
    if (!this.#incarnation.alive || answer !== undefined) return;
    if (fault?.type === 'crashAfter') {
      this.#note(happenings.crashAfter);
      this.#incarnation.process.crash(fault.restartMs);
    } else if (fault?.type === 'lostResponse') this.#lose(happenings.responseLost, fault.error);
    else this.#travelBack(outcome);
  }

  #travelBack(outcome: Outcome<T>): void {
    const delayMs = this.#latencyMs(purposes.response);
    const answer = () => {
      if (this.#isCut()) this.#lose(happenings.cutOff, 'Timeout');
      else this.#answer(outcome);
    };
    if (delayMs >= this.#leftMs()) this.#failIn(this.#leftMs(), 'Timeout');
    else this.#world.scheduler.schedule(delayMs, this.#draw(purposes.responseTie), answer, this.#incarnation);
  }

  #answer(outcome: Outcome<T>): void {
    if (outcome.ok) {
      this.#record.answer = 'ok';
      this.#note(this.#options.describe?.(outcome.value) ?? 'ok');
      this.#resolve(outcome.value);
    } else {
      const { error } = outcome;
      this.#record.answer = isApiError(error) ? error.code : 'error';
      this.#note(isApiError(error) ? error.code : String(error));
      this.#world.scheduler.letRejectionsOut();
      this.#reject(error);
    }
  }

  #lose(what: string, code: LossError): void {
    this.#note(what);
    this.#failIn(code === 'Timeout' ? this.#leftMs() : this.#latencyMs(purposes.response), code);
  }

  #failIn(delayMs: number, code: LossError): Happening {
    const { scheduler } = this.#world;
    const fail = () => {
      if (this.#record.answer === undefined) this.#answer({ ok: false, error: this.#lossError(code) });
    };
    return scheduler.schedule(Math.max(0, delayMs), this.#draw(purposes.responseTie), fail, this.#incarnation);
  }

  #lossError(code: LossError): ApiError {
    const what = this.#options.link ?? this.#record.name;
    if (code === 'Timeout') return new ApiError('Timeout', { what, timeoutMs: this.#timeoutMs });
    return new ApiError('Unavailable', { what, reason: 'the simulation broke the connection' });
  }

  /** Nobody hears the second answer. */
  #repeatIn(delayMs: number): void {
    this.#world.scheduler.schedule(delayMs, this.#draw(purposes.requestTie), () => {
      this.#note(happenings.appliedAgain);
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
