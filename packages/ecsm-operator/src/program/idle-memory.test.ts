import { VirtualClock } from '@ecsm/runtime/testing';
import { expect, it, onTestFinished } from 'vitest';
import { idleMemoryLimits, releaseIdleMemory } from './idle-memory.ts';

const { checkMs, idleCpuMs } = idleMemoryLimits;
const mebibyte = 1024 * 1024;

/** A process whose collections release what the test says, in megabytes. */
function start(released: number[]) {
  const clock = new VirtualClock();
  const state = { residentMb: 80, cpuMs: 0, collections: 0 };
  const options = {
    clock,
    residentBytes: () => state.residentMb * mebibyte,
    cpuMs: () => state.cpuMs,
    collect: () => {
      state.collections++;
      state.cpuMs += idleCpuMs;
      state.residentMb -= released.shift() ?? 0;
    },
  };
  const stop = new AbortController();
  const running = releaseIdleMemory(options, stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return { clock, state };
}

it('collects garbage after the process has grown and is idle, until nothing more is released', async () => {
  const { clock, state } = start([20, 10, 0]);
  state.residentMb = 120;
  state.cpuMs += idleCpuMs;
  await clock.advance(checkMs);
  expect(state.collections).toBe(0);
  await clock.advance(checkMs);
  expect(state).toMatchObject({ collections: 1, residentMb: 100 });
  await clock.advance(10 * checkMs);
  expect(state).toMatchObject({ collections: 3, residentMb: 90 });
});

it('does not collect garbage in a process that is at rest', async () => {
  const { clock, state } = start([]);
  state.residentMb = 83;
  await clock.advance(100 * checkMs);
  expect(state.collections).toBe(0);
});
