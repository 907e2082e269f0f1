/**
 * Prints the size of the packages as a table in Markdown. Only source files count, not those of tests (`*.test.ts`).
 * Usage: node scripts/size.mjs
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow, Resolver, readModule } from './modules.mjs';

/** What is counted, with the unit to which the table of ARCHITECTURE.md rounds. Code is lines, neither blank nor comment. */
export const columns = [
  { name: 'files', unit: 10 },
  { name: 'code', unit: 100 },
  { name: 'comments', unit: 1, suffix: ' %' },
  { name: 'exports', unit: 10 },
  { name: 'public names', unit: 5 },
  { name: 'kits', unit: 100 },
  { name: 'suites', unit: 100 },
];

/** @returns {readonly { name: string, numbers: readonly (number | undefined)[] }[]} one row for each part, with the numbers of `columns` */
export function sizes(root) {
  const names = readdirSync(join(root, 'packages')).sort();
  const paths = filesBelow(root, ['packages', 'scripts', 'bench']).filter((path) => !path.endsWith('.test.ts'));
  const modules = new Map(paths.map((path) => [path, readModule(root, path)]));
  const resolver = new Resolver(root, paths);
  const all = [...modules.values()];
  const below = (directory) => all.filter(({ path }) => path.startsWith(`${directory}/`));
  const rows = names.map((name) => ({
    name: `packages/${name}`,
    numbers: numbersOf(below(`packages/${name}/src`), publicNames(resolver.entriesOf(name), modules, resolver).size),
  }));
  const total = numbersOf(names.flatMap((name) => below(`packages/${name}/src`)));
  total[4] = rows.reduce((sum, { numbers }) => sum + numbers[4], 0);
  const others = {
    'packages/*/test': names.flatMap((name) => below(`packages/${name}/test`)),
    scripts: below('scripts'),
    bench: below('bench'),
  };
  return [
    ...rows,
    { name: 'all packages', numbers: total },
    ...Object.entries(others).map(([name, found]) => ({ name, numbers: numbersOf(found) })),
  ];
}

function numbersOf(modules, publicCount) {
  const kits = modules.filter(({ path }) => path.endsWith('.kit.ts'));
  const suites = modules.filter(({ path }) => path.endsWith('.suite.ts'));
  const sources = modules.filter((one) => !kits.includes(one) && !suites.includes(one));
  const sum = (of, key) => of.reduce((lines, one) => lines + one[key], 0);
  const [code, comments] = [sum(sources, 'codeLines'), sum(sources, 'commentLines')];
  return [
    sources.length,
    code,
    Math.round((100 * comments) / (code + comments)),
    sources.reduce((count, one) => count + one.exports.filter(({ from }) => from === undefined).length, 0),
    publicCount,
    sum(kits, 'codeLines'),
    sum(suites, 'codeLines'),
  ];
}

/** The names that the entry points of a package export. A namespace is one name. */
function publicNames(entries, modules, resolver, seen = new Set()) {
  const names = new Set();
  for (const entry of entries) {
    if (entry === undefined || seen.has(entry)) continue;
    seen.add(entry);
    for (const { name, from } of modules.get(entry).exports) {
      if (name !== '*') names.add(name);
      else for (const one of publicNames([resolver.resolve(entry, from)], modules, resolver, seen)) names.add(one);
    }
  }
  return names;
}

/** @param {boolean} isRounded whether numbers are rounded to the units of their columns */
export function sizeTable(rows, isRounded) {
  const cell = (value, { unit, suffix = '' }) => {
    if (value === undefined) return '';
    return `${(isRounded ? Math.round(value / unit) * unit : value).toLocaleString('en-US')}${suffix}`;
  };
  const lines = rows.map(({ name, numbers }) => [
    `\`${name}\``,
    ...columns.map((column, index) => cell(numbers[index], column)),
  ]);
  const head = ['', ...columns.map(({ name }) => name)];
  const text = (cells) => `| ${cells.join(' | ')} |`.replace(/\| {2}(?=\|)/g, '| ');
  return [text(head), `|---|${'---:|'.repeat(columns.length)}`, ...lines.map(text), ''].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(sizeTable(sizes(fileURLToPath(new URL('..', import.meta.url))), false));
}
