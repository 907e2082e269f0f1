import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog, systemClock } from '@ecsm/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ContainerProcess } from './container-process.ts';
import { ContainerRunner } from './container-runner.ts';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'container-runner-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('ends a process that is stopped at any moment of its start: one was left running', async () => {
  // Each value is a different moment between the start of the process and the first probe.
  for (let microtasks = 0; microtasks < 8; microtasks++) {
    const start = async () => {
      const command = { file: process.execPath, arguments: ['-e', 'setInterval(() => {}, 1000)'], environment: {} };
      const started = new ContainerProcess(command, directory, join(directory, 'log'));
      void stopAfter(microtasks);
      return started;
    };
    const stopAfter = async (count: number) => {
      for (let passed = 0; passed < count; passed++) await undefined;
      runner.stop(60_000);
    };
    const runner = new ContainerRunner({
      container: { name: 'main', image: 'main' },
      restart: 'Always',
      address: '127.0.0.1',
      graceMs: 1_000,
      backoff: { msMin: 1_000, msMax: 1_000 },
      clock: systemClock,
      log: silentLog,
      previous: undefined,
      start,
      changed: () => {},
    });
    await runner.run();
    expect(runner.process).toBeUndefined();
  }
}, 30_000);
