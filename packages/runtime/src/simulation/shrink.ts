/**
 * Makes a failing run easier to read: takes away faults, one at a time, as long as it still fails the same way.
 *
 * A fault may be there only to bring others to their place: a request that was lost is sent again, and every later
 * effect has another number. So where nothing can be taken away as it is, the later faults of the process are moved.
 */
import type { Fault } from './faults.ts';
import { type RunResult, runScenario } from './scenario.ts';

/** Runs that one shrinking may cost. Thirty faults, each tried a few times, stay below. */
export const shrinkRunsMax = 500;

/** By how many effects the faults behind one that was taken away are moved. */
const shifts = [-1, -2, -3, -4, -5, -6, 1, 2];

/** A failing run of the same scenario and seed, with no fault that it could do without; the run given, if none is. */
export async function shrink(failing: RunResult): Promise<RunResult> {
  let best = failing;
  let runs = 0;
  const fails = async (faults: readonly Fault[]): Promise<boolean> => {
    if (runs++ >= shrinkRunsMax) return false;
    const result = await runScenario(failing.scenario, failing.seed, faults);
    // Faults that are moved may meet effects that cannot suffer them; only fewer is better.
    if (result.failure?.oracle !== failing.failure?.oracle || result.faults.length >= best.faults.length) return false;
    best = result;
    return true;
  };
  while ((await anyOf(withoutOne(best.faults), fails)) || (await anyOf(withoutOneMoved(best.faults), fails)));
  return best;
}

async function anyOf<T>(candidates: Iterable<T>, test: (candidate: T) => Promise<boolean>): Promise<boolean> {
  for (const candidate of candidates) if (await test(candidate)) return true;
  return false;
}

/** From the end: what comes last tends to be chance company of what went wrong before. */
function* withoutOne(faults: readonly Fault[]): Generator<readonly Fault[]> {
  for (let index = faults.length - 1; index >= 0; index--) yield faults.filter((_, position) => position !== index);
}

function* withoutOneMoved(faults: readonly Fault[]): Generator<readonly Fault[]> {
  for (const removed of faults.toReversed()) {
    if (!('effect' in removed)) continue;
    const { process, effect } = removed;
    const behind = faults.filter((fault) => 'effect' in fault && fault.process === process && fault.effect > effect);
    const others = faults.filter((fault) => fault !== removed && !behind.includes(fault));
    for (const shift of behind.length === 0 ? [] : shifts) {
      const moved = behind.map((fault) => ('effect' in fault ? { ...fault, effect: fault.effect + shift } : fault));
      // Before the one that was taken away there are others, and an effect can suffer only one.
      if (moved.every((fault) => 'effect' in fault && fault.effect >= effect)) yield [...others, ...moved];
    }
  }
}
