/**
 * A random sample of generated defects: every operator and every area has the same share, as far as it has enough sites.
 * Defects that do not compile are replaced by others, because `make build` rejects them. The order of the sites is a hash
 * of the seed and the defect, so a change of one file leaves the sample of the others as it was.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operators, sitesOf } from './operators.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const service = 'packages/etcd-operator/src/service';
const manager = 'packages/runtime/src/manager';

/** What data and access depend on: the areas of a sample that names none. */
export const areas = {
  store: ['packages/runtime/src/store'],
  registry: ['packages/runtime/src/registry'],
  auth: ['packages/apiserver/src/auth'],
  election: ['election', 'election-times', 'elected', 'lease', 'lease-lock', 'observation', 'term'].map(
    (name) => `${manager}/${name}.ts`,
  ),
  membership: [
    ...['next-action.ts', 'rule.ts', 'scaling', 'recovery', 'health', 'cluster'].map((name) => `${service}/${name}`),
    'packages/etcd-operator/src/resource/volumes.ts',
  ],
};

/**
 * A defect. `find` are the lines that it changes, `replace` the same lines with the defect, `text` the whole file with it.
 * `within` is the innermost function around it, as in operators.mjs.
 * @typedef {{ area: string, operator: string, file: string, line: number, find: string, replace: string, text: string, within: number | undefined }} Generated
 */

/**
 * @param {import('./compiler.mjs').Compiler} compiler
 * @param {{ seed: number, count: number, of?: string }} options `of` are areas, packages or paths, separated by commas
 * @returns {Generated[]} at most one for each line and operator
 */
export function sample(compiler, { seed, count, of }) {
  const chosenAreas = selected(of);
  const keys = operators.flatMap((operator) => Object.keys(chosenAreas).map((area) => `${operator} ${area}`));
  const waiting = new Map(keys.map((key) => [key, []]));
  for (const [area, paths] of Object.entries(chosenAreas)) {
    for (const file of paths.flatMap(sourcesBelow)) {
      const tree = compiler.sourceFile(file);
      for (const site of sitesOf(tree))
        waiting.get(`${site.operator} ${area}`).push(defect(area, file, tree.text, site));
    }
  }
  const rank = ({ operator, file, find, replace }) =>
    createHash('sha256').update([seed, operator, file, find, replace].join('\n')).digest('hex');
  for (const [key, defects] of waiting) {
    const ranked = defects.map((one) => ({ one, rank: rank(one) })).sort((a, b) => (a.rank < b.rank ? -1 : 1));
    waiting.set(
      key,
      ranked.map(({ one }) => one),
    );
  }
  /** @type {Map<string, Generated>} */
  const chosen = new Map();
  while (chosen.size < count && keys.some((key) => waiting.get(key).length > 0)) {
    for (const key of keys) if (chosen.size < count) choose(compiler, waiting.get(key), chosen);
  }
  return [...chosen.values()];
}

function choose(compiler, defects, chosen) {
  for (let next = defects.shift(); next !== undefined; next = defects.shift()) {
    const place = `${next.operator} ${next.file}:${next.line}`;
    if (chosen.has(place) || !compiler.compiles(next.file, next.text)) continue;
    chosen.set(place, next);
    return;
  }
}

/** @returns {Generated} */
function defect(area, file, original, { operator, start, end, text, within }) {
  const from = original.lastIndexOf('\n', start - 1) + 1;
  const to = original.indexOf('\n', end);
  const line = original.slice(0, from).split('\n').length;
  return {
    area,
    operator,
    file,
    line,
    find: original.slice(from, to),
    replace: original.slice(from, start) + text + original.slice(end, to),
    text: original.slice(0, start) + text + original.slice(end),
    within,
  };
}

/** The paths of each selected area. Packages and paths are areas of their own. */
function selected(of) {
  if (of === undefined) return areas;
  return Object.fromEntries(
    of.split(',').map((name) => {
      const paths = areas[name] ?? [existsSync(join(root, 'packages', name)) ? `packages/${name}/src` : name];
      const missing = paths.find((path) => !existsSync(join(root, path)));
      if (missing !== undefined) throw new Error(`OF=${name}: ${missing} does not exist`);
      return [name, paths];
    }),
  );
}

/** Product files: no tests, and no index, which only exports. */
function sourcesBelow(path) {
  if (statSync(join(root, path)).isDirectory()) {
    return readdirSync(join(root, path))
      .sort()
      .flatMap((name) => sourcesBelow(`${path}/${name}`));
  }
  return /\.ts$/.test(path) && !/\.(test|suite|kit)\.ts$|\/index\.ts$/.test(path) ? [path] : [];
}
