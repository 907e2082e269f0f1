/** The golden files of the tests, with their hashes. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** @param {string} root of the repository */
export function goldenFiles(root) {
  const isGolden = (path) => /\.golden\.\w+$|(?:^|\/)golden\/[^/]+\.\w+$/.test(path) && !path.includes('/dist/');
  const lines = readdirSync(join(root, 'packages'), { recursive: true })
    .map((path) => join('packages', path).split(sep).join('/'))
    .filter(isGolden)
    .sort()
    .map(
      (path) =>
        `${createHash('sha256')
          .update(readFileSync(join(root, path)))
          .digest('hex')}  ${path}\n`,
    );
  return { 'golden-files.txt': lines.join('') };
}
