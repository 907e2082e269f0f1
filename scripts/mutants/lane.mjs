/**
 * A process that runs test files, each time with at most one module replaced by a version with a defect. Vitest stays
 * loaded with its compiled modules; each run of the tests has a new process, so no run affects the next.
 * The parent sends `{ tests, file?, text? }` and gets `{ passed, failed }`, where `failed` names the first failure.
 */
import { createVitest } from 'vitest/node';

/** @type {{ file: string, text: string } | undefined} */
let planted;

const planting = {
  name: 'planted-defect',
  enforce: 'pre',
  load: (id) => (id.split('?')[0] === planted?.file ? { code: planted.text, map: null } : undefined),
};

const vitest = await createVitest('test', {
  watch: false,
  update: false,
  bail: 1,
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
        testTimeout: 15_000,
        hookTimeout: 20_000,
        expect: { poll: { timeout: 8_000 } },
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
    };
  } finally {
    if (planted) vitest.invalidateFile(planted.file);
  }
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
