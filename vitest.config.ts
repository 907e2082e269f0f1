import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const source = (path: string) => fileURLToPath(new URL(`packages/${path}`, import.meta.url));

/** The engine of Node.js 22 and newer has no such option. */
const hasInterruptBudget = Number.parseInt(process.versions.node, 10) < 22;

/** In this order. The first ones wait for real processes or are simulations in processes: they fill each other's gaps. */
const long = [
  /\/test\/simulation\/(?:operator|orchestration|runtime|etcd)-|\/runtime\/test\/(?:kill|power|openers)\.test|\/workshop\.test|\/test\/(?:docs|examples|life-cycle|start-etcd|etcd-operator-docs|etcd-backup-docs|backup|storage|user-certificates)\.test|\/gateway\.test/,
  /\/test\/session\.test|\/simulation\/(?:stories|mutants)\.test|\/registry\/history\.test|\/transfer\/memory\.test/,
];

/** The longest first, or all others would wait for them in the end. Nothing but their names tells on a fresh machine. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = long.findIndex((pattern) => pattern.test(moduleId));
      return index === -1 ? long.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

const everywhere = ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts'];
/** Those against a real kube-apiserver have a configuration of their own: vitest.kubernetes.config.ts. */
const never = ['**/dist/**', '**/node_modules/**', 'packages/*/test/kubernetes/**'];
/** Files that put something else in the place of modules, and so need to load them anew. */
const replacing = ['packages/{ecsm-operator,etcd-operator}/test/simulation/mutants.test.ts'];

export default defineConfig({
  // A test of one package that uses another runs the sources of both, never what was built before.
  resolve: {
    alias: [
      { find: '@ecsm/runtime/cron', replacement: source('runtime/src/cron/public.ts') },
      { find: '@ecsm/runtime/lib', replacement: source('runtime/src/lib/public.ts') },
      { find: '@ecsm/runtime/testing', replacement: source('runtime/src/testing/public.ts') },
      { find: '@ecsm/runtime/simulation', replacement: source('runtime/src/simulation/public.ts') },
      { find: /^@ecsm\/runtime$/, replacement: source('runtime/src/index.ts') },
      { find: '@ecsm/command-line/testing', replacement: source('command-line/src/terminal/testing.kit.ts') },
      { find: /^@ecsm\/command-line$/, replacement: source('command-line/src/index.ts') },
      { find: '@ecsm/apiserver/kinds', replacement: source('apiserver/src/kinds/server-kinds.ts') },
      { find: /^@ecsm\/apiserver$/, replacement: source('apiserver/src/index.ts') },
      { find: /^@ecsm\/kubernetes$/, replacement: source('kubernetes/src/index.ts') },
      { find: /^@ecsm\/process-node$/, replacement: source('process-node/src/index.ts') },
      { find: /^@ecsm\/etcd-operator$/, replacement: source('etcd-operator/src/index.ts') },
      { find: /^@ecsm\/client$/, replacement: source('ecsm-client/src/index.ts') },
      { find: /^@ecsm\/simulator$/, replacement: source('ecsm-simulator/src/index.ts') },
      { find: '@ecsm/operator/kinds', replacement: source('ecsm-operator/src/apis/public.ts') },
      { find: /^@ecsm\/operator$/, replacement: source('ecsm-operator/src/index.ts') },
    ],
  },
  test: {
    // A process runs one file after the other: starting one and loading everything for each would cost as much again as
    // the tests do. A file has to leave its process as it found it.
    projects: [
      {
        extends: true,
        test: { name: 'together', include: everywhere, exclude: [...never, ...replacing], isolate: false },
      },
      { extends: true, test: { name: 'alone', include: replacing, exclude: never } },
    ],
    // Real stores and real processes: bounded, but not by a stopwatch that a busy machine could miss.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000 } },
    // Seven test files at a time on machines of two cores: most of them wait for disks, processes and clocks that are
    // real, and the simulations, which do not, fill the gaps.
    maxWorkers: 7,
    // Much code runs a few times each: optimizing later, with a larger budget, saves a tenth of the CPU time. Another one
    // is saved without threads for garbage collection, because the other files need the cores.
    execArgv: ['--single-threaded-gc', ...(hasInterruptBudget ? ['--interrupt-budget=500000'] : [])],
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.suite.ts', '**/*.kit.ts'],
      reporter: ['text', 'json-summary'],
      thresholds: { lines: 90 },
    },
  },
});
