/**
 * The simulation of the operator as a program, so that thousands of runs have no overhead: a test bundles it and runs it as
 * a process, without coverage and without a test runner. Usage:
 *
 *     seeds FIRST COUNT   every seed runs one story, on one platform, with its own faults
 *     points PART PARTS   every story but long ones with a crash before and after every effect; one of PARTS parts
 *     seed N              one seed, with its trace
 *
 * It exits with 0 if all runs passed, and with 1 and the failure otherwise.
 */
import { crashPoints, formatTrace, runScenario, shrink } from '@ecsm/runtime/simulation';
import { behaviourOf } from './behaviours.kit.ts';
import seeds from './failed-seeds.json' with { type: 'json' };
import { fleetScenario, scenarioOfSeed } from './fleet.kit.ts';
import { stories } from './stories.kit.ts';

/** Long enough to lose operations in flight, short enough to restart while the platform still performs them. */
const restartMs = 200;
/** Minimum number of crash points: a reference run that does nothing must not pass. */
const pointsMin = 60;

class Failed extends Error {}

/** The first batch starts with the seeds that failed before. */
async function manySeeds(first: number, count: number): Promise<string> {
  const kept = first === 1 ? seeds.fleet : [];
  const wanted = [...kept, ...Array.from({ length: count }, (_, index) => first + index)];
  for (const seed of wanted) await checkSeed(seed);
  return `${wanted.length} runs passed`;
}

async function checkSeed(seed: number): Promise<void> {
  const result = await runScenario(scenarioOfSeed(seed), seed);
  if (!result.failure) return;
  const { failure, faults } = await shrink(result);
  throw new Failed(
    `seed ${seed} fails: ${failure?.oracle}: ${failure?.message}\n${aboutSeed(seed)}\n` +
      `with these faults only: ${JSON.stringify(faults, null, 2)}\n` +
      `replay it with make simulate OF=operator SEED=${seed}, and add it to failed-seeds.json`,
  );
}

async function everyPoint(part: number, parts: number): Promise<string> {
  let runs = 0;
  for (const story of stories.filter(({ isLong }) => !isLong)) {
    const scenario = fleetScenario(story);
    const reference = await runScenario(scenario, 1, []);
    if (reference.failure) throw new Failed(`${story.name}, without a crash: ${reference.failure.message}`);
    const points = crashPoints(reference, { processes: ['operator'], restartMs });
    if (points.length < pointsMin) throw new Failed(`${story.name} has only ${points.length} crash points`);
    for (const faults of points.filter((_, index) => index % parts === part)) {
      const { failure, journal } = await runScenario(scenario, 1, faults);
      runs++;
      if (!failure) continue;
      throw new Failed(
        `${story.name}: ${failure.oracle}: ${failure.message}\n${JSON.stringify(faults)}\n` +
          formatTrace(journal, { linesMax: 80 }),
      );
    }
  }
  return `${runs} crash points passed`;
}

async function oneSeed(seed: number): Promise<string> {
  process.env['SEED'] = String(seed);
  const { failure, journal } = await runScenario(scenarioOfSeed(seed), seed);
  const trace = `${formatTrace(journal)}\n${aboutSeed(seed)}`;
  if (failure) throw new Failed(`${trace}\nseed ${seed} fails: ${failure.oracle}: ${failure.message}`);
  return `${trace}\nseed ${seed} passed`;
}

function aboutSeed(seed: number): string {
  return `the story: ${scenarioOfSeed(seed).name}; the platform: ${JSON.stringify(behaviourOf(seed))}`;
}

const [what, ...parameters] = process.argv.slice(2);
// Thousands of errors are created, and only a replay prints their stacks.
if (what !== 'seed') Error.stackTraceLimit = 0;
const [one = Number.NaN, other = Number.NaN] = parameters.map(Number);
const commands: Readonly<Record<string, () => Promise<string>>> = {
  seeds: () => manySeeds(one, other),
  points: () => everyPoint(one, other),
  seed: () => oneSeed(one),
};

try {
  const command = commands[what ?? ''];
  if (command === undefined) throw new Failed(`expected one of ${Object.keys(commands).join(', ')}`);
  console.log(await command());
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
