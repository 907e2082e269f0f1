/**
 * A program in a simulation. It can be crashed at any time and restarted: a new incarnation of the same main function,
 * which shares nothing with the previous one except the store.
 */
import { MachineClock } from './clock.ts';
import { Incarnation, type Main } from './incarnation.ts';
import { draw } from './random.ts';
import type { SharedStore } from './shared-store.ts';
import type { ScheduledEvent } from './timeline.ts';
import { purposes, type World } from './world.ts';

export interface ProcessOptions {
  /** Whether faults apply to it. Default true; false for users, and for other parts of the scenario itself. */
  readonly faults?: boolean;
  /** Delay until it is restarted after an error. Default 1000 ms. */
  readonly restartMs?: number;
  /** Links that partitions may affect. Default `store`. */
  readonly links?: readonly string[];
}

export class SimulatedProcess {
  readonly name: string;
  /** Its position among the processes of the run; an input of random draws. */
  readonly index: number;
  readonly clock: MachineClock;
  readonly sharedStore: SharedStore;
  readonly isFaultTarget: boolean;
  readonly restartMs: number;
  readonly links: readonly string[];
  readonly #world: World;
  readonly #cutUntilMs = new Map<string, number>();
  #main: Main | undefined;
  #current: Incarnation | undefined;
  #starting: ScheduledEvent | undefined;
  #incarnations = 0;
  #effects = 0;
  #timers = 0;

  constructor(world: World, name: string, index: number, sharedStore: SharedStore, options: ProcessOptions = {}) {
    this.#world = world;
    this.name = name;
    this.index = index;
    this.sharedStore = sharedStore;
    this.isFaultTarget = options.faults ?? true;
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

  /** Number of starts. */
  get incarnations(): number {
    return this.#incarnations;
  }

  /** Number of effects, of all incarnations. */
  get effects(): number {
    return this.#effects;
  }

  start(main: Main): this {
    if (this.#main) throw new RangeError(`${this.name} is already started: use restart()`);
    this.#main = main;
    this.#startIn(0);
    return this;
  }

  /** Aborts its signal, as SIGTERM does. */
  stop(): void {
    this.#current?.stop();
  }

  /** Ends it without notice. With `restartMs`, it is restarted after that time. */
  crash(restartMs?: number): void {
    if (!this.alive) return;
    this.#current?.note('crashed');
    this.#current?.end();
    if (restartMs !== undefined) this.#startIn(restartMs);
  }

  /** Crashes it if it is alive, and starts it again immediately. */
  restart(): void {
    this.crash();
    this.#startIn(0);
  }

  /** Blocks the link for that time. */
  cutOff(link: string, lengthMs: number): void {
    const untilMs = this.#world.scheduler.nowMs + lengthMs;
    this.#cutUntilMs.set(link, Math.max(untilMs, this.#cutUntilMs.get(link) ?? 0));
    this.#current?.note(`cut off from ${link} for ${lengthMs} ms`);
  }

  /** Steps the wall clock of its machine. */
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

  /** Ends it with the run: it has no effect afterwards. */
  end(): void {
    this.#current?.end();
  }

  #startIn(delayMs: number): void {
    if (this.#starting) this.#starting.run = undefined;
    const tie = draw(this.#world.seed, this.index, this.#incarnations, purposes.startTie);
    this.#starting = this.#world.scheduler.schedule(delayMs, tie, () => this.#start());
  }

  #start(): void {
    this.#starting = undefined;
    if (!this.#main) return;
    const incarnation = new Incarnation(this, this.#world, ++this.#incarnations);
    this.#current = incarnation;
    incarnation.note('started');
    void incarnation.run(this.#main);
  }
}
