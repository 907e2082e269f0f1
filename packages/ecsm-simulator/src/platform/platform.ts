/** The simulated platform: the operations of operations.ts on one world with a clock. */
import { type Clock, type Log, type Random, silentLog } from '@ecsm/runtime';
import { type Behaviour, checkBehaviour, type ProfileName, profiles } from './behaviour.ts';
import type { Operations, Platform } from './contract.ts';
import { advanceTo } from './events.ts';
import type { State } from './model.ts';
import { operations } from './operations.ts';
import { restoreWorld, takeSnapshot } from './snapshot.ts';
import { World } from './world.ts';

export interface PlatformOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  /** Used once, for the seed of a new platform; a restored one has its own. */
  readonly random: Random;
  /** A profile, or changes to `likely`; for a restored platform: changes to its behaviour. */
  readonly behaviour?: Partial<Behaviour> | ProfileName;
  /** A snapshot to start from. */
  readonly state?: State;
  readonly log?: Log;
}

export function createPlatform(options: PlatformOptions): Platform {
  const { clock } = options;
  const world = createWorld(options);
  // The clock of a snapshot may be ahead of ours. Its time continues without a step back.
  const aheadMs = Math.max(0, world.nowMs - clock.now());
  const offsetMs = clock.now() + aheadMs - clock.monotonicMs();
  const present = (): World => {
    advanceTo(world, clock.monotonicMs() + offsetMs);
    return world;
  };
  return {
    ...bind(present),
    get behaviour() {
      return world.behaviour;
    },
    now: () => present().nowMs,
    advance: () => void present(),
    nextAtMs() {
      const atMs = present().agenda.first?.atMs;
      return atMs === undefined ? undefined : atMs - aheadMs;
    },
    snapshot: () => takeSnapshot(present()),
  };
}

function createWorld({ clock, random, behaviour = {}, state, log = silentLog }: PlatformOptions): World {
  const change = typeof behaviour === 'string' ? profiles[behaviour] : behaviour;
  checkBehaviour(change);
  if (state !== undefined) {
    const world = restoreWorld(state, log);
    world.behaviour = { ...world.behaviour, ...change };
    return world;
  }
  const seed = Math.floor(random.next() * 0x1_0000_0000);
  const world = new World({ seed, behaviour: { ...profiles.likely, ...change }, log });
  world.nowMs = clock.now();
  return world;
}

function bind(present: () => World): Operations {
  const bound = Object.entries(operations).map(([name, operation]) => {
    // `Operations` types each operation; the table as a whole has no common parameter types.
    const call = operation as (world: World, ...parameters: readonly unknown[]) => unknown;
    return [name, (...parameters: readonly unknown[]) => call(present(), ...parameters)];
  });
  return Object.fromEntries(bound);
}
