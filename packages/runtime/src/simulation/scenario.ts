/** A scenario is a world to build for every seed; running it once gives a result that says all there is to say. */
import process from 'node:process';
import { explicitFaults, type Fault, type FaultPlan } from './faults.ts';
import type { Journal } from './journal.ts';
import type { Failure } from './oracle.ts';
import { type FaultWeights, ordinaryFaults, randomFaults } from './random-faults.ts';
import { type RunEnd, turn } from './scheduler.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';

export interface Scenario extends Omit<SimulationOptions, 'seed'> {
  /** As the command line and the file of seeds call it. */
  readonly name: string;
  /** Default `ordinaryFaults`. */
  readonly weights?: FaultWeights;
  /** Fills the store, starts the processes, sets the oracles. It may await the simulation's store, and nothing else. */
  readonly build: (simulation: Simulation) => Promise<void> | void;
}

export interface RunResult {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly failure: Failure | undefined;
  /** The faults that took hold. */
  readonly faults: readonly Fault[];
  /** The processes that faults can hit. */
  readonly targets: readonly string[];
  readonly journal: Journal;
  readonly end: RunEnd;
  readonly steps: number;
  readonly nowMs: number;
}

/** Runs a scenario with the faults of its seed, or with exactly those given. */
export async function runScenario(scenario: Scenario, seed: number, faults?: readonly Fault[]): Promise<RunResult> {
  const simulation = new Simulation({ ...scenario, seed });
  await scenario.build(simulation);
  const end = await watchingRejections(simulation, () => simulation.run(planOf(scenario, simulation, faults)));
  const { journal, failure, nowMs, scheduler } = simulation;
  const targets = simulation.targets().map(({ name }) => name);
  return { scenario, seed, failure, faults: journal.faults, targets, journal, end, steps: scheduler.steps, nowMs };
}

function planOf(scenario: Scenario, simulation: Simulation, faults: readonly Fault[] | undefined): FaultPlan {
  if (faults) return explicitFaults(faults);
  const { seed, faultsUntilMs } = simulation;
  return randomFaults(seed, scenario.weights ?? ordinaryFaults, faultsUntilMs, simulation.targets());
}

/** A rejection that nobody handles ends a Node process, so it fails a run. */
async function watchingRejections(simulation: Simulation, run: () => Promise<RunEnd>): Promise<RunEnd> {
  const onRejection = (error: unknown) => {
    simulation.fail(
      'no rejection goes unhandled',
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    );
  };
  process.on('unhandledRejection', onRejection);
  try {
    const end = await run();
    await turn();
    return end;
  } finally {
    process.off('unhandledRejection', onRejection);
  }
}
