/**
 * One scenario for every story, with the oracles that hold in all of them: never too many instances, never too few ready
 * ones during a rolling update, no orphans, no duplicates, no change of foreign services; and at the end the desired
 * state, on the platform and in the status, with no writes and only polls for an hour.
 */
import { type Scenario, unreliableStoreFaults } from '@ecsm/runtime/simulation';
import type { Behaviour } from '@ecsm/simulator';
import { behaviourOf, keepsInstances } from './behaviours.kit.ts';
import { watchBounds } from './bounds.kit.ts';
import { crashAfterWrites, focusedBehaviour, focusedStory } from './focus.kit.ts';
import { watchRest } from './rest.kit.ts';
import { slowLinkOf } from './slow-link.kit.ts';
import { type Story, slowStories, stories } from './stories.kit.ts';
import { buildWorld, operate, Users, type World } from './world.kit.ts';

const faultsUntilMs = 40_000;
/** Backoff, lost nodes and late requests have ended by then. */
const restMs = 1_800_000;
const hourMs = 3_600_000;
/** In one of this many rounds the operator is restarted at rest: it must have nothing to do. */
const seedsPerRestart = 4;
/** One of this many rounds is focused. */
const roundsPerFocus = 3;
/** In one of this many rounds the link is slow. */
const roundsPerSlowLink = 9;
const slowRound = 2;
const plainStories = 18;

interface FleetOptions {
  readonly behaviour?: Partial<Behaviour>;
  readonly isRestarted?: boolean;
  /** See focus.kit.ts. */
  readonly isFocused?: boolean;
  /** Called with the world of each run before it starts. */
  readonly watch?: (world: World) => void;
}

export function fleetScenario(story: Story, options: FleetOptions = {}): Scenario {
  const { behaviour = {}, isRestarted = false, isFocused = false, watch } = options;
  const endMs = faultsUntilMs + (story.takesMs ?? 0) + restMs + hourMs;
  return {
    name: story.name,
    weights: unreliableStoreFaults,
    faultsUntilMs,
    endMs,
    stepsMax: 400_000,
    build(simulation) {
      const link = story.isSlow ? slowLinkOf(simulation.seed) : undefined;
      const world = buildWorld(simulation, behaviour, isFocused, link);
      watch?.(world);
      simulation.process('people', { faults: false }).start((doors) => story.run(new Users(world, doors)));
      const operator = simulation.process('operator', { links: ['store', 'platform'] });
      operator.start((doors) => operate(world, doors));
      if (isFocused) crashAfterWrites(world, operator);
      if (isRestarted) simulation.clock.after(endMs - hourMs + 1, () => operator.restart());
      watchBounds(simulation, world, { story, isReadyPromised: keepsInstances(behaviour) });
      watchRest(simulation, world, { story, quietMs: hourMs, isRestarted });
    },
  };
}

/**
 * Every seed runs one story on one platform. The first stories are those of unfocused seeds, in turn: a seed keeps its
 * story when others are added.
 */
export function scenarioOfSeed(seed: number): Scenario {
  const story = stories[seed % plainStories];
  if (story === undefined) throw new RangeError(`no story for seed ${seed}`);
  const round = Math.floor(seed / plainStories);
  const isRestarted = round % seedsPerRestart === 0;
  const slow = slowStories[seed % slowStories.length];
  if (round % roundsPerSlowLink === slowRound && slow !== undefined) {
    return fleetScenario(slow, { behaviour: behaviourOf(seed), isRestarted });
  }
  if (round % roundsPerFocus === roundsPerFocus - 1) {
    return fleetScenario(focusedStory(seed), { behaviour: focusedBehaviour(seed), isRestarted, isFocused: true });
  }
  return fleetScenario(story, { behaviour: behaviourOf(seed), isRestarted });
}
