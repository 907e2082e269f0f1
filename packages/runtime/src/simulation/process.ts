/**
 * A program in a simulation. It can be crashed at any moment and started again on what it left in the store: a new
 * incarnation of the same main function, that shares nothing with the one before.
 */
import { MachineClock } from './clock.ts';
import { Incarnation, type Main } from './incarnation.ts';
import { draw } from './random.ts';
import type { SharedStore } from './shared-store.ts';
import type { Happening } from './timeline.ts';
import { purposes, type World } from './world.ts';

export interface ProcessOptions {
  /** Whether faults may hit it. Default true; false for people, and for others whom the scenario trusts. */
  readonly faults?: boolean;
  /** How soon it is started again after it ended with an error. Default 1000 ms. */
  readonly restartMs?: number;
  /** Links that may be cut. Default `store`. */
  readonly links?: readonly string[];
}

export class SimulatedProcess {
  readonly name: string;
  /** Its place among the processes of the run; draws are made for it. */
  readonly index: number;
  readonly clock: MachineClock;
  readonly sharedStore: SharedStore;
  readonly suffersFaults: boolean;
  readonly restartMs: number;
  readonly links: readonly string[];
  readonly #world: World;
  readonly #cutUntilMs = new Map<string, number>();
  #main: Main | undefined;
  #current: Incarnation | undefined;
  #starting: Happening | undefined;
  #incarnations = 0;
  #effects = 0;
  #timers = 0;

  constructor(world: World, name: string, index: number, sharedStore: SharedStore, options: ProcessOptions = {}) {
    this.#world = world;
    this.name = name;
    this.index = index;
    this.sharedStore = sharedStore;
    this.suffersFaults = options.faults ?? true;
    this.restartMs = options.restartMs ?? 1000;
    this.links = options.links ?? ['store'];
    this.clock = new MachineClock(world.scheduler, {
      alive: true,
      tie: () => this.timerTie(),
      failed: (error) => world.fail(`process ${name}`, String(error)),
    });
  }

  get alive(): boolean {
    return this.#current?.alive ?? false;
  }

  /** How often it has been started. */
  get incarnations(): number {
    return this.#incarnations;
  }

  /** Effects that it has begun, in all its lives. */
  get effects(): number {
    return this.#effects;
  }

  start(main: Main): this {
    if (this.#main) throw new RangeError(`${this.name} has been started already: use restart()`);
    this.#main = main;
    this.#startIn(0);
    return this;
  }

  /** Asks it to stop, as SIGTERM does. */
  stop(): void {
    this.#current?.stop();
  }

  /** It is gone, in the middle of whatever it was doing. With `restartMs`, it comes back after that time. */
  crash(restartMs?: number): void {
    if (!this.alive) return;
    this.#current?.note('crashed');
    this.#current?.end();
    if (restartMs !== undefined) this.#startIn(restartMs);
  }

  /** Ends what is left of it, if anything, and starts it again at once. */
  restart(): void {
    this.crash();
    this.#startIn(0);
  }

  /** Nothing gets through from now on, for that long. */
  cutOff(link: string, lengthMs: number): void {
    const untilMs = this.#world.scheduler.nowMs + lengthMs;
    this.#cutUntilMs.set(link, Math.max(untilMs, this.#cutUntilMs.get(link) ?? 0));
    this.#current?.note(`cut off from ${link} for ${lengthMs} ms`);
  }

  /** Somebody sets the wall clock of its machine. */
  stepClock(stepMs: number): void {
    this.clock.step(stepMs);
    this.#current?.note(`clock set ${Math.abs(stepMs)} ms ${stepMs < 0 ? 'back' : 'forward'}`);
  }

  isCutOff(link: string): boolean {
    return this.cutOffForMs(link) > 0;
  }

  cutOffForMs(link: string): number {
    if (this.#cutUntilMs.size === 0) return 0;
    return Math.max(0, (this.#cutUntilMs.get(link) ?? 0) - this.#world.scheduler.nowMs);
  }

  nextEffect(): number {
    return ++this.#effects;
  }

  timerTie(): number {
    return draw(this.#world.seed, this.index, ++this.#timers, purposes.timerTie);
  }

  /** For the end of the run: it must do nothing afterwards. */
  end(): void {
    this.#current?.end();
  }

  #startIn(delayMs: number): void {
    if (this.#starting) this.#starting.run = undefined;
    const tie = draw(this.#world.seed, this.index, this.#incarnations, purposes.startTie);
    this.#starting = this.#world.scheduler.schedule(delayMs, tie, () => this.#begin());
  }

  #begin(): void {
    this.#starting = undefined;
    if (!this.#main) return;
    const incarnation = new Incarnation(this, this.#world, ++this.#incarnations);
    this.#current = incarnation;
    incarnation.note('started');
    void incarnation.live(this.#main);
  }
}
