/** Every story of orchestration without faults, on the likely platform and on the contrary one. */
import { formatTrace, type RunResult, runScenario } from '@ecsm/runtime/simulation';
import { profiles } from '@ecsm/simulator';
import { describe, expect, it } from 'vitest';
import { orchestrationScenario, orchestrationStories } from './scenario.kit.ts';

const shown = ({ journal }: RunResult) => formatTrace(journal, { linesMax: 80 });

describe.each(orchestrationStories)('$name', (story) => {
  it('ends as it should without faults, and a restarted operator has nothing to do', async () => {
    const result = await runScenario(orchestrationScenario(story, { isRestarted: true }), 1, []);
    expect(result.failure, shown(result)).toBeUndefined();
  });

  it('ends as it should on the contrary platform', async () => {
    const result = await runScenario(orchestrationScenario(story, { behaviour: profiles.contrary }), 2, []);
    expect(result.failure, shown(result)).toBeUndefined();
  });
});
