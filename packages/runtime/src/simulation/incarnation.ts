/**
 * One life of a simulated process: everything it can reach the world through. When it is over, every door is shut: no
 * promise that it waits for is ever settled, no timer of it fires, nothing that it still does has an effect.
 */
import { isApiError } from '../api/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import type { Store } from '../store/contract.ts';
import type { TimerOwner } from './clock.ts';
import type { Abilities } from './faults.ts';
import { type EffectOptions, Flight } from './flight.ts';
import { happenings, type OpenRecord } from './journal.ts';
import type { SimulatedProcess } from './process.ts';
import { SeededRandom } from './random.ts';
import { SimulatedStore } from './store.ts';
import type { World } from './world.ts';

/** What a simulated program is given instead of the real world. */
export interface Doors {
  readonly name: string;
  /** Counted from 1: how often the process has been started. */
  readonly incarnation: number;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Aborts when the process is asked to stop. A crash does not ask. */
  readonly signal: AbortSignal;
  /** A call through any other door: numbered, traced, and subject to faults. */
  effect<T>(name: string, apply: () => Promise<T> | T, options: EffectOptions<T>): Promise<T>;
}

export type Main = (doors: Doors) => Promise<void> | void;

export class Incarnation implements TimerOwner {
  readonly process: SimulatedProcess;
  readonly world: World;
  readonly number: number;
  /** Effects that are sent and not yet applied. */
  readonly flights = new Set<{ abandon(): void }>();
  /** What to let go of when this life ends. */
  readonly belongings = new Set<() => void>();
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

  async live(main: Main): Promise<void> {
    try {
      await main(this.#doors());
      if (this.#alive) this.note('finished');
    } catch (error) {
      if (this.#alive) this.failed(error);
    }
  }

  stop(): void {
    this.note('asked to stop');
    this.#stopping.abort();
  }

  end(): void {
    this.#alive = false;
    for (const flight of this.flights) flight.abandon();
    for (const letGo of this.belongings) letGo();
    this.flights.clear();
    this.belongings.clear();
  }

  /**
   * An error that nobody caught ends the process. One of the catalogue is what a program may end with when the world
   * fails it, and somebody restarts it; anything else is a defect, and so is any error of a process without faults.
   */
  failed(error: unknown): void {
    const excusable = isApiError(error) && error.retry !== 'bug' && this.process.suffersFaults;
    this.note(
      `ended by ${isApiError(error) ? error.code : 'an error'}: ${error instanceof Error ? error.message : error}`,
    );
    if (excusable) this.process.crash(this.process.restartMs);
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
    const record = this.begin(name, { kind, repeatable, stale: stale !== undefined });
    if (!record) return never();
    return new Promise((resolve, reject) => new Flight(this, record, apply, options, resolve, reject).send());
  }

  /** Numbers an effect and decides its fate; nothing if the process is no more, or ends with it. */
  begin(name: string, abilities: Abilities): OpenRecord | undefined {
    if (!this.#alive) return undefined;
    const { journal, scheduler, plan } = this.world;
    const { process } = this;
    const number = process.nextEffect();
    const fault = process.suffersFaults ? plan.at(process.name, number, scheduler.nowMs, abilities) : undefined;
    const record: OpenRecord = {
      process: process.name,
      incarnation: this.number,
      number,
      name,
      kind: abilities.kind,
      sentMs: scheduler.nowMs,
      fault,
      appliedMs: undefined,
      answer: undefined,
    };
    journal.effects.push(record);
    if (fault) journal.faults.push(fault);
    const crashes = fault?.type === 'crashBefore';
    journal.about(record, scheduler.nowMs, crashes ? happenings.crashBefore : happenings.sent);
    if (!crashes) return record;
    process.crash(fault.restartMs);
    return undefined;
  }

  note(what: string): void {
    this.world.journal.note(this.process.name, this.number, this.world.scheduler.nowMs, what);
  }

  #doors(): Doors {
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

/** What somebody waits for who is no more. */
export function never<T>(): Promise<T> {
  return new Promise(() => {});
}
