/**
 * One run of a simulated process, with its dependencies. After its end, no promise that it awaits is settled, none of its
 * timers fires, and its calls have no effect.
 */
import { isApiError } from '../api/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import type { Store } from '../store/contract.ts';
import type { TimerOwner } from './clock.ts';
import { EffectCall, type EffectOptions } from './effect-call.ts';
import type { EffectTraits } from './faults.ts';
import { effectEvents, type OpenRecord } from './journal.ts';
import type { SimulatedProcess } from './process.ts';
import { SeededRandom } from './random.ts';
import { SimulatedStore } from './store.ts';
import type { World } from './world.ts';

/** The injected dependencies of a simulated program. It must use nothing else. */
export interface ProcessDependencies {
  readonly name: string;
  /** Number of starts of the process, from 1. */
  readonly incarnation: number;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Aborts when the process is stopped. It does not abort in a crash. */
  readonly signal: AbortSignal;
  /** Any other call to the outside: numbered, traced, and subject to faults. */
  effect<T>(name: string, apply: () => Promise<T> | T, options: EffectOptions<T>): Promise<T>;
}

export type Main = (dependencies: ProcessDependencies) => Promise<void> | void;

export class Incarnation implements TimerOwner {
  readonly process: SimulatedProcess;
  readonly world: World;
  readonly number: number;
  /** Effects that are sent and not yet applied. */
  readonly calls = new Set<{ abandon(): void }>();
  /** Called when this incarnation ends. */
  readonly cleanups = new Set<() => void>();
  readonly #stopping = new AbortController();
  #alive = true;

  constructor(process: SimulatedProcess, world: World, number: number) {
    this.process = process;
    this.world = world;
    this.number = number;
  }

  get alive(): boolean {
    return this.#alive;
  }

  async run(main: Main): Promise<void> {
    try {
      await main(this.#dependencies());
      if (this.#alive) this.note('finished');
    } catch (error) {
      if (this.#alive) this.failed(error);
    }
  }

  stop(): void {
    this.note('stop requested');
    this.#stopping.abort();
  }

  end(): void {
    this.#alive = false;
    for (const call of this.calls) call.abandon();
    for (const cleanup of this.cleanups) cleanup();
    this.calls.clear();
    this.cleanups.clear();
  }

  /**
   * An uncaught error ends the process. An error of the catalogue may be the consequence of a fault, and the process is
   * restarted; any other error fails the run, and so does any error of a process without faults.
   */
  failed(error: unknown): void {
    const isExpected = isApiError(error) && error.retry !== 'bug' && this.process.isFaultTarget;
    this.note(
      `ended by ${isApiError(error) ? error.code : 'an error'}: ${error instanceof Error ? error.message : error}`,
    );
    if (isExpected) this.process.crash(this.process.restartMs);
    else
      this.world.fail(
        `process ${this.process.name}`,
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
  }

  tie(): number {
    return this.process.timerTie();
  }

  effect<T>(name: string, apply: () => Promise<T> | T, options: EffectOptions<T>): Promise<T> {
    const { kind, repeatable = false, stale } = options;
    const record = this.startEffect(name, { kind, repeatable, stale: stale !== undefined });
    if (!record) return never();
    return new Promise((resolve, reject) => new EffectCall(this, record, apply, options, resolve, reject).send());
  }

  /** Numbers an effect and decides its fault. Returns undefined if the process has ended or crashes now. */
  startEffect(name: string, traits: EffectTraits): OpenRecord | undefined {
    if (!this.#alive) return undefined;
    const { journal, scheduler, plan } = this.world;
    const { process } = this;
    const number = process.nextEffect();
    const fault = process.isFaultTarget ? plan.at(process.name, number, scheduler.nowMs, traits) : undefined;
    const record: OpenRecord = {
      process: process.name,
      incarnation: this.number,
      number,
      name,
      kind: traits.kind,
      sentMs: scheduler.nowMs,
      fault,
      appliedMs: undefined,
      result: undefined,
    };
    journal.effects.push(record);
    if (fault) journal.faults.push(fault);
    const crashes = fault?.type === 'crashBefore';
    journal.about(record, scheduler.nowMs, crashes ? effectEvents.crashBefore : effectEvents.sent);
    if (!crashes) return record;
    process.crash(fault.restartMs);
    return undefined;
  }

  note(what: string): void {
    this.world.journal.note(this.process.name, this.number, this.world.scheduler.nowMs, what);
  }

  #dependencies(): ProcessDependencies {
    const { process, number, world } = this;
    return {
      name: process.name,
      incarnation: number,
      store: new SimulatedStore(this, process.sharedStore),
      clock: process.clock.of(this),
      random: new SeededRandom(world.seed, process.index, number),
      signal: this.#stopping.signal,
      log: {
        write: (level, what, fields) => {
          if (!this.#alive) return;
          const timeMs = world.scheduler.nowMs;
          world.journal.events.push({
            timeMs,
            process: process.name,
            incarnation: number,
            effect: undefined,
            what,
            level,
            fields,
          });
        },
      },
      effect: (name, apply, options) => this.effect(name, apply, options),
    };
  }
}

/** The promise of a call in a process that has ended. */
export function never<T>(): Promise<T> {
  return new Promise(() => {});
}
