/**
 * Shrinks a failing run: removes faults, one at a time, as long as it still fails the same way.
 *
 * Removing a fault can renumber later effects: a lost request, for example, is sent again. So if no fault can be removed
 * as it is, the later faults of the process are moved, too.
 */
import type { Fault } from './faults.ts';
import { type RunResult, runScenario } from './scenario.ts';

/** Maximum number of runs of one shrinking. Enough for thirty faults, each tried a few times. */
const shrinkRunsMax = 500;

/** By how many effects the faults after a removed one are moved. */
const shifts = [-1, -2, -3, -4, -5, -6, 1, 2];

/** Returns a failing run of the same scenario and seed without unnecessary faults; `failing` itself if there is none. */
export async function shrink(failing: RunResult): Promise<RunResult> {
  let best = failing;
  let runs = 0;
  const fails = async (faults: readonly Fault[]): Promise<boolean> => {
    if (runs++ >= shrinkRunsMax) return false;
    const result = await runScenario(failing.scenario, failing.seed, faults);
    // Moved faults may not apply to their new effects; only fewer faults are better.
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

/** From the end: late faults are more often unrelated to the failure. */
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
      // An effect can have only one fault, and earlier effects may have theirs.
      if (moved.every((fault) => 'effect' in fault && fault.effect >= effect)) yield [...others, ...moved];
    }
  }
}
