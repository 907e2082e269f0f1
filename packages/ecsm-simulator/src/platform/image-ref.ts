/** Image references, `name@tag#os`, and the comparison of tags as versions. */

interface ImageRef {
  readonly name: string;
  readonly tag: string;
  /** Absent if the reference does not contain it. */
  readonly os?: string;
}

/** Returns undefined for an invalid reference. A name may contain `/` and `:`, like names of remote images. */
export function parseImageRef(ref: string): ImageRef | undefined {
  const parts = /^([^@#\s]+)@([^@#\s]+)(?:#([^@#\s]+))?$/.exec(ref);
  if (parts === null) return undefined;
  const [, name = '', tag = '', os] = parts;
  return os === undefined ? { name, tag } : { name, tag, os };
}

export function formatImageRef(image: { readonly name: string; readonly tag: string; readonly os: string }): string {
  return `${image.name}@${image.tag}#${image.os}`;
}

/** Whether both are semantic versions and the first is larger. `latest` is not a version. */
export function isLargerVersion(tag: string, than: string): boolean {
  const left = parseVersion(tag);
  const right = parseVersion(than);
  if (left === undefined || right === undefined) return false;
  for (let place = 0; place < 3; place++) {
    const difference = (left.numbers[place] ?? 0) - (right.numbers[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return isLargerPrerelease(left.prerelease, right.prerelease);
}

interface Version {
  readonly numbers: readonly number[];
  readonly prerelease: readonly string[];
}

function parseVersion(tag: string): Version | undefined {
  const parts = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(tag);
  if (parts === null) return undefined;
  const [, major, minor, patch, prerelease] = parts;
  return {
    numbers: [Number(major), Number(minor ?? 0), Number(patch ?? 0)],
    prerelease: prerelease === undefined ? [] : prerelease.split('.'),
  };
}

/** 1.0.0-beta is smaller than 1.0.0; numbers are compared as numbers and are smaller than text. */
function isLargerPrerelease(left: readonly string[], right: readonly string[]): boolean {
  if (left.length === 0 || right.length === 0) return left.length === 0 && right.length > 0;
  for (let place = 0; place < Math.max(left.length, right.length); place++) {
    const a = left[place];
    const b = right[place];
    if (a === undefined) return false;
    if (b === undefined) return true;
    if (a === b) continue;
    const aIsNumber = /^\d+$/.test(a);
    const bIsNumber = /^\d+$/.test(b);
    if (aIsNumber && bIsNumber) return Number(a) > Number(b);
    if (aIsNumber !== bIsNumber) return bIsNumber;
    return a > b;
  }
  return false;
}
