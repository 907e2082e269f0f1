/** The simulation of the operator as a program, with the command line of `simulateStories`. */
import { simulateStories } from '@ecsm/runtime/simulation';
import { behaviourOf } from './behaviours.kit.ts';
import seeds from './failed-seeds.json' with { type: 'json' };
import { fleetScenario, scenarioOfSeed } from './fleet.kit.ts';
import { stories } from './stories.kit.ts';

process.exitCode = await simulateStories(
  {
    name: 'operator',
    scenarioOfSeed,
    failedSeeds: seeds.fleet,
    scenarios: stories.filter(({ isLong }) => !isLong).map((story) => fleetScenario(story)),
    restartMs: 200,
    about: (seed) => `the platform: ${JSON.stringify(behaviourOf(seed))}`,
  },
  process.argv.slice(2),
  (text) => console.log(text),
);
