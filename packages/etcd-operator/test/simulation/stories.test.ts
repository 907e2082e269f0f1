/** Every story without faults of the operator's calls, with one operator and with two. */
import { formatTrace, type RunResult, runScenario } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { etcdScenario } from './scenario.kit.ts';
import { stories } from './stories.kit.ts';

const shown = ({ journal }: RunResult) => formatTrace(journal, { linesMax: 80 });

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
