/**
 * A process that runs test files, each time with at most one module replaced by a version with a defect. Vitest stays
 * loaded with its compiled modules; each run of the tests has a new process, so no run affects the next.
 * The parent sends `{ tests, file?, text? }` and gets `{ passed, failed, test }`: the first failure and its file.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';
import { withStatements } from './operators.mjs';
import { pathOfReached } from './reached.setup.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @type {{ file: string, text: string } | undefined} */
let planted;

/** With this variable, no defect is planted: functions are marked, and a run says which of them each test file executed. */
const isMarking = process.env.MUTANTS_MARKED !== undefined;
const compiler = isMarking ? new (await import('./compiler.mjs')).Compiler() : undefined;

const planting = {
  name: 'planted-defect',
  enforce: 'pre',
  load: (id) => {
    const file = id.split('?')[0];
    if (isMarking) return marked(relative(root, file));
    return file === planted?.file ? { code: planted.text, map: null } : undefined;
  },
};

function marked(file) {
  if (!/^packages\/[^/]+\/src\/.*\.ts$/.test(file) || /\.(test|suite|kit)\.ts$/.test(file)) return undefined;
  const mark = (index) => `globalThis.reachedFunctions?.add(${JSON.stringify(`${file}#${index}`)})`;
  return { code: withStatements(compiler.sourceFile(file), mark), map: null };
}

const vitest = await createVitest('test', {
  watch: false,
  update: false,
  bail: isMarking ? 0 : 1,
  silent: true,
  maxWorkers: 1,
  reporters: [{}],
  project: ['mutants'],
  projects: [
    {
      extends: true,
      plugins: [planting],
      test: {
        name: 'mutants',
        include: ['packages/*/src/**/*.test.ts'],
        isolate: false,
        // Shorter than in vitest.config.ts: with a defect, waiting until the limit is common.
        testTimeout: isMarking ? 120_000 : 15_000,
        hookTimeout: isMarking ? 120_000 : 20_000,
        expect: { poll: { timeout: isMarking ? 60_000 : 8_000 } },
        setupFiles: isMarking ? [fileURLToPath(new URL('reached.setup.mjs', import.meta.url))] : [],
      },
    },
  ],
});
await vitest.standalone();
const [project] = vitest.projects;

async function run({ tests, file, text }) {
  planted = file === undefined ? undefined : { file, text };
  if (planted) vitest.invalidateFile(planted.file);
  // Otherwise the results of all runs accumulate.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  try {
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
      tests.map((test) => project.createSpecification(test)),
    );
    const cases = testModules.flatMap((module) => [...module.children.allTests()]);
    return {
      passed: cases.filter((one) => one.result().state === 'passed').length,
      failed: firstFailure(testModules, cases, unhandledErrors),
      test: testModules.find((module) => module.state() === 'failed')?.relativeModuleId,
      ...(isMarking ? { results: Object.fromEntries(testModules.map(resultOf)) } : {}),
    };
  } finally {
    if (planted) vitest.invalidateFile(planted.file);
  }
}

/** What one test file did on its own, and the functions that it executed, by file. */
function resultOf(module) {
  const cases = [...module.children.allTests()];
  const path = pathOfReached(module.moduleId);
  const reached = {};
  for (const one of existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []) {
    const [file, index] = one.split('#');
    reached[file] = [...(reached[file] ?? []), Number(index)];
  }
  rmSync(path, { force: true });
  const passed = cases.filter((one) => one.result().state === 'passed').length;
  const failed = firstFailure([module], cases, []);
  return [relative(root, module.moduleId), { passed, failed, ms: module.diagnostic().duration, reached }];
}

function firstFailure(testModules, cases, unhandledErrors) {
  const failed = cases.find((one) => one.result().state === 'failed');
  if (failed) return failed.fullName;
  const module = testModules.find((one) => one.state() === 'failed');
  if (module) return `${module.relativeModuleId}: ${module.errors()[0]?.message ?? 'failed in a hook'}`;
  if (unhandledErrors.length > 0) return `unhandled error: ${unhandledErrors[0]?.message}`;
  // The first failure cancels the run, possibly before the failure is reported.
  return vitest.isCancelling ? 'a test whose report was lost' : undefined;
}

process.on('message', (work) => {
  run(work).then(
    (result) => process.send?.(result),
    (error) => process.send?.({ passed: 0, failed: `the test runner failed: ${error}` }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
