/**
 * Replaces what is valid only inside a container by what is valid on the shared host: mount paths by the directories of
 * their volumes, and the addresses of all interfaces by the address of the pod, so that pods do not share their ports.
 */

/** A path inside the containers, and the directory or file that it stands for. */
export interface PathMapping {
  readonly mountPath: string;
  readonly target: string;
}

export type Rewrite = (text: string) => string;

/** A mount path is replaced only where it is a whole path or its leading directories. */
const pathStart = '(?<![A-Za-z0-9_./-])';
const pathEnd = '(?![A-Za-z0-9_.-])';
const anyAddress = /(?<![0-9.])0\.0\.0\.0(?![0-9.])|\[::\]/gu;

export function rewriter(mappings: readonly PathMapping[], address: string): Rewrite {
  const targets = new Map(mappings.map(({ mountPath, target }) => [trimmed(mountPath), target]));
  // The longest first: a mount inside another mount wins.
  const paths = [...targets.keys()].sort((left, right) => right.length - left.length);
  const withAddress = (text: string) => text.replaceAll(anyAddress, address);
  if (paths.length === 0) return withAddress;
  const expression = new RegExp(`${pathStart}(?:${paths.map(escaped).join('|')})${pathEnd}`, 'gu');
  return (text) => withAddress(text.replaceAll(expression, (path) => targets.get(path) ?? path));
}

function trimmed(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/u, '') : path;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/gu, '\\$&');
}
