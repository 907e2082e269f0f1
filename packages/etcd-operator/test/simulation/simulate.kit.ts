/** The simulation of the etcd operator as a program, with the command line of `simulateStories`. */
import { simulateStories } from '@ecsm/runtime/simulation';
import seeds from './failed-seeds.json' with { type: 'json' };
import { etcdScenario, scenarioOfSeed } from './scenario.kit.ts';
import { stories } from './stories.kit.ts';

process.exitCode = await simulateStories(
  {
    name: 'etcd',
    scenarioOfSeed,
    failedSeeds: seeds.etcd,
    scenarios: stories.map((story) => etcdScenario(story, { isDuel: false })),
    restartMs: 300,
  },
  process.argv.slice(2),
  (text) => console.log(text),
);
