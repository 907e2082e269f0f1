/**
 * The command line of a simulation, for a program that has scenarios: `--scenario NAME` (default all), `--seeds N`
 * (default 1000), `--first-seed N`, `--seed N` for a single run, `--crash-points` for every crash point of the first
 * seed, `--trace` to print the trace of a passed run, too.
 */
import { parseArgs } from 'node:util';
import { type Clock, systemClock } from '../ports/clock.ts';
import { runCrashPoints } from './crash-points.ts';
import { formatFailure } from './report.ts';
import { runScenario, type Scenario } from './scenario.ts';
import { keepSeed, readSeeds, type SeedFile } from './seed-file.ts';
import { runSeeds } from './seeds.ts';
import { shrink } from './shrink.ts';
import { formatTrace } from './trace.ts';

export interface SimulateOptions {
  /** The arguments without the program's name. */
  readonly argv: readonly string[];
  readonly scenarios: readonly Scenario[];
  readonly print: (text: string) => void;
  /** Stores failed seeds, which every run repeats first. Default: none. */
  readonly seedFile?: SeedFile;
  /** Measures the duration of a run. Default: the system clock. */
  readonly clock?: Clock;
}

const seedsDefault = 1000;

interface Job extends SimulateOptions {
  readonly scenario: Scenario;
  readonly firstSeed: number;
  readonly seeds: number;
  readonly trace: boolean;
}

/** Returns the exit code: 0 if all runs passed, 1 if a run failed, 2 for invalid arguments. */
export async function simulate(options: SimulateOptions): Promise<number> {
  const parsed = parse(options);
  if (typeof parsed === 'string') {
    options.print(parsed);
    return 2;
  }
  for (const { run, ...job } of parsed) if (!(await run(job))) return 1;
  return 0;
}

function parse(options: SimulateOptions): string | readonly (Job & { run(job: Job): Promise<boolean> })[] {
  try {
    const { values } = parseArgs({
      args: [...options.argv],
      options: {
        scenario: { type: 'string' },
        seed: { type: 'string' },
        seeds: { type: 'string' },
        'first-seed': { type: 'string' },
        'crash-points': { type: 'boolean' },
        trace: { type: 'boolean' },
      },
    });
    const { scenario: name, trace = false } = values;
    const scenarios = options.scenarios.filter((scenario) => name === undefined || scenario.name === name);
    if (scenarios.length === 0) return `unknown scenario ${name}; scenarios are ${namesOf(options.scenarios)}`;
    const seed = numberOf('seed', values.seed);
    const firstSeed = seed ?? numberOf('first-seed', values['first-seed']) ?? 1;
    const seeds = numberOf('seeds', values.seeds) ?? seedsDefault;
    const run = values['crash-points'] ? everyCrashPoint : seed === undefined ? manySeeds : oneSeed;
    return scenarios.map((scenario) => ({ ...options, scenario, firstSeed, seeds, trace, run }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function oneSeed({ scenario, firstSeed, trace, print }: Job): Promise<boolean> {
  const result = await runScenario(scenario, firstSeed);
  if (result.failure) print(formatFailure(await shrink(result), { original: result }));
  if (trace) print(formatTrace(result.journal));
  if (!result.failure) print(`${scenario.name}: seed ${firstSeed} passed, ${result.faults.length} faults`);
  return !result.failure;
}

async function manySeeds({ scenario, firstSeed, seeds, print, seedFile, clock = systemClock }: Job): Promise<boolean> {
  const startedMs = clock.monotonicMs();
  const kept = readSeeds(seedFile)[scenario.name] ?? [];
  const { runs, effects, faults, failed } = await runSeeds({ scenario, seeds, firstSeed, kept });
  if (failed) {
    if (seedFile) keepSeed(seedFile, scenario.name, failed.result.seed);
    print(formatFailure(failed.shrunk, { original: failed.result }));
  } else {
    const spentMs = clock.monotonicMs() - startedMs;
    print(`${scenario.name}: ${runs} runs passed, ${effects} effects, ${faults} faults, ${spentMs} ms`);
  }
  return !failed;
}

async function everyCrashPoint({ scenario, firstSeed, print }: Job): Promise<boolean> {
  const { runs, failed } = await runCrashPoints(scenario, firstSeed);
  print(
    failed
      ? formatFailure(failed, { again: '--crash-points' })
      : `${scenario.name}: ${runs - 1} crash points of seed ${firstSeed} passed`,
  );
  return !failed;
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0 && text.trim() !== '') return number;
  throw new RangeError(`--${option} must be a non-negative integer, not "${text}"`);
}

function namesOf(scenarios: readonly Scenario[]): string {
  return scenarios.map(({ name }) => name).join(', ');
}
