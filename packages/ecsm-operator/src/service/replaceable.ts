/**
 * Which instances of an old revision a rolling update may remove although they are not ready. An instance that is down
 * briefly recovers, and is needed if the new revision fails; a broken one only blocks the rollout.
 */
import type { ObservedInstance } from './instances.ts';
import type { PlanContext } from './plan-context.ts';
import { remainingMs } from './times.ts';

export function isReplaceable({ input, lost, healing }: PlanContext, { instance, state }: ObservedInstance): boolean {
  const { nowMs, settings } = input;
  switch (state) {
    case 'ready':
      return false;
    case 'failed':
      return true;
    case 'starting':
      // An instance that ran before is being redeployed, and is expected to run again.
      return instance.startedMs === undefined;
    case 'stopped':
    case 'paused':
      return healing !== undefined && healing.attempts > 0;
    case 'unknown': {
      const since = lost.nodes.find(({ name }) => name === instance.nodeName)?.sinceTime;
      return since !== undefined && remainingMs(since, settings.lostNodeGraceMs, nowMs) === 0;
    }
  }
}
