/**
 * One scenario for every story, with the oracles that hold in all of them: never too many instances, never too few ready
 * ones during a rolling update, no orphan, no duplicate, nothing foreign touched; and in the end what people wanted, said
 * in the status, with nothing written and nothing called for an hour but to look.
 */
import { type Scenario, unreliableStoreFaults } from '@ecsm/runtime/simulation';
import type { Behaviour } from '@ecsm/simulator';
import { behaviourOf, keepsInstances } from './behaviours.kit.ts';
import { watchBounds } from './bounds.kit.ts';
import { crashAfterWrites, focusedBehaviour, focusedStory } from './focus.kit.ts';
import { watchRest } from './rest.kit.ts';
import { type Story, stories } from './stories.kit.ts';
import { buildWorld, operate, People, type World } from './world.kit.ts';

const faultsUntilMs = 40_000;
/** Backoff, lost nodes and late requests have ended by then. */
const restMs = 1_800_000;
const hourMs = 3_600_000;
/** In so many seeds one has the operator started again at rest: it has to find that there is nothing to do. */
const seedsPerRestart = 4;
/** One round of stories of so many is focused. */
const roundsPerFocus = 3;
const plainStories = 18;

export interface FleetOptions {
  readonly behaviour?: Partial<Behaviour>;
  readonly isRestarted?: boolean;
  /** See focus.kit.ts. */
  readonly isFocused?: boolean;
  /** Shown the world of each run, before it begins. */
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
      const world = buildWorld(simulation, behaviour, isFocused);
      watch?.(world);
      simulation.process('people', { faults: false }).start((doors) => story.tell(new People(world, doors)));
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
 * Every seed tells one story, on one platform. The first stories are those of plain seeds, in turn: a seed keeps its
 * story when others are added.
 */
export function scenarioOfSeed(seed: number): Scenario {
  const story = stories[seed % plainStories];
  if (story === undefined) throw new RangeError(`no story for seed ${seed}`);
  const round = Math.floor(seed / plainStories);
  const isRestarted = round % seedsPerRestart === 0;
  if (round % roundsPerFocus === roundsPerFocus - 1) {
    return fleetScenario(focusedStory(seed), { behaviour: focusedBehaviour(seed), isRestarted, isFocused: true });
  }
  return fleetScenario(story, { behaviour: behaviourOf(seed), isRestarted });
}
