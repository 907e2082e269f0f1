/**
 * The simulation of the etcd operator as a program, so that thousands of runs have no overhead: a test bundles it and runs
 * it as a process, without coverage and without a test runner. Usage:
 *
 *     seeds FIRST COUNT   every seed runs one story with its own faults
 *     points PART PARTS   every story with a crash of the operator before and after every effect; one of PARTS parts
 *     seed N              one seed, with its trace
 *     all FIRST COUNT     like seeds, and lists every failure instead of stopping at the first
 *
 * It exits with 0 if all runs passed, and with 1 and the failure otherwise.
 */
import { crashPoints, formatTrace, runScenario, shrink } from '@ecsm/runtime/simulation';
import seeds from './failed-seeds.json' with { type: 'json' };
import { etcdScenario, scenarioOfSeed } from './scenario.kit.ts';
import { stories } from './stories.kit.ts';

const restartMs = 300;
/** Minimum number of crash points: a reference run that does nothing must not pass. */
const pointsMin = 60;

class Failed extends Error {}

/** The first batch starts with the seeds that failed before. */
async function manySeeds(first: number, count: number): Promise<string> {
  const kept = first === 1 ? seeds.etcd : [];
  const wanted = [...kept, ...Array.from({ length: count }, (_, index) => first + index)];
  for (const seed of wanted) await checkSeed(seed);
  return `${wanted.length} runs passed`;
}

async function checkSeed(seed: number): Promise<void> {
  const result = await runScenario(scenarioOfSeed(seed), seed);
  if (!result.failure) return;
  const { failure, faults } = await shrink(result);
  throw new Failed(
    `seed ${seed} fails: ${failure?.oracle}: ${failure?.message}\nthe story: ${result.scenario.name}\n` +
      `with these faults only: ${JSON.stringify(faults, null, 2)}\n` +
      `replay it with make simulate OF=etcd SEED=${seed}, and add it to failed-seeds.json`,
  );
}

async function allFailures(first: number, count: number): Promise<string> {
  const lines: string[] = [];
  const startMs = process.cpuUsage().user;
  for (let seed = first; seed < first + count; seed++) {
    const { failure, scenario, steps } = await runScenario(scenarioOfSeed(seed), seed);
    if (failure) {
      const [line] = failure.message.split('\n');
      lines.push(`${seed} ${scenario.name}: ${failure.oracle}: ${line} (${steps} steps)`);
    }
  }
  const ms = (process.cpuUsage().user - startMs) / 1_000 / count;
  return `${lines.join('\n')}\n${lines.length} of ${count} failed; ${ms.toFixed(1)} ms each`;
}

async function everyPoint(part: number, parts: number): Promise<string> {
  let runs = 0;
  for (const story of stories) {
    const scenario = etcdScenario(story, { isDuel: false });
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
  const scenario = scenarioOfSeed(seed);
  const { failure, journal } = await runScenario(scenario, seed);
  const trace = `${formatTrace(journal)}\nthe story: ${scenario.name}`;
  if (failure) throw new Failed(`${trace}\nseed ${seed} fails: ${failure.oracle}: ${failure.message}`);
  return `${trace}\nseed ${seed} passed`;
}

const [what, ...parameters] = process.argv.slice(2);
// Thousands of errors are created, and only a replay prints their stacks.
if (what !== 'seed') Error.stackTraceLimit = 0;
const [one = Number.NaN, other = Number.NaN] = parameters.map(Number);
const commands: Readonly<Record<string, () => Promise<string>>> = {
  seeds: () => manySeeds(one, other),
  all: () => allFailures(one, other),
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
