/** The public face of the simulation kit: `@ecsm/runtime/simulation`, for tests. */
export { type SimulateOptions, simulate } from './cli.ts';
export { type CrashOptions, type CrashReport, crashPoints, runCrashPoints } from './crash-points.ts';
export { explicitFaults, type Fault, type FaultPlan } from './faults.ts';
export type { Main, ProcessDependencies } from './incarnation.ts';
export { type Failure, type Oracle, type SimulationState, stable } from './oracle.ts';
export { breakable, patch, replace } from './planting.ts';
export { SeededRandom } from './random.ts';
export { type FaultWeights, ordinaryFaults, unreliableStoreFaults } from './random-faults.ts';
export { type RunResult, runScenario, type Scenario } from './scenario.ts';
export { type KeptSeeds, keepSeed, readSeeds, type SeedFile } from './seed-file.ts';
export { type FailedSeed, runSeeds, type SeedsOptions, type SeedsReport } from './seeds.ts';
export { shrink } from './shrink.ts';
export { Simulation, type SimulationOptions } from './simulation.ts';
export { type StoryProgram, simulateStories } from './story-program.ts';
export { formatTrace, type TraceOptions } from './trace.ts';
