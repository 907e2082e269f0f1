/** Goal: the program of a simulation reports failures so that they can be repeated. Method: one good story and a bad one. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { counterScenario, incrementBlindly, incrementByComparing } from './counter.kit.ts';
import { simulateStories } from './story-program.ts';

const good = { ...counterScenario(incrementByComparing), name: 'good' };
const bad = { ...counterScenario(incrementBlindly), name: 'bad' };

async function run(...argv: readonly string[]) {
  const { stackTraceLimit } = Error;
  const seed = process.env['SEED'];
  onTestFinished(() => {
    Error.stackTraceLimit = stackTraceLimit;
    if (seed === undefined) delete process.env['SEED'];
    else process.env['SEED'] = seed;
  });
  const printed: string[] = [];
  const code = await simulateStories(
    {
      name: 'counters',
      scenarioOfSeed: (number) => (number < 100 ? good : bad),
      failedSeeds: [7],
      scenarios: [good],
      restartMs: 100,
      about: (number) => `number ${number}`,
    },
    argv,
    (text) => printed.push(text),
  );
  return { code, printed: printed.join('\n') };
}

describe('a program of stories', () => {
  it('runs a number of seeds, after those that failed before', async () => {
    expect(await run('seeds', '1', '5')).toEqual({ code: 0, printed: '6 runs passed' });
    expect(await run('seeds', '6', '5')).toEqual({ code: 0, printed: '5 runs passed' });
  });

  it('stops at the first failure, and says how to repeat it', async () => {
    const { code, printed } = await run('seeds', '95', '50');
    expect(code).toBe(1);
    expect(printed).toMatch(/^seed 1\d\d fails: no update is lost/u);
    expect(printed).toMatch(/the story: bad; number 1\d\d/u);
    expect(printed).toMatch(/make simulate OF=counters SEED=1\d\d/u);
  });

  it('lists every failure', async () => {
    const { code, printed } = await run('all', '98', '12');
    expect(code).toBe(0);
    expect(printed).toMatch(/^1\d\d bad: no update is lost/mu);
    expect(printed).toMatch(/\d+ of 12 failed; [\d.]+ ms of processor time each$/u);
  });

  it('replays one seed with its trace', async () => {
    const { code, printed } = await run('seed', '3');
    expect(code).toBe(0);
    expect(printed).toContain('commit put counters/one');
    expect(printed).toMatch(/the story: good; number 3\nseed 3 passed$/u);
  });

  it('does not accept a story without crash points', async () => {
    const { code, printed } = await run('points', '0', '1');
    expect(code).toBe(1);
    expect(printed).toMatch(/^good has only \d+ crash points$/u);
  });

  it('names its commands', async () => {
    expect(await run('sedes')).toEqual({ code: 1, printed: 'expected one of seeds, all, points, seed' });
  });
});
