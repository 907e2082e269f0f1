import { describe, expect, it } from 'vitest';
import { ApiError, isApiError } from '../api/errors.ts';
import { noFaults, scenarioOf } from './counter.kit.ts';
import { ordinaryFaults } from './random-faults.ts';
import { runScenario, type Scenario } from './scenario.ts';
import { keepSeed, readSeeds, type SeedFile } from './seed-file.ts';
import { runSeeds } from './seeds.ts';
import { shrink } from './shrink.ts';

/** Hires twice when the answer to the first request is lost: it tries again without looking. */
const hasty: Scenario = {
  name: 'hasty',
  weights: ordinaryFaults,
  build(simulation) {
    const hired: string[] = [];
    simulation.process('manager').start(async ({ effect, incarnation }) => {
      // Only lost answers are of interest here, not crashes.
      for (let number = 0; number < 20 && incarnation === 1; number++) {
        const hire = () => effect(`hire ${number}`, () => void hired.push(String(number)), { kind: 'write' });
        await hire().catch((error) => (isApiError(error, 'Unavailable') ? hire() : undefined));
      }
    });
    simulation.always('no one is hired twice', () => {
      const twice = hired.find((name, index) => hired.indexOf(name) !== index);
      return twice === undefined ? undefined : `${twice} is hired twice`;
    });
  },
};

describe('shrinking', () => {
  it('keeps the one fault that a failure needs', async () => {
    const { failed } = await runSeeds({ scenario: hasty, seeds: 2000 });
    expect(failed?.shrunk.failure).toMatchObject({ oracle: 'no one is hired twice' });
    expect(failed?.shrunk.faults).toEqual([
      { type: 'lostResponse', error: 'Unavailable', process: 'manager', effect: expect.any(Number) },
    ]);
  });

  it('keeps two if a failure needs two', async () => {
    const needsTwo = scenarioOf(
      async ({ effect }) => {
        for (let number = 0; number < 60; number++) await effect('call', () => {}, { kind: 'write' }).catch(() => {});
      },
      {
        weights: { perEffect: { lostRequest: 0.1, lostResponse: 0.1, delay: 0.1 }, perMinute: {} },
        build: (simulation) =>
          simulation.always('at most one request is lost', ({ journal }) =>
            journal.faults.filter(({ type }) => type === 'lostRequest').length < 2 ? undefined : 'two are',
          ),
      },
    );
    const { failed } = await runSeeds({ scenario: needsTwo, seeds: 100 });
    expect(failed?.shrunk.faults.map(({ type }) => type)).toEqual(['lostRequest', 'lostRequest']);
    const more = await runSeeds({ scenario: needsTwo, seeds: 20, firstSeed: (failed?.result.seed ?? 0) + 1 });
    expect(more.failed?.shrunk.faults).toHaveLength(2);
  });
});

describe('shrinking a run in which one fault only moves another', () => {
  it('keeps the other one, at its new place', async () => {
    const scenario = scenarioOf(async ({ effect }) => {
      for (const name of ['look', 'look', 'pay', 'look']) {
        const call = () => effect(name, () => 'done', { kind: 'write' });
        const answer = await call().catch(() => (name === 'look' ? call() : 'lost'));
        if (answer === 'lost') throw new TypeError('paid, or not?');
      }
    });
    const failing = await runScenario(scenario, 1, [
      { type: 'lostRequest', process: 'sample', effect: 1, error: 'Timeout' },
      { type: 'lostResponse', process: 'sample', effect: 4, error: 'Timeout' },
    ]);
    expect(failing.failure?.message).toContain('paid, or not?');
    const { faults } = await shrink(failing);
    expect(faults).toEqual([{ type: 'lostResponse', process: 'sample', effect: 3, error: 'Timeout' }]);
  });
});

/** Fails for the seeds given, and notes which were run. */
function failingFor(...bad: number[]) {
  const tried: number[] = [];
  const build: Scenario['build'] = (simulation) => {
    tried.push(simulation.seed);
    simulation.eventually('likes its seed', ({ seed }) => (bad.includes(seed) ? `not ${seed}` : undefined));
  };
  const scenario: Scenario = { name: 'picky', weights: noFaults, build };
  return { tried, scenario };
}

describe('many seeds', () => {
  it('start with those that failed before, and none is run twice', async () => {
    const { tried, scenario } = failingFor();
    const { runs, failed } = await runSeeds({ scenario, seeds: 4, firstSeed: 10, kept: [77, 12] });
    expect(tried).toEqual([77, 12, 10, 11, 13]);
    expect({ runs, failed }).toEqual({ runs: 5, failed: undefined });
  });

  it('end with the first that fails', async () => {
    const { scenario } = failingFor(3, 5);
    const { runs, failed } = await runSeeds({ scenario, seeds: 10 });
    expect([runs, failed?.result.seed]).toEqual([3, 3]);
  });
});

function fileInMemory(text?: string): SeedFile & { text: string | undefined } {
  return {
    text,
    read() {
      return this.text;
    },
    write(written) {
      this.text = written;
    },
  };
}

describe('the file of seeds', () => {
  it('keeps seeds by scenario, sorted, each once', () => {
    const file = fileInMemory();
    expect(readSeeds(file)).toEqual({});
    keepSeed(file, 'zebra', 3);
    keepSeed(file, 'ape', 20);
    keepSeed(file, 'ape', 7);
    keepSeed(file, 'ape', 20);
    expect(file.text).toBe('{\n  "ape": [\n    7,\n    20\n  ],\n  "zebra": [\n    3\n  ]\n}\n');
    expect(readSeeds(file)).toEqual({ ape: [7, 20], zebra: [3] });
  });

  it('may be absent or empty, and is rejected if it is invalid', () => {
    expect(readSeeds(undefined)).toEqual({});
    expect(readSeeds(fileInMemory('\n'))).toEqual({});
    for (const text of ['[]', '{"a": 1}', '{"a": ["1"]}', '{"a": [1.5]}', 'null']) {
      expect(() => readSeeds(fileInMemory(text)), text).toThrow(ApiError);
    }
  });
});
