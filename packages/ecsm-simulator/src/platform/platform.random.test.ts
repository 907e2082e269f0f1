/**
 * Goal: whatever is done to a platform in whatever order, with whatever answers to the open questions, it stays sound.
 * Method: random walks by seed over all calls; what must always hold is checked on the way, what must hold in the end
 * once all nodes are back and time has passed.
 */
import { SeededRandom } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { checkAlways, checkSettled } from './invariants.kit.ts';
import type { State } from './model.ts';
import { addNode, asJson, setUp, type World } from './platform.kit.ts';
import { randomBehaviour, Walk } from './walk.kit.ts';

const steps = 100;

function setUpWalk(seed: number): World {
  const world = setUp({ seed, behaviour: randomBehaviour(new SeededRandom(seed, 5)) });
  addNode(world.platform, 'l1', 20, 'linux');
  return world;
}

/** Every node returns, and everything that is under way ends. */
function settle({ platform, pass }: World): void {
  for (const { id } of platform.nodes()) platform.restoreNode(id);
  pass(10 * 60_000);
}

describe('a random walk', () => {
  it('keeps the platform consistent, and settled in the end', () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      const world = setUpWalk(seed);
      const walk = new Walk(seed);
      for (let step = 0; step < steps; step++) {
        world.pass(walk.pauseMs());
        seen.add(walk.step(world.platform));
        if (step % 10 === 0) attempt(seed, () => checkAlways(world.platform));
      }
      settle(world);
      attempt(seed, () => checkAlways(world.platform));
      attempt(seed, () => checkSettled(world.platform));
    }
    // The walk is worth something only if most of what it tries is possible.
    for (const move of ['create', 'update', 'scale', 'rollback', 'controlOne', 'kill', 'cut', 'push', 'balance']) {
      expect(seen).toContain(move);
    }
  });

  it('has the same state when it is repeated', () => {
    for (let seed = 1; seed <= 30; seed++) expect(walked(seed)).toEqual(walked(seed));
  });

  it('has the same state whether it is read every second or only on changes', () => {
    for (let seed = 1; seed <= 30; seed++)
      attempt(seed, () => expect(walked(seed, { look: true })).toEqual(walked(seed)));
  });

  it('has the same state when the platform is restarted in between', () => {
    for (let seed = 1; seed <= 30; seed++)
      attempt(seed, () => expect(walked(seed, { stop: true })).toEqual(walked(seed)));
  });
});

function walked(seed: number, { look = false, stop = false } = {}): unknown {
  let world = setUpWalk(seed);
  const walk = new Walk(seed);
  for (let step = 0; step < steps; step++) {
    const untilMs = world.clock.now() + walk.pauseMs();
    while (look && world.clock.now() + 1_000 < untilMs) world.pass(1_000);
    world.pass(untilMs - world.clock.now());
    walk.step(world.platform);
    if (stop && step % 20 === 19) world = restarted(world);
  }
  settle(world);
  return asJson(world.platform.snapshot());
}

function restarted(world: World): World {
  const state: State = JSON.parse(JSON.stringify(world.platform.snapshot()));
  return setUp({ state, seed: 99, nowMs: world.clock.now() });
}

function attempt(seed: number, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof Error) error.message = `seed ${seed}: ${error.message}`;
    throw error;
  }
}
