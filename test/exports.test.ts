/** Every export and every file of the packages has a use, and each that has none is reported. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root, run } from './documents.kit.ts';

const script = join(root, 'scripts', 'check-exports.mjs');
const check = (directory: string) => run(process.execPath, [script, directory]);

it('this repository has no unused exports', async () => {
  expect(await check(root)).toEqual({ code: 0, output: '' });
});

describe('an unused export', () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'ecsm-exports-'));
    const exports = { '.': { default: './dist/index.js' } };
    plant('packages/a/package.json', JSON.stringify({ exports, bin: { a: 'dist/program/main.js' } }));
    plant('packages/a/src/index.ts', "export { open } from './store/open.ts';", "export * from './store/types.ts';");
    plant('packages/a/src/store/open.ts', "import { depth } from './depth.ts';", 'export const open = () => depth;');
    plant('packages/a/src/store/depth.ts', 'export const depth = 1;');
    plant('packages/a/src/store/types.ts', 'export interface Entry {}');
    plant('packages/a/src/program/main.ts', 'export const main = 1;');
  });
  afterEach(() => rmSync(copy, { recursive: true, force: true }));

  const plant = (file: string, ...lines: string[]) => {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), `${lines.join('\n')}\n`);
  };

  it('is not one that an entry point exports, nor what programs export', async () => {
    expect(await check(copy)).toEqual({ code: 0, output: '' });
  });

  it.each([
    ['that only its own file uses', 'export const unused = 1;\nexport const depth = unused;'],
    ['of a type', 'export const depth = 1;\nexport type unused = 1;'],
    ['under another name', 'const depth = 1;\nexport { depth, depth as unused };'],
    ['that is exported again', "export const depth = 1;\nexport { open as unused } from './open.ts';"],
  ])('%s fails, with its file and name', async (_, text) => {
    plant('packages/a/src/store/depth.ts', text);
    expect(await check(copy)).toEqual({
      code: 1,
      output: 'packages/a/src/store/depth.ts: unused is exported, and no other file imports it\n',
    });
  });

  it('is not one that a test, a script or another package uses', async () => {
    plant('packages/a/src/store/used.ts', 'export const a = 1;', 'export const b = 1;', 'export const c = 1;');
    plant('packages/a/src/store/used.test.ts', "import { a } from './used.ts';", 'a;');
    plant('scripts/b.mjs', "import * as used from '../packages/a/dist/store/used.js';", 'used.b;');
    plant('bench/c.ts', "const { c } = await import('../packages/a/src/store/used.ts');");
    expect(await check(copy)).toEqual({ code: 0, output: '' });
  });

  it('may be a whole file', async () => {
    plant('packages/a/src/store/unused.ts', "import { depth } from './depth.ts';", 'export const unused = depth;');
    const output = 'packages/a/src/store/unused.ts: no file imports it\n';
    expect(await check(copy)).toEqual({ code: 1, output });
  });

  it('is not a file that is started by its path', async () => {
    plant('packages/a/test/serve.kit.ts', 'export const unused = 1;');
    plant('packages/a/test/serve.test.ts', "spawn(new URL('./serve.kit.ts', import.meta.url));");
    expect(await check(copy)).toEqual({ code: 0, output: '' });
  });
});
