/** Every story without faults, on the likely platform and on the contrary one. */
import { formatTrace, type RunResult, runScenario } from '@ecsm/runtime/simulation';
import { profiles } from '@ecsm/simulator';
import { describe, expect, it } from 'vitest';
import { fleetScenario } from './fleet.kit.ts';
import { slowStories, stories } from './stories.kit.ts';

const shown = ({ journal }: RunResult) => formatTrace(journal, { linesMax: 80 });

describe.each([...stories, ...slowStories])('$name', (story) => {
  it('reaches the desired state without faults, and creates nothing twice', async () => {
    const creations: string[][] = [];
    const scenario = fleetScenario(story, { watch: (world) => creations.push(world.creations) });
    const result = await runScenario(scenario, 1, []);
    expect(result.failure, shown(result)).toBeUndefined();
    const refused = creations.flat().filter((message) => message !== 'success');
    // A leftover has the name of its successor.
    expect(refused.length).toBeLessThanOrEqual(story.hasLeftovers ? 1 : 0);
  });

  it('is settled at the end: a restarted operator has nothing to do', async () => {
    const result = await runScenario(fleetScenario(story, { isRestarted: true }), 2, []);
    expect(result.failure, shown(result)).toBeUndefined();
  });

  it('reaches the desired state on the contrary platform', async () => {
    const result = await runScenario(fleetScenario(story, { behaviour: profiles.contrary }), 3, []);
    expect(result.failure, shown(result)).toBeUndefined();
  });
});
