/**
 * The simulations, each as one file of JavaScript, which runs a third faster than under a test runner: there are thousands
 * of runs to make. This makes the file, and shares the work among the processors:
 *
 *     node scripts/simulation.mjs operator             5,000 seeds, and every crash point
 *     node scripts/simulation.mjs runtime              10,000 seeds
 *     node scripts/simulation.mjs operator seeds 20000
 *     node scripts/simulation.mjs operator seed 17     one of them again, with its trace
 *     node scripts/simulation.mjs operator part WORDS  in one process, what the program makes of the words
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = (path) => join(root, 'packages', path);

/** Much code, none of it hot, and much garbage that is young: this takes a good tenth off. */
const engine = ['--always-sparkplug', '--max-semi-space-size=64'];

/** How the programs are told what to run; see there. */
const simulations = {
  operator: {
    program: 'ecsm-operator/test/simulation/simulate.kit.ts',
    seeds: 5_000,
    seed: (seed) => ['seed', seed],
    part: (first, count) => ['seeds', first, count],
    more: (part, parts) => ['points', part, parts],
  },
  runtime: {
    program: 'runtime/test/simulation/simulate.kit.ts',
    seeds: 10_000,
    seed: (seed) => ['--seed', seed, '--trace'],
    part: (first, count) => ['--first-seed', first, '--seeds', count],
  },
};

/** Of the sources, so that nothing that was built before is simulated. Answers where the program is. */
async function bundle(program, directory) {
  const outfile = join(directory, 'simulate.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: [source(program)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.15',
    alias: {
      '@ecsm/runtime/testing': source('runtime/src/testing/public.ts'),
      '@ecsm/runtime/simulation': source('runtime/src/simulation/public.ts'),
      '@ecsm/runtime': source('runtime/src/index.ts'),
      '@ecsm/client': source('ecsm-client/src/index.ts'),
      '@ecsm/simulator': source('ecsm-simulator/src/index.ts'),
    },
    external: ['@photostructure/sqlite'],
    // CommonJS inside it asks for modules of Node with `require`, which modules do not have.
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  return outfile;
}

/** Everything that is to be run, in one list of words for each process. */
function shares(simulation, what, number) {
  if (what === 'seed') return [simulation.seed(number)];
  const parts = availableParallelism();
  const indexes = Array.from({ length: parts }, (_, part) => part);
  const each = Math.ceil(Number(number ?? simulation.seeds) / parts);
  const seeds = indexes.map((part) => simulation.part(1 + part * each, each));
  const isAll = what === undefined && simulation.more !== undefined;
  return isAll ? [...seeds, ...indexes.map((part) => simulation.more(part, parts))] : seeds;
}

async function run(program, words) {
  const child = spawn(process.execPath, [...engine, program, ...words.map(String)], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
}

/** As many at once as there are processors. */
async function runAll(program, waiting) {
  let isFine = true;
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for (let words = waiting.shift(); words !== undefined; words = waiting.shift()) {
      isFine = (await run(program, words)) && isFine;
    }
  });
  await Promise.all(workers);
  return isFine;
}

const [of, what, ...words] = process.argv.slice(2);
const simulation = simulations[of];
if (simulation === undefined || ![undefined, 'seeds', 'seed', 'part'].includes(what)) {
  console.error(`say operator or runtime, and then nothing, seeds COUNT, seed NUMBER or part WORDS`);
  process.exit(2);
}
const directory = mkdtempSync(join(tmpdir(), 'ecsm-simulation-'));
try {
  const program = await bundle(simulation.program, directory);
  const isFine =
    what === 'part' ? await run(program, words) : await runAll(program, shares(simulation, what, words[0]));
  process.exitCode = isFine ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
