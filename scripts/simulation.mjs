/**
 * Runs the simulations. Each is bundled into one JavaScript file, which is a third faster than under a test runner, and the
 * seeds are distributed over the CPUs:
 *
 *     node scripts/simulation.mjs operator             5,000 seeds, and every crash point
 *     node scripts/simulation.mjs orchestration        2,000 seeds of dependencies, priorities and autoscaling, and some crash points
 *     node scripts/simulation.mjs etcd                 5,000 seeds, and some crash points
 *     node scripts/simulation.mjs runtime              10,000 seeds
 *     node scripts/simulation.mjs operator seeds 20000
 *     node scripts/simulation.mjs operator seed 17     replays one seed with its trace
 *     node scripts/simulation.mjs operator part ARGS   passes the arguments to the program, in one process
 *     node scripts/simulation.mjs operator once DIRECTORY ARGS
 *                                                      as part, but prints the output of the last time if nothing that
 *                                                      it depends on has changed since it passed
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = (path) => join(root, 'packages', path);

/**
 * The code is large, without hot functions, and creates much short-lived garbage: these flags save a quarter of the time.
 * A larger budget makes the engine optimize later, and so discard less of what it has optimized.
 */
const engine = ['--always-sparkplug', '--max-semi-space-size=64', '--min-semi-space-size=64', '--single-threaded'];
// The engine of Node.js 22 and newer has no such option.
if (Number.parseInt(process.versions.node, 10) < 22) engine.push('--interrupt-budget=500000');

/** The arguments of each program. */
const simulations = {
  operator: {
    program: 'ecsm-operator/test/simulation/simulate.kit.ts',
    seeds: 5_000,
    seed: (seed) => ['seed', seed],
    part: (first, count) => ['seeds', first, count],
    more: (part, parts) => ['points', part, parts],
  },
  orchestration: {
    program: 'ecsm-operator/test/simulation/orchestration/simulate.kit.ts',
    seeds: 2_000,
    seed: (seed) => ['seed', seed],
    part: (first, count) => ['seeds', first, count],
    more: (part, parts) => ['points', part, parts * 4],
  },
  etcd: {
    program: 'etcd-operator/test/simulation/simulate.kit.ts',
    seeds: 5_000,
    seed: (seed) => ['seed', seed],
    part: (first, count) => ['seeds', first, count],
    more: (part, parts) => ['points', part, parts * 20],
  },
  runtime: {
    program: 'runtime/test/simulation/simulate.kit.ts',
    seeds: 10_000,
    seed: (seed) => ['--seed', seed, '--trace'],
    part: (first, count) => ['--first-seed', first, '--seeds', count],
  },
};

/** Bundles the sources, so that no stale build output is simulated. Returns the path of the bundle. */
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
      '@ecsm/runtime/cron': source('runtime/src/cron/public.ts'),
      '@ecsm/runtime/testing': source('runtime/src/testing/public.ts'),
      '@ecsm/runtime/simulation': source('runtime/src/simulation/public.ts'),
      '@ecsm/runtime': source('runtime/src/index.ts'),
      '@ecsm/kubernetes': source('kubernetes/src/index.ts'),
      '@ecsm/apiserver': source('apiserver/src/index.ts'),
      '@ecsm/process-node': source('process-node/src/index.ts'),
      '@ecsm/client': source('ecsm-client/src/index.ts'),
      '@ecsm/simulator': source('ecsm-simulator/src/index.ts'),
    },
    external: ['@photostructure/sqlite'],
    // Bundled CommonJS loads Node.js modules with `require`, which ES modules do not have.
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  return outfile;
}

/** Returns one list of arguments for each process. */
function shares(simulation, what, number) {
  if (what === 'seed') return [simulation.seed(number)];
  const parts = availableParallelism();
  const indexes = Array.from({ length: parts }, (_, part) => part);
  const each = Math.ceil(Number(number ?? simulation.seeds) / parts);
  const seeds = indexes.map((part) => simulation.part(1 + part * each, each));
  const isAll = what === undefined && simulation.more !== undefined;
  return isAll ? [...seeds, ...indexes.map((part) => simulation.more(part, parts))] : seeds;
}

async function run(program, args) {
  const child = spawn(process.execPath, [...engine, program, ...args.map(String)], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
}

/**
 * A simulation is deterministic: the same program with the same arguments passes again. Only what has passed is stored,
 * under a hash of all that it depends on.
 */
async function runOnce(program, directory, args) {
  const hash = createHash('sha256');
  for (const part of [readFileSync(program), readFileSync(join(root, 'package-lock.json'))]) hash.update(part);
  hash.update(JSON.stringify([process.version, engine, args]));
  const file = join(directory, hash.digest('hex'));
  if (existsSync(file)) {
    console.log(`${readFileSync(file, 'utf8').trimEnd()} (not run again: nothing has changed)`);
    return true;
  }
  const child = spawn(process.execPath, [...engine, program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [[code], output] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
  process.stdout.write(output);
  if (code !== 0) return false;
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${file}.${process.pid}`, output);
  renameSync(`${file}.${process.pid}`, file);
  return true;
}

/** Runs as many processes concurrently as there are CPUs. */
async function runAll(program, waiting) {
  let isFine = true;
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for (let args = waiting.shift(); args !== undefined; args = waiting.shift()) {
      isFine = (await run(program, args)) && isFine;
    }
  });
  await Promise.all(workers);
  return isFine;
}

const [of, what, ...args] = process.argv.slice(2);
const simulation = simulations[of];
if (simulation === undefined || ![undefined, 'seeds', 'seed', 'part', 'once'].includes(what)) {
  console.error(
    `usage: node scripts/simulation.mjs operator|orchestration|etcd|runtime [seeds COUNT|seed NUMBER|part ARGS|once DIRECTORY ARGS]`,
  );
  process.exit(2);
}

function start(program) {
  if (what === 'part') return run(program, args);
  if (what === 'once') return runOnce(program, args[0], args.slice(1));
  return runAll(program, shares(simulation, what, args[0]));
}

const directory = mkdtempSync(join(tmpdir(), 'ecsm-simulation-'));
try {
  const program = await bundle(simulation.program, directory);
  process.exitCode = (await start(program)) ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
