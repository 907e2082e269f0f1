/** Warnings about the status of services that is not updated any more. */
import { duration, type Terminal } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import { type Condition, findCondition, type Registry, timeMsOf } from '@ecsm/runtime';
import { ageOf } from './columns.ts';
import { conditionsOf } from './fields.ts';
import { operatorPresence, recordedObservationMs, unusedRegistryText } from './operator-presence.ts';
import type { Session } from './session.ts';
import type { Item } from './targets.ts';

/** Only a status that was observed can be old. In a registry that no operator uses, nothing ever is. */
export async function warnAboutOldNumbers(
  { registry, warn, url }: Session,
  items: readonly Item[],
  terminal: Pick<Terminal, 'clock' | 'machine' | 'out' | 'err'>,
): Promise<void> {
  const observed = items.flatMap(({ kind, object }) => (kind === ECSMService ? [conditionsOf(object.status)] : []));
  const presence = await operatorPresence(registry, terminal);
  if (presence.is === 'never') return warn(unusedRegistryText(presence, url));
  if (!observed.some((conditions) => conditions.length > 0)) return;
  // For readers; scripts compare what is on the error output.
  if (terminal.out.isTerminal) {
    const observedMs = await observedMsOf(registry, { conditions: observed.flat() });
    if (observedMs !== undefined) {
      terminal.err.write(`observed ${duration(Math.max(terminal.clock.now() - observedMs, 0))} ago\n`);
    }
  }
  if (presence.is !== 'assumed') warn(`${presence.message}; the status is what it last observed`);
  const since = outageStart(observed);
  if (since === undefined) return;
  const ago = timeMsOf(since) === undefined ? '' : ` (${ageOf(since, terminal.clock.now())})`;
  warn(`the platform has been unreachable since ${since}${ago}; the status is what was observed before`);
}

/** When the numbers in a status were last true: the operator writes them only when they change. Undefined: unknown. */
export async function observedMsOf(registry: Registry, status: unknown): Promise<number | undefined> {
  const recordedMs = await recordedObservationMs(registry);
  if (recordedMs === undefined) return undefined;
  // The record is written at most once a minute; a condition that has changed since was observed later.
  const changes = conditionsOf(status).map(({ lastTransitionTime }) => timeMsOf(lastTransitionTime) ?? recordedMs);
  return Math.max(recordedMs, ...changes);
}

/** The earliest time at which the platform was found to be unreachable. */
function outageStart(observed: readonly (readonly Condition[])[]): string | undefined {
  const times = observed.flatMap((conditions) => {
    const reachable = findCondition(conditions, 'PlatformReachable');
    return reachable?.status === 'False' ? [reachable.lastTransitionTime] : [];
  });
  return times.sort()[0];
}
