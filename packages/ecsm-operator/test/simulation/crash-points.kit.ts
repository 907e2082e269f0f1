/**
 * Every story with a crash before and after effects of a run in which nothing else goes wrong. `CRASH_POINTS=all` takes
 * every one of them, which takes many minutes; otherwise it is one in so many, always the same ones.
 */
import { crashPoints, formatTrace, runScenario } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { fleetScenario } from './fleet.kit.ts';
import { stories } from './stories.kit.ts';

/** Long enough to lose what was under way, short enough to come back into the middle of it. */
const restartMs = 200;
/** Of a run that has few effects: a reference that stops doing anything must not pass for one that is safe. */
const pointsMin = 60;
const oneIn = process.env['CRASH_POINTS'] === 'all' ? 1 : 13;

/** Half of the stories each, side by side. */
export function survivesCrashes(half: 'first' | 'second'): void {
  const own = stories.filter((_, index) => (index % 2 === 0) === (half === 'first'));
  describe.each(own)('$name', (story) => {
    it('survives a crash before and after an effect', { timeout: 1_200_000 }, async () => {
      const scenario = fleetScenario(story);
      const reference = await runScenario(scenario, 1, []);
      expect(reference.failure).toBeUndefined();
      const points = crashPoints(reference, { processes: ['operator'], restartMs });
      expect(points.length).toBeGreaterThan(pointsMin);
      for (const faults of points.filter((_, index) => index % oneIn === 0)) {
        const { failure, journal } = await runScenario(scenario, 1, faults);
        expect(
          failure,
          `${JSON.stringify(faults)}\n${failure && formatTrace(journal, { linesMax: 80 })}`,
        ).toBeUndefined();
      }
    });
  });
}
