/**
 * The command line of a simulation whose seeds run one of many stories. A test bundles such a program and runs it as a
 * process, without coverage and without a test runner, so that thousands of runs have no overhead:
 *
 *     seeds FIRST COUNT   every seed runs one story, with its own faults
 *     points PART PARTS   every story with a crash before and after every effect; one of PARTS parts
 *     seed N              one seed, with its trace
 *     all FIRST COUNT     like seeds, and lists every failure instead of stopping at the first
 */
import process from 'node:process';
import { crashPoints } from './crash-points.ts';
import { type RunResult, runScenario, type Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { formatTrace } from './trace.ts';

export interface StoryProgram {
  /** As `make simulate OF=` names it. */
  readonly name: string;
  readonly scenarioOfSeed: (seed: number) => Scenario;
  /** Seeds that failed before: the first batch starts with them. */
  readonly failedSeeds: readonly number[];
  /** For `points`. */
  readonly scenarios: readonly Scenario[];
  /** Long enough to lose operations in flight, short enough to restart while they are still performed. */
  readonly restartMs: number;
  /** What else is needed to understand the failure of a seed. */
  readonly about?: (seed: number) => string;
}

/** Minimum number of crash points of a story: a reference run that does nothing must not pass. */
const pointsMin = 60;

class Failed extends Error {}

/** Prints the result. Returns the exit code: 0 if all runs passed, otherwise 1. */
export async function simulateStories(
  program: StoryProgram,
  argv: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  const [what = '', ...parameters] = argv;
  const [one = Number.NaN, other = Number.NaN] = parameters.map(Number);
  const commands: Readonly<Record<string, () => Promise<string>>> = {
    seeds: () => manySeeds(program, one, other),
    all: () => allFailures(program, one, other),
    points: () => everyPoint(program, one, other),
    seed: () => oneSeed(program, one),
  };
  // Thousands of errors are created, and only a replay prints their stacks.
  if (what !== 'seed') Error.stackTraceLimit = 0;
  try {
    const command = commands[what];
    if (command === undefined) throw new Failed(`expected one of ${Object.keys(commands).join(', ')}`);
    print(await command());
    return 0;
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    print(error.message);
    return 1;
  }
}

async function manySeeds(program: StoryProgram, first: number, count: number): Promise<string> {
  const kept = first === 1 ? program.failedSeeds : [];
  const seeds = [...kept, ...Array.from({ length: count }, (_, index) => first + index)];
  for (const seed of seeds) {
    const result = await runScenario(program.scenarioOfSeed(seed), seed);
    if (result.failure) throw new Failed(await failureText(program, seed, result));
  }
  return `${seeds.length} runs passed`;
}

async function failureText(program: StoryProgram, seed: number, result: RunResult): Promise<string> {
  const { failure, faults } = await shrink(result);
  return (
    `seed ${seed} fails: ${failure?.oracle}: ${failure?.message}\n${aboutSeed(program, seed)}\n` +
    `with these faults only: ${JSON.stringify(faults, null, 2)}\n` +
    `replay it with make simulate OF=${program.name} SEED=${seed}, and add it to failed-seeds.json`
  );
}

async function allFailures({ scenarioOfSeed }: StoryProgram, first: number, count: number): Promise<string> {
  const lines: string[] = [];
  const before = process.cpuUsage();
  for (let seed = first; seed < first + count; seed++) {
    const { failure, scenario, steps } = await runScenario(scenarioOfSeed(seed), seed);
    if (failure === undefined) continue;
    const [line] = failure.message.split('\n');
    lines.push(`${seed} ${scenario.name}: ${failure.oracle}: ${line} (${steps} steps)`);
  }
  const eachMs = process.cpuUsage(before).user / 1_000 / count;
  return [...lines, `${lines.length} of ${count} failed; ${eachMs.toFixed(1)} ms of processor time each`].join('\n');
}

async function everyPoint({ scenarios, restartMs }: StoryProgram, part: number, parts: number): Promise<string> {
  let runs = 0;
  for (const scenario of scenarios) {
    const reference = await runScenario(scenario, 1, []);
    if (reference.failure) throw new Failed(`${scenario.name}, without a crash: ${reference.failure.message}`);
    const points = crashPoints(reference, { processes: ['operator'], restartMs });
    if (points.length < pointsMin) throw new Failed(`${scenario.name} has only ${points.length} crash points`);
    for (const faults of points.filter((_, index) => index % parts === part)) {
      const { failure, journal } = await runScenario(scenario, 1, faults);
      runs++;
      if (!failure) continue;
      throw new Failed(
        `${scenario.name}: ${failure.oracle}: ${failure.message}\n${JSON.stringify(faults)}\n` +
          formatTrace(journal, { linesMax: 80 }),
      );
    }
  }
  return `${runs} crash points passed`;
}

async function oneSeed(program: StoryProgram, seed: number): Promise<string> {
  process.env['SEED'] = String(seed);
  const { failure, journal } = await runScenario(program.scenarioOfSeed(seed), seed);
  const trace = `${formatTrace(journal)}\n${aboutSeed(program, seed)}`;
  if (failure) throw new Failed(`${trace}\nseed ${seed} fails: ${failure.oracle}: ${failure.message}`);
  return `${trace}\nseed ${seed} passed`;
}

function aboutSeed({ scenarioOfSeed, about }: StoryProgram, seed: number): string {
  const story = `the story: ${scenarioOfSeed(seed).name}`;
  return about === undefined ? story : `${story}; ${about(seed)}`;
}
