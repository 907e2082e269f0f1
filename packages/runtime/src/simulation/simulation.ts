/**
 * One run: a store, processes, a seed for all random decisions, and oracles. The same seed and the same faults give an
 * identical run, with an identical trace.
 */
import { MachineClock } from './clock.ts';
import { explicitFaults, type FaultPlan, type TimedFault } from './faults.ts';
import { Journal } from './journal.ts';
import type { Failure, Oracle } from './oracle.ts';
import { type ProcessOptions, SimulatedProcess } from './process.ts';
import { draw } from './random.ts';
import type { Target } from './random-faults.ts';
import { type RunEnd, Scheduler } from './scheduler.ts';
import { SharedStore } from './shared-store.ts';
import { purposes, type World } from './world.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** No fault starts after this virtual time, so that programs can become stable. Default 30 s. */
  readonly faultsUntilMs?: number;
  /** The run ends at this virtual time, unless it is quiet before. Default 10 minutes. */
  readonly endMs?: number;
  /** Maximum number of steps. A run that exceeds it has failed, probably with an endless loop. Default 100,000. */
  readonly stepsMax?: number;
  /** Maximum latency of a request or a response. Default 4 ms: short for a timeout, long for a timer of 1 ms. */
  readonly latencyMsMax?: number;
  /** Timeout of effects. Default 5 s. */
  readonly timeoutMs?: number;
}

export const faultsUntilMsDefault = 30_000;

/** The index for random draws of the simulation itself, distinct from the indexes of processes. */
const worldIndex = 1000;

export class Simulation implements World {
  readonly seed: number;
  readonly faultsUntilMs: number;
  readonly endMs: number;
  readonly latencyMsMax: number;
  readonly timeoutMs: number;
  readonly scheduler = new Scheduler();
  readonly journal = new Journal();
  readonly store = new SharedStore();
  /** The clock for parts that are not processes, such as a simulated platform. */
  readonly clock: MachineClock;
  readonly #stepsMax: number;
  readonly #processes = new Map<string, SimulatedProcess>();
  readonly #always: [string, Oracle][] = [];
  readonly #eventually: [string, Oracle][] = [];
  #plan: FaultPlan = explicitFaults([]);
  #failure: Failure | undefined;
  #ties = 0;

  constructor(options: SimulationOptions) {
    this.seed = options.seed;
    this.faultsUntilMs = options.faultsUntilMs ?? faultsUntilMsDefault;
    this.endMs = options.endMs ?? 600_000;
    this.#stepsMax = options.stepsMax ?? 100_000;
    this.latencyMsMax = options.latencyMsMax ?? 4;
    this.timeoutMs = options.timeoutMs ?? 5000;
    this.clock = new MachineClock(this.scheduler, {
      alive: true,
      tie: () => this.#tie(),
      failed: (error) => this.fail('simulation', String(error)),
    });
  }

  get nowMs(): number {
    return this.scheduler.nowMs;
  }

  get plan(): FaultPlan {
    return this.#plan;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get processes(): ReadonlyMap<string, SimulatedProcess> {
    return this.#processes;
  }

  /** Creates a process, which is not started yet. Faults and traces refer to it by its name. */
  process(name: string, options?: ProcessOptions): SimulatedProcess {
    if (this.#processes.has(name)) throw new RangeError(`the process ${name} already exists`);
    const process = new SimulatedProcess(this, name, this.#processes.size, this.store, options);
    this.#processes.set(name, process);
    return process;
  }

  /** Must hold after every step. */
  always(name: string, oracle: Oracle): void {
    this.#always.push([name, oracle]);
  }

  /** Must hold at the end of the run, long after the last fault. */
  eventually(name: string, oracle: Oracle): void {
    this.#eventually.push([name, oracle]);
  }

  /** Ends the run as failed. Only the first failure is kept. */
  fail(oracle: string, message: string): void {
    this.#failure ??= { oracle, message };
    this.scheduler.stop();
  }

  /** The processes that faults apply to. */
  targets(): readonly Target[] {
    return [...this.#processes.values()].filter(({ isFaultTarget }) => isFaultTarget);
  }

  /** Runs to the end. Afterwards its processes have no effect any more. */
  async run(plan: FaultPlan = explicitFaults([])): Promise<RunEnd> {
    this.#plan = plan;
    for (const fault of plan.timed) {
      // By its time and not by its index, so that the tie is the same when other faults are removed from the plan.
      const tie = draw(this.seed, worldIndex, fault.timeMs, purposes.faultTie);
      this.scheduler.schedule(fault.timeMs, tie, () => this.#apply(fault));
    }
    const limits = { endMs: this.endMs, stepsMax: this.#stepsMax };
    const end = await this.scheduler.run(limits, () => this.#check(this.#always));
    if (end === 'steps') this.fail('becomes idle', `still busy after ${this.#stepsMax} steps`);
    if (!this.#failure) this.#check(this.#eventually);
    for (const process of this.#processes.values()) process.end();
    return end;
  }

  #check(oracles: readonly (readonly [string, Oracle])[]): void {
    for (const [name, oracle] of oracles) {
      try {
        const message = oracle(this);
        if (message !== undefined) this.fail(name, message);
      } catch (error) {
        // An oracle that throws has found a problem, and the seed must be reported.
        this.fail(name, error instanceof Error ? (error.stack ?? error.message) : String(error));
      }
    }
  }

  #apply(fault: TimedFault): void {
    if (fault.type === 'compact') {
      const revision = Math.max(0, this.store.newest - fault.keepRevisions);
      this.journal.note('store', 0, this.nowMs, `compacted to revision ${revision}`);
      void this.store.compact(revision);
    } else {
      const process = this.#processes.get(fault.process);
      if (!process) return;
      if (fault.type === 'kill') process.crash(fault.restartMs);
      if (fault.type === 'partition') process.cutOff(fault.link, fault.lengthMs);
      if (fault.type === 'clockStep') process.stepClock(fault.stepMs);
    }
    this.journal.faults.push(fault);
  }

  #tie(): number {
    return draw(this.seed, worldIndex, ++this.#ties, purposes.timerTie);
  }
}
