/**
 * The simulation of the operator as one file of JavaScript, which runs a third faster than under a test runner: there are
 * thousands of runs to make. This makes it, and shares the work among the processors:
 *
 *     node scripts/simulation.mjs             5,000 seeds, and every crash point
 *     node scripts/simulation.mjs seeds 20000
 *     node scripts/simulation.mjs seed 17     one of them again, with its trace
 *     node scripts/simulation.mjs part WORDS  in one process, what packages/ecsm-operator/test/simulation/simulate.kit.ts
 *                                             makes of the words
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

/** Of the sources, so that nothing that was built before is simulated. Answers where the program is. */
async function bundle(directory) {
  const outfile = join(directory, 'simulate.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: [source('ecsm-operator/test/simulation/simulate.kit.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.15',
    alias: {
      '@ecsm/runtime/simulation': source('runtime/src/simulation/public.ts'),
      '@ecsm/runtime': source('runtime/src/index.ts'),
      '@ecsm/client': source('ecsm-client/src/index.ts'),
      '@ecsm/simulator': source('ecsm-simulator/src/index.ts'),
    },
    external: ['lmdb'],
    // CommonJS inside it asks for modules of Node with `require`, which modules do not have.
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  return outfile;
}

/** Everything that is to be run, in one list of words for each process. */
function shares([what = 'all', number = '5000']) {
  if (what === 'seed') return [['seed', number]];
  const parts = availableParallelism();
  const each = Math.ceil(Number(number) / parts);
  const seeds = Array.from({ length: parts }, (_, part) => ['seeds', 1 + part * each, each]);
  const points = Array.from({ length: parts }, (_, part) => ['points', part, parts]);
  return what === 'all' ? [...seeds, ...points] : seeds;
}

async function run(program, words) {
  const child = spawn(process.execPath, [program, ...words.map(String)], { stdio: 'inherit' });
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

const directory = mkdtempSync(join(tmpdir(), 'ecsm-simulation-'));
try {
  const program = await bundle(directory);
  const [what, ...words] = process.argv.slice(2);
  const isFine = what === 'part' ? await run(program, words) : await runAll(program, shares(process.argv.slice(2)));
  process.exitCode = isFine ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
