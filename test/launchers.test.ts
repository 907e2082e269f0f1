/** The programs in bin. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const bin = join(import.meta.dirname, '..', 'bin');
/** Linux cuts a longer first line, without an error. */
const firstLineBytesMax = 255;

it.each(readdirSync(bin))('the options of Node.js in bin/%s fit into the first line', (name) => {
  const [first = ''] = readFileSync(join(bin, name), 'utf8').split('\n');
  expect(first.length).toBeLessThanOrEqual(firstLineBytesMax);
});
