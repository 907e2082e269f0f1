/**
 * A story as a scenario: it is told while faults are injected, then everything is repaired, the cluster has to become
 * what was asked for, and afterwards nothing may be written.
 */
import { type FaultWeights, ordinaryFaults, type Scenario } from '@ecsm/runtime/simulation';
import { versions, whyUntrue } from './outcome.kit.ts';
import { prepareSettled } from './settled.kit.ts';
import { type Story, stories } from './stories.kit.ts';
import { Users } from './users.kit.ts';
import { buildWorld, operate, settings, type World } from './world.kit.ts';
import { Writer } from './writer.kit.ts';

const faultsUntilMs = 60_000;
const settleMsMax = 1_500_000;
/** Every controller has looked at the cluster once. */
const quietMs = settings.restMs + 10_000;

/** Also reads of a replica that is behind: every read is one of the past when its answer arrives. */
const faults: FaultWeights = {
  ...ordinaryFaults,
  perEffect: { ...ordinaryFaults.perEffect, staleRead: 0.03 },
};

interface ScenarioOptions {
  /** Two operators with leader election. Default: one in six seeds. */
  readonly isDuel?: boolean;
  readonly watch?: (world: World) => void;
}

export const asked = 'what was asked for is true';
export const silent = 'at rest nothing is written';

export function etcdScenario(story: Story, options: ScenarioOptions = {}): Scenario {
  return {
    name: story.name,
    faultsUntilMs,
    endMs: 24 * 3_600_000,
    stepsMax: 150_000,
    weights: faults,
    async build(simulation) {
      await prepareSettled();
      const world = buildWorld(simulation);
      options.watch?.(world);
      const isDuel = options.isDuel ?? simulation.seed % 6 === 5;
      const links = ['store', 'etcd'];
      for (const name of isDuel ? ['operator', 'rival'] : ['operator']) {
        simulation.process(name, { links }).start((doors) => operate(world, doors, isDuel));
      }
      const failed = (error: unknown) =>
        simulation.fail('the story is told', error instanceof Error ? (error.stack ?? '') : String(error));
      new Writer(world).run().catch(failed);
      direct(world, story).catch(failed);
      simulation.always('safety', () => void world.watchdog.check());
    },
  };
}

/** The story of a seed. */
export function scenarioOfSeed(seed: number): Scenario {
  const story = stories[seed % stories.length];
  if (story === undefined) throw new RangeError('there are no stories');
  return etcdScenario(story);
}

async function direct(world: World, story: Story): Promise<void> {
  const { simulation, view } = world;
  const users = new Users(world);
  await story.tell(users);
  if (simulation.nowMs < faultsUntilMs) await users.wait(faultsUntilMs - simulation.nowMs);
  users.repair();
  const isTrue = () => (story.why ?? whyUntrue)(view) === undefined;
  await users.until(isTrue, settleMsMax);
  const why = (story.why ?? whyUntrue)(view);
  if (why !== undefined) simulation.fail(asked, why);
  world.pace.writeMs = 30_000;
  // Written once more: what was last done is not in progress any more.
  await users.wait(settings.restMs + 10_000);
  // By a clock that was stepped an authority may be due at once, and a change of it waits for clients.
  await users.until(isTrue, settleMsMax);
  const before = versions(world);
  await users.wait(quietMs);
  const changed = [...versions(world)].find(([key, version]) => before.get(key) !== version);
  if (changed) simulation.fail(silent, `${changed[0]} is written`);
  const after = (story.why ?? whyUntrue)(view);
  if (after !== undefined) simulation.fail(asked, `not any more: ${after}`);
  simulation.scheduler.stop();
}
