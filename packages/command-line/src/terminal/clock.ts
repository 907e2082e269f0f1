/** The clock of the machine. The runtime has the same; importing it would load the runtime before every command. */
// biome-ignore-all lint/style/noRestrictedGlobals: this is a port, where time comes from.
import type { Clock } from '@ecsm/runtime';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => Math.floor(performance.now()),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
