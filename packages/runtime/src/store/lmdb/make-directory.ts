import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it. Node's own recursive mkdir never ends where a file system answers ENOENT for a
 * place whose parent is there, as /proc does.
 */
export function makeDirectory(path: string): void {
  const parent = dirname(path);
  try {
    mkdirSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') {
      if (statSync(path).isDirectory()) return;
      throw Object.assign(new Error(`${path} is a file, not a directory`), { code: 'ENOTDIR' });
    }
    if (code !== 'ENOENT' || parent === path) throw error;
    makeDirectory(parent);
    mkdirSync(path);
  }
}
