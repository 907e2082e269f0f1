/**
 * Goal: a change of what users can see is a line in the diff of a commit, and code that is moved or removed changes none of
 * these lines. Method: write the surface of the built programs again, and compare it with the committed one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root, run } from './documents.kit.ts';

it('what users can see of the programs is what test/surface says; make surface writes it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-surface-'));
  try {
    const written = await run(process.execPath, [join(root, 'scripts', 'surface', 'main.mjs'), directory]);
    expect(written).toEqual({ code: 0, output: '' });
    const flags = ['--no-index', '--no-ext-diff', '--no-color', '--unified=1'];
    const { output } = await run('git', ['diff', ...flags, join('test', 'surface'), directory]);
    expect(output === '', `run make surface and read the diff:\n${output}`).toBe(true);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
