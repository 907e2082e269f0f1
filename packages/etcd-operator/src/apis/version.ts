/** Versions of etcd. */

export interface EtcdVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** Such as `rc.1`; empty for a release. */
  readonly suffix: string;
}

/** Version of a cluster whose spec names none: one that can be upgraded to 3.6. */
export const VERSION_DEFAULT = '3.5.35';

export const versionPattern = {
  expression: /^v?3\.(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})(-[0-9A-Za-z.-]{1,64})?$/u,
  hint: 'must be a version of etcd 3, such as v3.5.35',
};

const parts = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$/u;

/** Undefined if the text is not a version. The `v` at the start may be absent, as in what members report. */
export function parseVersion(text: string): EtcdVersion | undefined {
  const [, major, minor, patch, suffix = ''] = parts.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), suffix };
}

/** Negative if the first is older. Of two versions that differ in the suffix only, the release is newer. */
export function compareVersions(one: EtcdVersion, other: EtcdVersion): number {
  const difference = one.major - other.major || one.minor - other.minor || one.patch - other.patch;
  if (difference !== 0 || one.suffix === other.suffix) return difference;
  if (one.suffix === '' || other.suffix === '') return one.suffix === '' ? 1 : -1;
  return one.suffix < other.suffix ? -1 : 1;
}

/** The tag of the image: with the `v`. */
export function imageTag(version: string): string {
  return version.startsWith('v') ? version : `v${version}`;
}
