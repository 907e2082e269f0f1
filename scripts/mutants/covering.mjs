/**
 * Which tests execute a function: the tests beside the code of one package, nearest first. A test file runs once with
 * every function of the product marked; what it reached is stored under a hash of all sources that it imports, so it runs
 * again only after a change of one of them. This is also the proof that it passes without a defect.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folders } from '../rooms.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = join(root, 'node_modules/.cache/mutants/reached');
const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*(['"])([^'"\n]+)\1/g;
/** Tests that run with marks at once: an interrupted run loses no more than these. */
const batchMax = 8;
const batchMsMax = 900_000;

export class Covering {
  #lane;
  #graph = importGraph();
  /** @type {Map<string, { passed: number, failed?: string, ms: number, reached: Record<string, number[]> }>} */
  #known = new Map();
  #hashes = new Map();

  /** @param {import('./lanes.mjs').Lane} lane runs tests with marks */
  constructor(lane) {
    this.#lane = lane;
  }

  /** The tests of the package that import the file, in groups: its own, those of its folder, and the others. */
  groups(file) {
    const near = distances(this.#graph, file);
    const own = file.replace(/\.ts$/, '.test.ts');
    const inPackage = file.split('/').slice(0, 2).join('/');
    const tests = [...near.keys()].filter((one) => one.endsWith('.test.ts') && one.startsWith(`${inPackage}/src/`));
    const rank = (test) => (test === own ? 0 : dirname(test) === dirname(file) ? 1 : 2);
    const ordered = tests.sort((one, other) => near.get(one) - near.get(other) || (one < other ? -1 : 1));
    return [0, 1, 2]
      .map((wanted) => ordered.filter((test) => rank(test) === wanted))
      .filter(({ length }) => length > 0);
  }

  /** Hash of a test file and of everything that it imports; with `isTestOnly`, of what only tests import. */
  hash(test, isTestOnly = false) {
    const key = `${test} ${isTestOnly}`;
    if (!this.#hashes.has(key)) {
      const hash = createHash('sha256');
      const files = [...closure(this.#graph, test)].filter((file) => !isTestOnly || isOfTests(file));
      for (const file of files.sort()) hash.update(`${file}\n${this.#graph.get(file).hash}\n`);
      this.#hashes.set(key, hash.digest('hex').slice(0, 32));
    }
    return this.#hashes.get(key);
  }

  /**
   * Those of the tests that execute the function, or, at the top of a module, any function of the file. A module without
   * functions is executed by all that import it.
   */
  async reaching(tests, { file, within }) {
    await this.#run(tests.filter((test) => this.#of(test) === undefined));
    const isWithoutFunctions = [...this.#known.values()].every(({ reached }) => reached[file] === undefined);
    return tests.filter((test) => {
      const found = this.#of(test).reached[file];
      return within === undefined ? isWithoutFunctions || found !== undefined : found?.includes(within);
    });
  }

  /** How the test ended without a defect. It ran before. */
  baseline(test) {
    return this.#of(test);
  }

  #of(test) {
    const path = join(directory, `${this.hash(test)}.json`);
    if (!this.#known.has(test) && existsSync(path)) this.#known.set(test, JSON.parse(readFileSync(path, 'utf8')));
    return this.#known.get(test);
  }

  async #run(tests) {
    for (let begin = 0; begin < tests.length; begin += batchMax) {
      const batch = tests.slice(begin, begin + batchMax);
      const { results = {}, failed } = await this.#lane.run(
        { tests: batch.map((test) => join(root, test)) },
        batchMsMax,
      );
      for (const test of batch) {
        const result = results[test] ?? { passed: 0, failed: failed ?? 'it did not run', ms: 0, reached: {} };
        this.#known.set(test, result);
        if (result.failed !== undefined) {
          console.log(`not used: ${test} fails without a defect: ${result.failed.split('\n')[0]}`);
          continue;
        }
        mkdirSync(directory, { recursive: true });
        writeFileSync(join(directory, `${this.hash(test)}.json`), JSON.stringify(result));
      }
    }
  }
}

const isOfTests = (file) => /\.(test|suite|kit)\.ts$/.test(file);

/** All files of packages by path, with what they import. */
function importGraph() {
  const graph = new Map();
  for (const name of readdirSync(join(root, 'packages'))) {
    for (const file of filesBelow(`packages/${name}`)) {
      const text = readFileSync(join(root, file), 'utf8');
      const targets = [...text.matchAll(importPattern)].flatMap(({ 2: target }) => resolved(file, target) ?? []);
      graph.set(file, { imports: new Set(targets), hash: createHash('sha256').update(text).digest('hex') });
    }
  }
  for (const { imports } of graph.values()) for (const one of imports) if (!graph.has(one)) imports.delete(one);
  return graph;
}

function resolved(file, target) {
  if (target.startsWith('.')) return join(dirname(file), target);
  if (!target.startsWith('@ecsm/')) return undefined;
  const [name, ...path] = target.slice('@ecsm/'.length).split('/');
  const folder = `packages/${folders[name] ?? name}`;
  const { exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  // What has no entry is for tests only.
  const entry = exports?.[['.', ...path].join('/')]?.default ?? './dist/index.js';
  return join(folder, entry.replace('/dist/', '/src/').replace(/\.js$/, '.ts'));
}

function closure(graph, file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const one of graph.get(file).imports) closure(graph, one, found);
  return found;
}

/** The number of imports between each file that depends on this one and it. */
function distances(graph, file) {
  const found = new Map([[file, 0]]);
  for (let level = [file], distance = 1; level.length > 0; distance++) {
    const isNext = ([one, { imports }]) => !found.has(one) && level.some((target) => imports.has(target));
    level = [...graph].filter(isNext).map(([one]) => one);
    for (const one of level) found.set(one, distance);
  }
  return found;
}

function filesBelow(path) {
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    if (['dist', 'node_modules'].includes(entry.name)) return [];
    if (entry.isDirectory()) return filesBelow(`${path}/${entry.name}`);
    return entry.name.endsWith('.ts') ? [`${path}/${entry.name}`] : [];
  });
}
