import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { nodeMachine } from './machine.ts';

it('knows its name and which processes exist', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  expect(nodeMachine.hostname).toBe(hostname());
  expect([process.pid, 1, pid].map((one) => nodeMachine.isRunning(one))).toEqual([true, true, false]);
});
