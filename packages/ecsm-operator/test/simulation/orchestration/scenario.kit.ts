/** One scenario for every story of orchestration. */
import { type Scenario, type Simulation, stable, unreliableStoreFaults } from '@ecsm/runtime/simulation';
import type { Behaviour } from '@ecsm/simulator';
import { behaviourOf } from '../behaviours.kit.ts';
import { watchBounds } from '../bounds.kit.ts';
import { buildWorld, operate, ownedServices, stored, type World } from '../world.kit.ts';
import { watchAutoscaling } from './autoscaling.kit.ts';
import { watchOrder } from './order.kit.ts';
import { watchRoom } from './room.kit.ts';
import {
  autoscalingStories,
  combinedStories,
  dependencyStories,
  type OrchestrationStory,
  priorityStories,
  timeStories,
} from './stories.kit.ts';
import { OrchestrationUsers } from './users.kit.ts';

const faultsUntilMs = 60_000;
const restMs = 1_800_000;
const quietMs = 1_200_000;
const seedsPerRestart = 4;
/** In one of this many rounds the platform refuses what does not fit. */
const seedsPerRefusal = 5;

export const orchestrationStories: readonly OrchestrationStory[] = [
  ...dependencyStories,
  ...autoscalingStories,
  ...priorityStories,
  ...combinedStories,
  ...timeStories,
];

/** A platform that moves instances to nodes without room would overbook them by itself. */
const counting = { capacityAccounting: 'limit' } as const;

interface OrchestrationOptions {
  readonly behaviour?: Partial<Behaviour>;
  /** The operator is restarted at rest: it must have nothing to do. */
  readonly isRestarted?: boolean;
}

export function orchestrationScenario(story: OrchestrationStory, options: OrchestrationOptions = {}): Scenario {
  const { behaviour = {}, isRestarted = false } = options;
  const endMs = faultsUntilMs + (story.takesMs ?? 0) + restMs + quietMs;
  return {
    name: story.name,
    weights: unreliableStoreFaults,
    faultsUntilMs,
    endMs,
    stepsMax: 1_000_000,
    build(simulation) {
      const world = buildWorld(simulation, { ...counting, ...behaviour, shareNode: 'allow' });
      const people = simulation.process('people', { faults: false });
      const operator = simulation.process('operator', { links: ['store', 'platform'] });
      people.start((doors) => story.run(new OrchestrationUsers(world, doors, operator.clock)));
      operator.start((doors) => {
        // A list from before a crash lacks what was created last, and only the crashed process knew of it.
        world.responses.clear();
        return operate(world, doors);
      });
      if (isRestarted) simulation.clock.after(endMs - quietMs + 1, () => operator.restart());
      watchBounds(simulation, world, { story: { name: story.name, run: async () => {} }, isReadyPromised: false });
      watchOrder(simulation, world, operator.clock);
      watchRoom(simulation, world);
      watchAutoscaling(simulation, () => world);
      watchEnd(simulation, world, story);
      // A restarted operator reports what nodes use by then (images were pulled), and finds garbage of lost events.
      const isReport = ({ name }: { readonly name: string }) =>
        /operatoridentities|delete ecsm.sh\/v1\/servicerevisions/u.test(name);
      simulation.eventually('at rest nothing is written', stable({ quietMs, except: isReport }));
    },
  };
}

function watchEnd(simulation: Simulation, world: World, { ends }: OrchestrationStory): void {
  simulation.eventually('as many instances run as the story says', () => {
    const { platform } = world.simulator;
    const names = new Set([...Object.keys(ends), ...stored(simulation).map(({ metadata }) => metadata.name)]);
    for (const name of names) {
      const containers = ownedServices(world).flatMap((one) => (one.mark.name === name ? one.containers : []));
      const running = containers.filter((container) => platform.statusOf(container) === 'running').length;
      const expected = ends[name] ?? 0;
      if (running !== expected || containers.length !== expected) {
        return `${name}: ${running} of ${containers.length} instances run, not ${expected}`;
      }
    }
    return undefined;
  });
  simulation.eventually('no orphans are left', () => {
    const alive = new Set(stored(simulation).map(({ metadata }) => metadata.uid));
    const orphan = ownedServices(world).find(({ mark }) => !alive.has(mark.uid));
    return orphan && `${orphan.service.name} has no owner`;
  });
}

/** Every seed runs one story on one platform. */
export function orchestrationOfSeed(seed: number): Scenario {
  const story = orchestrationStories[seed % orchestrationStories.length];
  if (story === undefined) throw new RangeError(`no story for seed ${seed}`);
  const isRestarted = Math.floor(seed / orchestrationStories.length) % seedsPerRestart === 0;
  const outOfMemory = seed % seedsPerRefusal === 0 ? 'refuse' : 'failDeployment';
  return orchestrationScenario(story, { behaviour: { ...behaviourOf(seed), outOfMemory }, isRestarted });
}
