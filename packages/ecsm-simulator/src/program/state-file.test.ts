/** A state on disk. How the program meets a bad file: main.test.ts. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isApiError } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Simulator } from '../http/simulator.ts';
import { deployServices } from './starting-load.ts';
import { readStateFile, writeStateFile } from './state-file.ts';
import { Ticker } from './ticker.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ecsm-state-'));
  file = join(folder, 'state.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function simulator(clock = new VirtualClock()): Simulator {
  const made = new Simulator({ clock, random: new SeededRandom(1), nodes: 4 });
  deployServices(made.platform, 5);
  return made;
}

it('is restored as it was saved', () => {
  const state = simulator().platform.snapshot();
  writeStateFile(file, state);
  expect(readStateFile(file)).toEqual(state);
  expect(readdirSync(folder)).toEqual(['state.json']);
});

it('is readable by its owner only, because it contains the passwords of nodes', () => {
  writeStateFile(file, simulator().platform.snapshot());
  expect(statSync(file).mode & 0o077).toBe(0);
});

it('is undefined if there is no file', () => {
  expect(readStateFile(file)).toBeUndefined();
});

it('keeps the old file when the new one cannot be written', () => {
  writeFileSync(file, 'old');
  const state = simulator().platform.snapshot();
  let error: unknown;
  try {
    writeStateFile(join(folder, 'none', 'state.json'), state);
  } catch (thrown) {
    error = thrown;
  }
  expect(isApiError(error, 'Unavailable')).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('old');
});

it('is saved every second if something changed', async () => {
  const clock = new VirtualClock();
  const made = simulator(clock);
  let saves = 0;
  const ticker = new Ticker({ simulator: made, clock, log: { write: () => {} }, save: () => saves++ });
  ticker.start();
  await clock.advance(60_000);
  const settled = saves;
  expect(settled).toBeGreaterThan(0);
  await clock.advance(60_000);
  expect(saves).toBe(settled);
  made.handler({ method: 'POST', target: '/sim/nodes', headers: {}, body: Buffer.from('{"name":"x"}') });
  await clock.advance(1_000);
  expect(saves).toBe(settled + 1);
  ticker.stop();
  expect(clock.timers).toBe(0);
});

it('is saved less often if that takes long', async () => {
  const clock = new VirtualClock();
  let nowMs = clock.now();
  // Each save takes two seconds by this clock.
  const slow = { now: () => nowMs, monotonicMs: () => nowMs, after: clock.after.bind(clock) };
  const made = simulator(clock);
  let saves = 0;
  const ticker = new Ticker({
    simulator: made,
    clock: slow,
    log: { write: () => {} },
    save: () => {
      saves++;
      nowMs += 2_000;
    },
  });
  ticker.start();
  for (let second = 0; second < 66; second++) {
    made.handler({ method: 'POST', target: '/sim/reset', headers: {}, body: new Uint8Array() });
    nowMs += 1_000;
    await clock.advance(1_000);
  }
  expect(saves).toBe(4);
  ticker.stop();
});

it('continues after a full disk', async () => {
  const clock = new VirtualClock();
  const made = simulator(clock);
  const said: string[] = [];
  let isFull = true;
  const ticker = new Ticker({
    simulator: made,
    clock,
    log: { write: (level, message) => said.push(`${level}: ${message}`) },
    save: (state) => {
      if (isFull) throw new Error('ENOSPC');
      writeStateFile(file, state);
    },
  });
  ticker.start();
  await clock.advance(1_000);
  expect(said).toEqual(['error: saving the state failed; retrying']);
  expect(existsSync(file)).toBe(false);
  isFull = false;
  await clock.advance(1_000);
  expect(existsSync(file)).toBe(true);
  ticker.stop();
});
