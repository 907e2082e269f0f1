import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/dist/**', '**/node_modules/**'],
    // Real stores and real processes: bounded, but not by a stopwatch that a busy machine could miss.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two test files at a time: the machines that run this have two cores, and the stores flush for real.
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['packages/runtime/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.suite.ts', '**/*.kit.ts'],
      reporter: ['text', 'json-summary'],
      thresholds: { lines: 90 },
    },
  },
});
