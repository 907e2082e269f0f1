/** Reports a registry that other users of the machine can access, with the command that makes it private. */
import { statSync } from 'node:fs';
import type { Log } from '../../ports/log.ts';

const others = 0o077;

/** One line for all paths of a registry. */
export function reportPermissions(directory: string, paths: readonly string[], log: Log): void {
  // Windows has no such modes.
  if (process.platform === 'win32') return;
  const wide = paths.find((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & others) !== 0);
  if (wide === undefined) return;
  log.write('warn', 'other users of this machine can access the registry', {
    path: wide,
    fix: `chmod -R go= ${JSON.stringify(directory)}`,
  });
}
