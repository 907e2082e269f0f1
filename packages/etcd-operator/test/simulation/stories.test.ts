/** Every story without faults of the operator's calls, with one operator and with two. */
import { formatTrace, type RunResult, runScenario } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { etcdScenario } from './scenario.kit.ts';
import { stories } from './stories.kit.ts';

const shown = ({ journal }: RunResult) => formatTrace(journal, { linesMax: 80 });

/** Runs in which a check was wrong. By story, because which one a seed selects depends on their number. */
const kept = [
  {
    story: 'from any size to any other',
    seed: 9107035,
    what: 'an addition that arrives again after its member joined',
  },
] as const;

describe('checks', () => {
  it.each(kept)('accept $what', async ({ story, seed }) => {
    const found = stories.find(({ name }) => name === story);
    if (found === undefined) throw new RangeError(`there is no story called ${story}`);
    const result = await runScenario(etcdScenario(found), seed);
    expect(result.failure, shown(result)).toBeUndefined();
  });
});

describe.each(stories)('$name', (story) => {
  it('becomes what was asked for, and then nothing is written', async () => {
    const result = await runScenario(etcdScenario(story, { isDuel: false }), 1, []);
    expect(result.failure, shown(result)).toBeUndefined();
  });

  it('becomes what was asked for with two operators', async () => {
    const result = await runScenario(etcdScenario(story, { isDuel: true }), 2, []);
    expect(result.failure, shown(result)).toBeUndefined();
  });
});
