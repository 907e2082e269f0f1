/** A simulated platform with an operator whose services have settled, on a virtual clock, and what the operator costs at rest. */
import type { Recorder } from '@ecsm/client';
import { Operator, operatorKinds } from '@ecsm/operator';
import { EmbeddedRegistry, MemoryStore } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { type Behaviour, Simulator } from '@ecsm/simulator';
import { createServices } from './fleet.ts';

export const minuteMs = 60_000;
const restMinutes = 10;

export interface Site {
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly registry: EmbeddedRegistry;
  readonly operator: Operator;
  stop(): Promise<void>;
}

export async function settledSite(count: number, behaviour: Partial<Behaviour>): Promise<Site> {
  const clock = new VirtualClock();
  const simulator = new Simulator({ clock, random: new SeededRandom(1), nodes: 3, behaviour: 'instant' });
  simulator.platform.setBehaviour(behaviour);
  const registry = new EmbeddedRegistry({
    store: new MemoryStore(),
    kinds: operatorKinds,
    clock,
    random: new SeededRandom(2),
  });
  const operator = new Operator({
    registry,
    transport: simulator.transport(),
    clock,
    random: new SeededRandom(3),
    settings: { inFlightMax: 16, workers: 32 },
  });
  const ending = new AbortController();
  const running = operator.run({ signal: ending.signal });
  await createServices(registry, 0, count);
  await clock.until(() => operator.settled(), 30 * minuteMs);
  return {
    clock,
    simulator,
    registry,
    operator,
    async stop() {
      ending.abort();
      let isOver = false;
      void running.finally(() => {
        isOver = true;
      });
      await clock.until(() => isOver);
      await running;
    },
  };
}

export interface Cost {
  readonly calls: number;
  readonly bytes: number;
}

/** For each minute, over ten minutes. */
export async function costAtRest({ clock, operator }: Site): Promise<Cost> {
  // Between two observations, so that the number of observations in the time is not a matter of chance.
  await clock.advance(minuteMs / 2);
  operator.recorder.reset();
  await clock.advance(restMinutes * minuteMs);
  return { calls: operator.recorder.totals().calls / restMinutes, bytes: totalBytes(operator.recorder) / restMinutes };
}

export function totalBytes(recorder: Recorder): number {
  const { bytesUp, bytesDown } = recorder.totals();
  return bytesUp + bytesDown;
}
