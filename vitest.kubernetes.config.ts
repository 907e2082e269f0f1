/** The tests against a real kube-apiserver, which `make test-kubernetes` runs. */
import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

const { test: _, ...shared } = base;

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ['packages/*/test/kubernetes/**/*.test.ts'],
      globalSetup: ['packages/kubernetes/test/kubernetes/setup.ts'],
      testTimeout: 120_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 60_000 } },
      // One API server for all of them.
      fileParallelism: false,
    },
  }),
);
