/** Makes a failing run easier to read: takes away faults, one at a time, as long as it still fails the same way. */
import type { Fault } from './faults.ts';
import { type RunResult, runScenario } from './scenario.ts';

/** Runs that one shrinking may cost. Thirty faults, each tried a few times, stay well below. */
export const shrinkRunsMax = 500;

/** A failing run of the same scenario and seed, with no fault that it could do without; the run given, if none is. */
export async function shrink(failing: RunResult): Promise<RunResult> {
  let best = failing;
  let runs = 0;
  for (let progress = true; progress; ) {
    progress = false;
    // From the end: what comes last tends to be chance company of what went wrong before.
    for (let index = best.faults.length - 1; index >= 0 && runs < shrinkRunsMax; index--) {
      if (index >= best.faults.length) continue;
      runs++;
      const result = await runScenario(failing.scenario, failing.seed, without(best.faults, index));
      if (result.failure?.oracle !== failing.failure?.oracle) continue;
      best = result;
      progress = true;
    }
  }
  return best;
}

function without(faults: readonly Fault[], index: number): readonly Fault[] {
  return faults.filter((_, position) => position !== index);
}
