/**
 * Goal: the documents are correct. Method: their examples are run and the output is compared, their tables are compared
 * with the code, and their links are checked.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogue, MetricRegistry, standardMetrics } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { flagMeaningOf, flagsOf, flagUsageOf } from '../packages/command-line/src/command/usage.ts';
import { controlRoutes } from '../packages/ecsm-simulator/src/control/control.ts';
import { healthyLink } from '../packages/ecsm-simulator/src/link/settings.ts';
import { behaviourChoices, profiles } from '../packages/ecsm-simulator/src/platform/behaviour.ts';
import { program } from '../packages/ecsm-simulator/src/program/program.ts';
import { rooms } from '../scripts/rooms.mjs';
import {
  blocksOf,
  filledIn,
  normalised,
  quotationsIn,
  readDocument,
  relativeLinksIn,
  root,
  run,
  runMsMax,
  runPage,
  type Shown,
  shownIn,
  tableBelow,
  typeErrorsIn,
} from './documents.kit.ts';
import { metricRows } from './tables.kit.ts';

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'examples/controller/README.md',
];
const pagesWithExamples = documents.filter((path) => path === 'README.md' || path.includes('/'));
/** A page of a project, which is run in a copy of it. */
const projectOf = (path: string) => (path.startsWith('examples/') ? dirname(path) : undefined);

/** Pages wait for real deployments, and the first one for a build. */
const pageMsMax = 2 * runMsMax;

const isMake = ({ is, text }: Shown) => is === 'command' && text.startsWith('make ');

const made = new Map<string, ReturnType<typeof run>>();

/** Many pages start with `make build`, which is run once. Installed modules are not changed: other tests use them. */
function make(command: string): ReturnType<typeof run> {
  const [, ...targets] = command.split(' ');
  const running = made.get(command) ?? run('make', ['-o', 'node_modules/.package-lock.json', ...targets]);
  made.set(command, running);
  return running;
}

function compare(path: string, { line, output }: Shown, actual: string, directory?: string): void {
  const shown = normalised(output, directory);
  const found = normalised(actual, directory);
  expect(found, `${path}:${line}`).toBe(filledIn(shown, found));
}

const examples = pagesWithExamples.map((path) => ({ path, shown: shownIn(readDocument(path)) }));

describe.each(examples.filter(({ shown }) => !shown.every(isMake)))('$path', ({ path, shown }) => {
  it(
    'shows programs that run, with their output',
    async () => {
      const program = shown.filter((one) => !isMake(one));
      const { code, output, outputs, directory } = await runPage(program, projectOf(path));
      expect(code, output).toBe(0);
      for (const [index, one] of program.entries()) compare(path, one, outputs[index] ?? '', directory);
    },
    pageMsMax,
  );
});

describe.each(examples.filter(({ shown }) => shown.some(isMake)))('$path', ({ path, shown }) => {
  it(
    'shows commands that run, with their output',
    async () => {
      for (const one of shown.filter(isMake)) {
        const { code, output } = await make(one.text);
        expect(code, output).toBe(0);
        compare(path, one, output);
      }
    },
    pageMsMax,
  );
});

describe('the programs of all documents', () => {
  it('compile in TypeScript', async () => {
    const errors = await typeErrorsIn(Object.fromEntries(documents.map((path) => [path, readDocument(path)])));
    expect(errors).toEqual([]);
  });

  it('are reported with their page and line if they do not', async () => {
    const first = ['# Page', '', '```js', 'const port = 1;', '```', ''];
    const second = ['```ts', 'console.log(port);', 'const name: string = port;', '```', ''];
    const document = [...first, ...second].join('\n');
    const found = await typeErrorsIn({ 'docs/page.md': document });
    expect(found).toEqual([expect.stringMatching(/^docs\/page\.md:9: TS2322: .*'number'/)]);
  });
});

describe('the comparison of outputs', () => {
  it('matches … with any lines, and nothing else', () => {
    expect(filledIn('a\n…\nd', 'a\nb\nc\nd')).toBe('a\nb\nc\nd');
    expect(filledIn('a\n…\nd', 'a\nd')).toBe('a\nd');
    expect(filledIn('…\nd\n…', 'b\nd\nc')).toBe('b\nd\nc');
    expect(filledIn('…\nd\n…', 'd')).toBe('d');
    expect(filledIn('a\n…', 'ab')).toBe('a\n…');
    expect(filledIn('a\n…\nd', 'a\nb\nc\ne')).toBe('a\n…\nd');
    expect(filledIn('a\n…\nd', 'a\nb d')).toBe('a\n…\nd');
    expect(filledIn('a.c', 'abc')).toBe('a.c');
  });

  it('ignores values that differ from run to run', () => {
    const one = 'uid 03f33b95-04bc-4ef0-9deb-4c642b584e03 at 2026-01-02T03:04:05Z after   1.5 ms, process 12';
    const two = 'uid 13f33b95-04bc-4ef0-9deb-4c642b584e03 at 2027-01-02T03:04:05Z after 122.5 ms, process 4711';
    expect(normalised(one)).toBe(normalised(two));
    expect(normalised('version 1')).not.toBe(normalised('version 2'));
    expect(normalised('telemetry   3s    ready (3s ago)')).toBe(normalised('telemetry   1m12s   ready (12s ago)'));
    expect(normalised('waiting for "x" (1 s of 60 s): 1 of 2 is ready\ndone')).toBe('done');
    expect(normalised('waiting for the end')).not.toBe('');
  });
});

describe('the Chinese README', () => {
  it('has the code and output of the English one, and the same tables', () => {
    const [english, chinese] = ['README.md', 'README.zh-CN.md'].map(readDocument) as [string, string];
    const content = (document: string) => blocksOf(document).map(({ language, text }) => ({ language, text }));
    expect(content(chinese)).toEqual(content(english));
    const names = (document: string) => [...document.matchAll(/^\| (`[^|]*`)? *\|/gm)].map(([, name]) => name);
    expect(names(chinese)).toEqual(names(english));
  });

  it('is linked from the English one at the top, and links back', () => {
    const top = (path: string) => readDocument(path).split('\n').slice(0, 4).join('\n');
    expect(top('README.md')).toContain('](README.zh-CN.md)');
    expect(top('README.zh-CN.md')).toContain('](README.md)');
  });
});

describe('docs/errors.md', () => {
  it('lists exactly the errors of the catalogue', () => {
    const rows = Object.entries(catalogue).map(([code, { status, retry, when }]) => [
      code,
      String(status),
      retry,
      when,
    ]);
    expect(tableBelow(readDocument('docs/errors.md'), '## Codes')).toEqual(rows);
  });
});

describe('docs/runtime.md', () => {
  it('lists exactly the standard metrics with their types and labels', () => {
    const registry = new MetricRegistry();
    const { controller, queue, eventsDropped, leader } = standardMetrics(registry);
    controller('x');
    queue('x');
    eventsDropped('x');
    leader('x');
    expect(tableBelow(readDocument('docs/runtime.md'), '### Metrics').sort()).toEqual(metricRows(registry).sort());
  });
});

describe('docs/simulator.md', () => {
  const page = readDocument('docs/simulator.md');
  const columns = (heading: string, count: number) => tableBelow(page, heading).map((row) => row.slice(0, count));
  const { likely, contrary, instant } = profiles;

  it('lists exactly the options of the program with their help', () => {
    const rows = flagsOf(program, []).map((flag) => [flagUsageOf(flag), flagMeaningOf(flag)]);
    expect(tableBelow(page, '## Options')).toEqual(rows);
  });

  it('lists exactly the calls of the control API', () => {
    const rows = controlRoutes.map(({ method, path, does, body }) => [
      method,
      path,
      does,
      body ? JSON.stringify(body) : '',
    ]);
    expect(tableBelow(page, '## Break things')).toEqual(rows);
  });

  it('lists exactly the settings of the link with their defaults', () => {
    const rows = Object.entries(healthyLink).map(([name, value]) => [name, String(value)]);
    expect(columns('## Faults of the link', 2)).toEqual(rows);
  });

  it('lists exactly the switches with their values, their default and the contrary one', () => {
    const timings = tableBelow(page, '### Timings').map(([name]) => name);
    const rows = (Object.keys(likely) as (keyof typeof likely)[])
      .filter((name) => !timings.includes(name))
      .map((name) => {
        const values = behaviourChoices[name]?.join(', ') ?? 'a number';
        return [name, values, String(likely[name]), String(contrary[name])];
      });
    expect(columns('## Switches', 4)).toEqual(rows);
  });

  it('lists timings with their values in every profile', () => {
    const rows = (Object.keys(likely) as (keyof typeof likely)[])
      .filter((name) => /(Ms|PerSecond)$/.test(name))
      .map((name) => [name, likely[name], contrary[name], instant[name]].map(String));
    expect(columns('### Timings', 4)).toEqual(rows);
  });

  it('describes each of them', () => {
    const tables = ['## Options', '## Break things', '## Faults of the link', '## Switches', '### Timings'];
    const undescribed = tables.flatMap((heading) =>
      tableBelow(page, heading).filter((row) => (heading === '## Break things' ? row[2] : row.at(-1)) === ''),
    );
    expect(undescribed).toEqual([]);
  });
});

interface Room {
  readonly imports: readonly string[];
  readonly types?: readonly string[];
  readonly doors?: readonly string[];
}

describe('ARCHITECTURE.md', () => {
  it('lists the folders of scripts/rooms.mjs; GOLDEN=write updates the table', () => {
    const page = readDocument('ARCHITECTURE.md');
    const table = ['| package | rooms: what they may import | Node.js modules |', '|---|---|---|', ...roomRows()].join(
      '\n',
    );
    const written = page.replace(/^\| package \| rooms.*\n(?:\|.*\n)+/m, `${table}\n`);
    expect(written).toContain(table);
    if (process.env['GOLDEN'] === 'write') writeFileSync(join(root, 'ARCHITECTURE.md'), written);
    else expect(page).toBe(written);
  });
});

describe('the table of components of the etcd operator in ARCHITECTURE.md', () => {
  const layers = ['controller', 'service', 'resource', 'client'];
  const rows = tableBelow(readDocument('ARCHITECTURE.md'), '## The etcd operator');

  it('names all 21 of its design', () => {
    expect(rows).toHaveLength(21);
  });

  it.each(rows)('finds %s (%s) by name, and tests of it: %s %s', (component = '', _, file = '', tests = '') => {
    const name = component.replaceAll('`', '');
    const [path = '', test = ''] = [file, tests].map((link) => /\((.*)\)$/u.exec(link)?.[1] ?? '');
    expect(layers).toContain(path.split('/')[3]);
    const source = readFileSync(join(root, path), 'utf8');
    expect(source).toMatch(new RegExp(`^export (?:class|interface|function|const) ${name}\\b`, 'mu'));
    expect(readFileSync(join(root, test), 'utf8')).toMatch(/\bit(?:\.each)?\(/u);
  });

  it('finds the four functions of ScalingService', () => {
    const source = readFileSync(join(root, 'packages/etcd-operator/src/service/scaling/scaling.ts'), 'utf8');
    for (const name of ['scaleUp', 'scaleDown', 'scaleToZero', 'restartFromZero']) {
      expect(source).toMatch(new RegExp(`^function ${name}\\(`, 'mu'));
    }
  });
});

/** One row for each package; in a cell, one line for each room. Rooms of the same package are named without it. */
function roomRows(): string[] {
  const all = Object.entries<Room>(rooms);
  const packages = new Set(all.map(([room]) => packageOf(room)));
  return [...packages].map((name) => {
    const own = all.filter(([room]) => packageOf(room) === name);
    const short = (room: string) => `\`${room.replace(`${name}/`, '').replace(/^node:/, '')}\``;
    const line = (room: string, names: readonly string[]) => `${short(room)}: ${names.map(short).join(', ')}`;
    const imports = own.map(([room, { imports, types = [] }]) => {
      const of = types.length === 0 ? '' : `; types of ${types.map(short).join(', ')}`;
      return `${imports.length === 0 ? short(room) : line(room, imports)}${of}`;
    });
    const modules = own.flatMap(([room, { doors = [] }]) => (doors.length === 0 ? [] : [line(room, doors)]));
    return `| \`${name}\` | ${imports.join('<br>')} | ${modules.join('<br>')} |`.replace(/\| {2}\|$/, '| |');
  });
}

function packageOf(room: string): string {
  return room.replace(/\/.*/, '');
}

describe('docs/libraries.md', () => {
  it('names exactly the dependencies with their versions and licences', () => {
    const wanted = manifests()
      .flatMap(({ dependencies, optionalDependencies, devDependencies }) =>
        Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies }),
      )
      .filter(([name]) => !name.startsWith('@ecsm/'))
      .map(([name, version]) => `${name} ${version} ${licenceOf(name)}`);
    const rows = tableBelow(readDocument('docs/libraries.md'), '## Libraries');
    const found = rows.map(([name, version, licence]) => `${name} ${version} ${licence}`);
    expect(found.sort()).toEqual([...new Set(wanted)].sort());
    expect(rows.filter((cells) => cells.length !== 6 || cells.includes(''))).toEqual([]);
  });
});

interface PackageManifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Of the workspace, its packages and the benchmark. */
function manifests(): PackageManifest[] {
  const folders = ['.', 'bench', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)];
  return folders
    .map((folder) => join(root, folder, 'package.json'))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')));
}

function licenceOf(name: string): string {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).license;
}

describe.each(documents)('%s', (path) => {
  const document = readDocument(path);

  it('links to files that exist', () => {
    const broken = relativeLinksIn(document).filter((target) => !existsSync(join(root, dirname(path), target)));
    expect(broken).toEqual([]);
  });

  it('quotes files as they are', () => {
    const others = quotationsIn(document).filter(({ path: file, text }) => !readDocument(file).includes(text));
    expect(others).toEqual([]);
  });

  it('links to headings that exist', () => {
    const anchors = [...document.matchAll(/\]\(([^)\s#:]*)#([^)\s]+)\)/g)].map(([, file = '', anchor = '']) => {
      const target = file === '' ? path : join(dirname(path), file);
      return { anchor, exists: headingsOf(readDocument(target)).includes(anchor) };
    });
    expect(anchors.filter(({ exists }) => !exists)).toEqual([]);
  });

  it('names only targets that the Makefile has', () => {
    const targets = [...readFileSync(join(root, 'Makefile'), 'utf8').matchAll(/^([a-z-]+):/gm)].map(([, name]) => name);
    const named = [...document.matchAll(/(?:`|\$ )make ([a-z-]+)/g)].map(([, name]) => name);
    expect(named.filter((name) => !targets.includes(name))).toEqual([]);
  });
});

/** Anchors as on GitHub: lower case, words joined by hyphens, no punctuation. */
function headingsOf(document: string): string[] {
  return [...document.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}
