import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { simulateOnce } from './simulating.kit.ts';

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ecsm-simulated-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a simulation that has passed', () => {
  it('is not run again while nothing has changed', async () => {
    const first = await simulateOnce('runtime', directory, '--seeds', 3);
    expect(first.output).toMatch(/ runs passed/u);
    const second = await simulateOnce('runtime', directory, '--seeds', 3);
    expect(second).toEqual({
      code: 0,
      output: `${first.output.trimEnd()} (not run again: nothing has changed)\n`,
      errors: '',
    });
  });

  it('is run with other seeds', async () => {
    await simulateOnce('runtime', directory, '--seeds', 3);
    const { output } = await simulateOnce('runtime', directory, '--seeds', 4);
    expect(output).toMatch(/ runs passed/u);
    expect(output).not.toContain('not run again');
  });
});

describe('a simulation that has failed', () => {
  it('is run again', async () => {
    const { code } = await simulateOnce('runtime', directory, '--seeds', 'many');
    expect(code).toBe(1);
    expect(readdirSync(directory)).toEqual([]);
  });
});
