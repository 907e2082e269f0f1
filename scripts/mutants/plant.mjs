/**
 * Converts the entries of the list into defects that can be planted: full paths, and the text of the file with the defect.
 * The working tree is only read.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areas } from './list.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A defect. `file` and `tests` are paths from the root of the repository; `find` occurs exactly once in the file.
 * @typedef {{ name: string, file: string, find: string, replace: string, tests: string[] }} Mutant
 */

/** @type {Mutant[]} */
export const mutants = areas.flatMap(({ folder, tests, mutants }) =>
  mutants.map((mutant) => ({
    ...mutant,
    file: join(folder, mutant.file),
    tests: (mutant.tests ?? tests).map((test) => join(folder, test)),
  })),
);

/**
 * Plants a defect in a copy of the text.
 * @param {Mutant} mutant
 * @returns {{ original?: string, text?: string, problem?: string }} the text without and with the defect, or why it no longer applies
 */
export function plant({ file, find, replace, tests }) {
  const path = join(root, file);
  if (!existsSync(path)) return { problem: `${file} does not exist` };
  const missing = tests.find((test) => !existsSync(join(root, test)));
  if (missing !== undefined) return { problem: `${missing} does not exist` };
  const original = readFileSync(path, 'utf8');
  const parts = original.split(find);
  if (parts.length !== 2) return { problem: `its text occurs ${parts.length - 1} times in ${file}, not once` };
  return { original, text: parts.join(replace) };
}
