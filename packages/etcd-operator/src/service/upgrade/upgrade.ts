/** Accepts a new version if the members may be upgraded to it. The members are restarted by the rule for rollouts. */
import type { Decision, PassInput } from '../model.ts';
import { blocked, normal, record } from '../rule.ts';
import { upgradeProblem } from './version.ts';

/**
 * Takes back an upgrade whose first member does not start: as long as no member runs the new version, nothing is lost.
 * Other upgrades wait until every member serves.
 */
export function takeBack(input: PassInput): Decision | undefined {
  const { wanted, recorded, facts } = input;
  const running = facts.slots.flatMap(({ status }) => (status ? [status.version] : []));
  if (recorded.version === wanted.version || running.length === 0) return undefined;
  if (!running.every((version) => version === wanted.version)) return undefined;
  return record({ ...recorded, version: wanted.version }, [
    normal('UpgradeStarted', `back to ${wanted.version}: no member runs ${recorded.version ?? 'another version'}`),
  ]);
}

export function upgrade(input: PassInput): Decision | undefined {
  const { wanted, recorded, facts } = input;
  if (recorded.version === wanted.version) return undefined;
  if (facts.alarms.length > 0)
    return blocked(input, 'UpgradeBlocked', 'members are not upgraded while an alarm is active');
  const running = facts.slots.flatMap(({ status }) => (status ? [status.version] : []));
  const problem = upgradeProblem(running, wanted.version, wanted.allowsUnknownVersion);
  if (problem) return blocked(input, problem.reason, problem.message);
  return record({ ...recorded, version: wanted.version }, [
    normal('UpgradeStarted', `upgrading from ${recorded.version ?? 'an unknown version'} to ${wanted.version}`),
  ]);
}
