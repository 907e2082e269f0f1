/** Which upgrades are allowed: one minor version at a time, never back. */
import { compareVersions, type EtcdVersion, parseVersion } from '../../apis/version.ts';
import type { Finding } from '../model.ts';

/** Before an upgrade to 3.6: earlier patches can lose the promotion of a learner, or bring removed members back. */
const patchBefore36 = 26;

/** Minor versions of etcd 3 whose upgrade rules are known. */
const minorMin = 4;
const minorMax = 6;

/** Why members of these versions may not be upgraded; undefined if they may. */
export function upgradeProblem(
  running: readonly string[],
  target: string,
  allowsUnknownVersion: boolean,
): Finding | undefined {
  const to = parseVersion(target);
  if (to === undefined) return blocked(`${target} is not a version`);
  if ((to.minor < minorMin || to.minor > minorMax) && !allowsUnknownVersion) {
    return blocked(
      `the rules of an upgrade to ${to.major}.${to.minor} are not known; set spec.upgrade.allowUnknownVersion to upgrade nevertheless`,
    );
  }
  const from = running.map(parseVersion);
  for (const version of from) {
    if (version === undefined) return blocked('a member reports a version that is not understood');
    if (version.major !== to.major)
      return blocked(`an upgrade from ${format(version)} to ${format(to)} changes the major version`);
    if (compareVersions(version, to) > 0) return blocked(`${format(version)} cannot be downgraded to ${format(to)}`);
    if (to.minor - version.minor > 1) {
      return blocked(
        `${format(version)} has to be upgraded to 3.${version.minor + 1} before ${format(to)}: one minor version at a time`,
      );
    }
    if (to.minor === 6 && version.minor === 5 && version.patch < patchBefore36) {
      return blocked(
        `${format(version)} has to be upgraded to 3.5.${patchBefore36} or later before 3.6: earlier versions may lose members`,
      );
    }
  }
  return undefined;
}

function format({ major, minor, patch }: EtcdVersion): string {
  return `${major}.${minor}.${patch}`;
}

function blocked(message: string): Finding {
  return { reason: 'UpgradeBlocked', message };
}
