/** The simulation of the sample program as a program of its own, with the command line of `simulate`. */
import { simulate } from '../../src/simulation/cli.ts';
import seeds from './failed-seeds.json' with { type: 'json' };
import { workshopScenario } from './workshop.kit.ts';

process.exitCode = await simulate({
  argv: process.argv.slice(2),
  scenarios: [workshopScenario()],
  print: (text) => console.log(text),
  // A seed that fails is added by hand, with a test that names what broke.
  seedFile: { read: () => JSON.stringify(seeds), write: () => {} },
});
