/** Every story on the likely platform when nothing goes wrong, and on one that answers every open question otherwise. */
import { formatTrace, type RunResult, runScenario } from '@ecsm/runtime/simulation';
import { profiles } from '@ecsm/simulator';
import { describe, expect, it } from 'vitest';
import { fleetScenario } from './fleet.kit.ts';
import { stories } from './stories.kit.ts';

const shown = ({ journal }: RunResult) => formatTrace(journal, { linesMax: 80 });

describe.each(stories)('$name', (story) => {
  it('ends well when nothing goes wrong, and makes nothing twice', async () => {
    const creations: string[][] = [];
    const scenario = fleetScenario(story, { watch: (world) => creations.push(world.creations) });
    const result = await runScenario(scenario, 1, []);
    expect(result.failure, shown(result)).toBeUndefined();
    const refused = creations.flat().filter((message) => message !== 'success');
    // A leftover has the name that its successor asks for.
    expect(refused.length).toBeLessThanOrEqual(story.hasLeftovers ? 1 : 0);
  });

  it('is over when it is over: an operator that is started again finds nothing to do', async () => {
    const result = await runScenario(fleetScenario(story, { isRestarted: true }), 2, []);
    expect(result.failure, shown(result)).toBeUndefined();
  });

  it('ends well on a platform that takes the other side of every guess', async () => {
    const result = await runScenario(fleetScenario(story, { behaviour: profiles.contrary }), 3, []);
    expect(result.failure, shown(result)).toBeUndefined();
  });
});
