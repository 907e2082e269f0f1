/** The simulation of orchestration as a program, with the command line of `simulateStories`. */
import { simulateStories } from '@ecsm/runtime/simulation';
import { behaviourOf } from '../behaviours.kit.ts';
import seeds from '../failed-seeds.json' with { type: 'json' };
import { orchestrationOfSeed, orchestrationScenario, orchestrationStories } from './scenario.kit.ts';

process.exitCode = await simulateStories(
  {
    name: 'orchestration',
    scenarioOfSeed: orchestrationOfSeed,
    failedSeeds: seeds.orchestration,
    scenarios: orchestrationStories.map((story) => orchestrationScenario(story)),
    restartMs: 200,
    about: (seed) => `the platform: ${JSON.stringify(behaviourOf(seed))}`,
  },
  process.argv.slice(2),
  (text) => console.log(text),
);
