/**
 * Faults at critical times. Most calls of an operator are reads, so a crash at a random call, or an edit at a random time,
 * rarely falls into the short time in which the platform is performing a write. In a focused run the operator crashes
 * shortly after writes to the platform, restarts soon, and users edit specs at those times.
 */
import { SeededRandom, type Simulation } from '@ecsm/runtime/simulation';
import type { Behaviour } from '@ecsm/simulator';
import { behaviourOf } from './behaviours.kit.ts';
import { type Story, stories } from './stories.kit.ts';
import type { World } from './world.kit.ts';

/** Separates this random stream from the others of a seed. */
const stream = 79;
/** The share of writes to the platform after which the operator crashes. */
const crashShare = 0.3;
/** The longest time from a write to the crash, and from the crash to the restart. Short ones are as likely as long ones. */
const crashMsMax = 3_000;
const restartMsMax = 1_000;
/** Later than other faults: the stories of a focused run take longer. It still has half an hour to settle. */
const crashesUntilMs = 120_000;
/** Writes are slow on the platform, so that more can happen meanwhile. */
const slowMs = { deleteMs: [500, 4_000, 8_000], stopMs: [200, 3_000], startMs: [800, 4_000] } as const;

export function crashAfterWrites(world: World, operator: ReturnType<Simulation['process']>): void {
  const { simulation } = world;
  const random = new SeededRandom(simulation.seed, stream);
  world.onWrite(() => {
    if (!random.chance(crashShare)) return;
    const [crashMs, restartMs] = [shortly(random, crashMsMax), shortly(random, restartMsMax)];
    if (simulation.nowMs + crashMs + restartMs >= crashesUntilMs) return;
    simulation.clock.after(crashMs, () => operator.crash(restartMs));
  });
}

/** The platform of a focused run. */
export function focusedBehaviour(seed: number): Partial<Behaviour> {
  const random = new SeededRandom(seed, stream, 1);
  const slow = Object.entries<readonly number[]>(slowMs).map(([name, values]) => [name, random.pick(values)]);
  return { ...behaviourOf(seed), ...Object.fromEntries(slow) };
}

/** Stories with several services of one object on the platform are the most frequent. */
export function focusedStory(seed: number): Story {
  const random = new SeededRandom(seed, stream, 2);
  const rolling = stories.filter(({ watched }) => watched !== undefined);
  return random.pick(random.chance(0.7) ? rolling : stories);
}

function shortly(random: SeededRandom, msMax: number): number {
  return Math.round(msMax ** random.next());
}
