/** Accepts a new version if the members may be upgraded to it. The members are restarted by the rule for rollouts. */
import type { Decision, PassInput } from './model.ts';
import { blocked, normal, record } from './rule.ts';
import { upgradeProblem } from './version.ts';

export function upgrade(input: PassInput): Decision | undefined {
  const { wanted, recorded, facts } = input;
  if (recorded.version === wanted.version) return undefined;
  if (facts.alarms.length > 0)
    return blocked(input, 'UpgradeBlocked', 'members are not upgraded while an alarm is active');
  const running = facts.slots.flatMap(({ status }) => (status ? [status.version] : []));
  const problem = upgradeProblem(running, wanted.version);
  if (problem) return blocked(input, problem.reason, problem.message);
  return record({ ...recorded, version: wanted.version }, [
    normal('UpgradeStarted', `upgrading from ${recorded.version ?? 'an unknown version'} to ${wanted.version}`),
  ]);
}
