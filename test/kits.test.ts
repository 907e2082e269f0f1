import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const shared = ['packages', 'test']
  .flatMap((top) => readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map((path) => join(top, path)))
  .filter((path) => /\.(?:kit|suite)\.ts$/.test(path) && !/\b(?:node_modules|dist)\b/.test(path));

it('kits register clean-up when they are called, not when they are loaded, because several test files share a process', () => {
  expect(shared.length).toBeGreaterThan(30);
  const hooked = shared.filter((path) =>
    /^(?:before|after)(?:Each|All)\(/m.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(hooked).toEqual([]);
});
