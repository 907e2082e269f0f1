/**
 * The table of sizes in ARCHITECTURE.md is true. It is rounded and compared with a tolerance, or every commit would have to
 * change it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readModule } from '../scripts/modules.mjs';
import { columns, sizes, sizeTable } from '../scripts/size.mjs';
import { readDocument, root } from './documents.kit.ts';

const partMax = 0.05;
const unitsMax = 2;
const path = 'ARCHITECTURE.md';

it(`${path} has the sizes of the packages, rounded`, () => {
  const page = readDocument(path);
  const found = /^\| \| files \|.*\n(?:\|.*\n)+/m.exec(page)?.[0] ?? '';
  expect(found).not.toBe('');
  const measured = sizes(root);
  if (process.env['GOLDEN'] === 'write') {
    writeFileSync(join(root, path), page.replace(found, sizeTable(measured, true)));
    return;
  }
  const rows = found.trimEnd().split('\n').map(cellsOf);
  const hint = 'GOLDEN=write npx vitest run test/size.test.ts writes the table';
  expect(rows[0], hint).toEqual(['', ...columns.map(({ name }) => name)]);
  expect(
    rows.slice(2).map(([name]) => name),
    hint,
  ).toEqual(measured.map(({ name }) => `\`${name}\``));
  const wrong = measured.flatMap(({ name, numbers }, row) =>
    columns.flatMap((column, index) => {
      const cell = rows[row + 2]?.[index + 1] ?? '';
      const actual = numbers[index];
      return isNear(cell, actual, column.unit) ? [] : [`${name}: ${column.name} ${actual}, not ${cell}`];
    }),
  );
  expect(wrong, [...wrong, hint].join('\n')).toEqual([]);
});

function cellsOf(line: string): readonly string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

function isNear(cell: string, actual: number | undefined, unit: number): boolean {
  if (actual === undefined) return cell === '';
  const shown = Number.parseInt(cell.replaceAll(',', ''), 10);
  return Math.abs(shown - actual) <= Math.max(actual * partMax, unit * unitsMax);
}

describe('a module', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ecsm-size-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const read = (...lines: string[]) => {
    writeFileSync(join(directory, 'module.ts'), lines.join('\n'));
    return readModule(directory, 'module.ts');
  };

  it('has lines that are comments, and lines of code, which may end with one', () => {
    const module = read(
      '/**',
      ' * Two lines,',
      ' */',
      '',
      'const a = 1; // one',
      '  // and',
      'const b = 2; /* a',
      'b */',
    );
    expect(module).toMatchObject({ codeLines: 2, commentLines: 5 });
  });

  it('has no comments in strings, templates and regular expressions', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a module.
    const template = ['const a = `', '// ${b ? `/*${c}` : {}}', '/* `;'];
    const module = read(...template, "const d = /[/*'`]/.test(e) / 2;", "const f = '// no';", '// yes');
    expect(module).toMatchObject({ codeLines: 5, commentLines: 1 });
  });

  it('exports what it declares, and what it exports again', () => {
    const { exports } = read(
      'export const a = 1;',
      'export async function* b() {}',
      'export abstract class C {}',
      'export interface D {}',
      'export type E = { export: 1 };',
      'export const { f, g: h } = i;',
      'export { j, type K, l as m };',
      "export { n } from './n.ts';",
      "export type * as o from './o.ts';",
      "export * from './p.ts';",
    );
    const own = exports.filter(({ from }: { from?: string }) => from === undefined);
    expect(own.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'C', 'D', 'E', 'f', 'h', 'j', 'K', 'm']);
    expect(exports.slice(own.length)).toMatchObject([
      { name: 'n', from: './n.ts', imported: 'n' },
      { name: 'o', from: './o.ts', imported: '*' },
      { name: '*', from: './p.ts' },
    ]);
  });

  it('imports names, members of a namespace, and what it takes from a dynamic import', () => {
    const { imports } = read(
      "import a, { type B, c as d } from './a.ts';",
      "import * as e from './e.ts';",
      "import './f.ts';",
      'e.g(e.h);',
      "const { i, j: k } = await import('./i.ts');",
      "(await import('./l.ts')).m();",
      "import('./n.ts').then(({ o }) => o);",
      "const load = () => import('./p.ts');",
      "type Q = import('./q.ts').R;",
    );
    expect(imports.map(({ from, name }: { from: string; name: string }) => `${from} ${name}`)).toEqual([
      ...['./a.ts default', './a.ts B', './a.ts c', './e.ts g', './e.ts h', './f.ts ', './i.ts i', './i.ts j'],
      ...['./l.ts m', './n.ts o', './p.ts *', './q.ts R'],
    ]);
  });
});
