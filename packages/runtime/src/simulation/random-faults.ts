/**
 * Faults from a seed. Every decision is a function of seed, process and effect number, never of earlier decisions.
 *
 * Each seed omits about half of the kinds of fault and varies the frequency of the others (swarm testing): runs with a
 * few frequent kinds of fault find more than runs with rare faults of all kinds.
 */
import {
  type EffectFault,
  type EffectTraits,
  type FaultPlan,
  isPossible,
  type LossError,
  type TimedFault,
} from './faults.ts';
import { draw, SeededRandom } from './random.ts';

/** Frequencies: a probability per effect, or a number per process (or store) and virtual minute. Default 0 for each. */
export interface FaultWeights {
  readonly perEffect: { readonly [T in EffectFault['type']]?: number };
  readonly perMinute: { readonly [T in TimedFault['type']]?: number };
}

/** The faults that a program must survive on a store that keeps its contract. */
export const ordinaryFaults: FaultWeights = {
  perEffect: {
    delay: 0.05,
    lostRequest: 0.03,
    lostResponse: 0.03,
    duplicate: 0.03,
    crashBefore: 0.01,
    crashAfter: 0.02,
    breakWatch: 0.05,
  },
  perMinute: { kill: 1, clockStep: 1, partition: 1, compact: 2 },
};

/** Also violations of the store contract, which a program with a resync survives. */
export const unreliableStoreFaults: FaultWeights = {
  perEffect: { ...ordinaryFaults.perEffect, staleRead: 0.1, dropEvent: 0.05, repeatEvent: 0.05 },
  perMinute: ordinaryFaults.perMinute,
};

/** A process that timed faults can affect, and its links. */
export interface Target {
  readonly name: string;
  readonly index: number;
  readonly links: readonly string[];
}

const purpose = { whether: 1, size: 2, restart: 3, error: 4 } as const;
/** Distinct from the indexes of processes. */
const swarmStream = 1001;
const timedStream = 1002;

export function randomFaults(
  seed: number,
  weights: FaultWeights,
  untilMs: number,
  targets: readonly Target[],
): FaultPlan {
  const chosen = swarm(seed, weights);
  const perEffect = Object.entries(chosen.perEffect) as [EffectFault['type'], number][];
  const indexes = new Map(targets.map(({ name, index }) => [name, index]));
  return {
    timed: timedFaults(seed, chosen, untilMs, targets),
    at(process, effect, timeMs, traits) {
      const index = indexes.get(process);
      if (index === undefined || timeMs >= untilMs) return undefined;
      const type = choose(perEffect, draw(seed, index, effect, purpose.whether), traits);
      return type && effectFault(type, process, effect, (of) => draw(seed, index, effect, of));
    },
  };
}

/** Omits about half of the kinds of fault, and makes the others rarer or more frequent. */
function swarm(seed: number, weights: FaultWeights): FaultWeights {
  const random = new SeededRandom(seed, swarmStream);
  const some = <T extends object>(all: T) =>
    Object.fromEntries(
      Object.entries(all).flatMap(([type, weight]) => {
        const factor = random.pick([0, 0, 0, 0.3, 1, 3]);
        return factor === 0 ? [] : [[type, Number(weight) * factor]];
      }),
    ) as T;
  return { perEffect: some(weights.perEffect), perMinute: some(weights.perMinute) };
}

function choose(
  weights: readonly (readonly [EffectFault['type'], number])[],
  drawn: number,
  traits: EffectTraits,
): EffectFault['type'] | undefined {
  let sum = 0;
  for (const [type, weight] of weights) {
    if (!isPossible(type, traits)) continue;
    sum += weight;
    if (drawn < sum) return type;
  }
  return undefined;
}

function effectFault(
  type: EffectFault['type'],
  process: string,
  effect: number,
  drawn: (of: number) => number,
): EffectFault {
  const at = { process, effect };
  switch (type) {
    case 'delay':
    case 'duplicate':
      return { ...at, type, delayMs: long(drawn(purpose.size)) };
    case 'lostRequest':
    case 'lostResponse':
      return { ...at, type, error: lossError(drawn(purpose.error)) };
    case 'staleRead':
      return { ...at, type, revisions: 1 + Math.floor(drawn(purpose.size) * 5) };
    case 'crashBefore':
    case 'crashAfter':
      return { ...at, type, restartMs: long(drawn(purpose.restart)) };
    default:
      return { ...at, type };
  }
}

function timedFaults(
  seed: number,
  { perMinute }: FaultWeights,
  untilMs: number,
  targets: readonly Target[],
): readonly TimedFault[] {
  const random = new SeededRandom(seed, timedStream);
  const faults: TimedFault[] = [];
  const often = (type: TimedFault['type'], add: (timeMs: number) => TimedFault) => {
    const expected = ((perMinute[type] ?? 0) * untilMs) / 60_000;
    const count = Math.floor(expected + random.next());
    for (let number = 0; number < count; number++) faults.push(add(random.integer(0, untilMs - 1)));
  };
  const restartMs = () => long(random.next());
  for (const { name: process, links } of targets) {
    often('kill', (timeMs) => ({ timeMs, type: 'kill', process, restartMs: restartMs() }));
    often('clockStep', (timeMs) => ({ timeMs, type: 'clockStep', process, stepMs: random.integer(-60_000, 60_000) }));
    for (const link of links) {
      often('partition', (timeMs) => {
        const lengthMs = Math.min(long(random.next()), untilMs - timeMs);
        return { timeMs, type: 'partition', process, link, lengthMs };
      });
    }
  }
  often('compact', (timeMs) => ({ timeMs, type: 'compact', keepRevisions: random.integer(0, 5) }));
  return faults;
}

/** From 1 ms to 30 s, distributed logarithmically: some below the timeout of a request, some far above it. */
function long(drawn: number): number {
  return Math.round(30_000 ** drawn);
}

function lossError(drawn: number): LossError {
  return drawn < 0.5 ? 'Timeout' : 'Unavailable';
}
