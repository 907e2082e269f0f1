/**
 * Which instances of an old revision a rolling update may give up. One that is down for a moment comes back by itself,
 * and if the new revision turns out to be bad it is all that there is; one that is hopeless is in the way.
 */
import type { SeenInstance } from './instances.ts';
import type { Situation } from './situation.ts';
import { leftMs } from './times.ts';

export function isHopeless({ input, lost, healing }: Situation, { instance, state }: SeenInstance): boolean {
  const { nowMs, settings } = input;
  switch (state) {
    case 'ready':
      return false;
    case 'failed':
      return true;
    case 'starting':
      // One that ran before is being deployed again, by somebody who expects it to run.
      return instance.startedMs === undefined;
    case 'stopped':
    case 'paused':
      return healing !== undefined && healing.attempts > 0;
    case 'unknown': {
      const since = lost.nodes.find(({ name }) => name === instance.nodeName)?.sinceTime;
      return since !== undefined && leftMs(since, settings.lostNodeGraceMs, nowMs) === 0;
    }
  }
}
