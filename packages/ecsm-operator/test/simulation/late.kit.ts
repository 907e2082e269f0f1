/**
 * The platform has no conditional update. A request that arrives after its sender timed out, or crashed, can therefore
 * violate a bound that no controller could keep; such a run still has to reach the desired state.
 */
import type { Simulation } from '@ecsm/runtime/simulation';

export function hasLateWrite({ journal, timeoutMs }: Pick<Simulation, 'journal' | 'timeoutMs'>): boolean {
  const deaths = new Map<number, number>();
  for (const { process, incarnation, what, timeMs } of journal.events) {
    if (process === 'operator' && what === 'crashed') deaths.set(incarnation, timeMs);
  }
  return journal.effects.some(({ process, incarnation, kind, name, fault, sentMs, appliedMs }) => {
    if (process !== 'operator' || kind !== 'write' || appliedMs === undefined) return false;
    if (!/^(?:POST|PUT|DELETE) /u.test(name)) return false;
    if (appliedMs - sentMs >= timeoutMs) return true;
    // A request that was applied before its sender crashed at the same time is not late.
    return fault?.type !== 'crashAfter' && appliedMs >= (deaths.get(incarnation) ?? Number.POSITIVE_INFINITY);
  });
}
