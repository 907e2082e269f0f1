/**
 * Fails on exports and files that nothing uses. What the entry points of packages export is used: it is public.
 * Usage: node scripts/check-exports.mjs [directory that holds packages/]
 */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow, Resolver, readModule } from './modules.mjs';

/** Returns every unused file and export below `root`, each as one readable line. */
export function findUnused(root) {
  const directories = ['packages', 'test', 'bench', 'scripts', 'examples'].filter((name) =>
    existsSync(join(root, name)),
  );
  const configurations = readdirSync(root).filter((name) => /\.config\.ts$/.test(name));
  const paths = [...filesBelow(root, directories), ...configurations];
  const modules = new Map(paths.map((path) => [path, readModule(root, path)]));
  const resolver = new Resolver(root, paths);
  const uses = new Uses(modules, resolver);
  const entries = resolver.packages.flatMap((name) => [...resolver.entriesOf(name), ...resolver.programsOf(name)]);
  for (const entry of entries) if (entry !== undefined) uses.add(entry, '*');
  for (const [path, { imports }] of modules) {
    for (const { from, name } of imports) {
      const target = resolver.resolve(path, from);
      if (target !== undefined && target !== path) uses.add(target, name);
    }
  }
  // Workers and programs of tests are started by their path, and what they export is for the processes that start them.
  const named = new Set(
    // The lists of defects name files too, but start none.
    [...modules]
      .filter(([path]) => !path.startsWith('scripts/mutants/'))
      .flatMap(([path, { texts }]) =>
        // Relative to the file, to the root, or to the packages.
        texts.flatMap((text) => [path, 'root', 'packages/x'].map((from) => resolver.resolve(from, `./${text}`))),
      ),
  );
  const isStarted = (path) => /\.test\.ts$|\/test\/worker\//.test(path) || named.has(path);
  return paths
    .filter((path) => path.startsWith('packages/') && !isStarted(path))
    .flatMap((path) => {
      if (!uses.hasFile(path)) return [`${path}: no file imports it`];
      const unused = modules.get(path).exports.filter(({ name }) => name !== '*' && !uses.has(path, name));
      return unused.map(({ name }) => `${path}: ${name} is exported, and no other file imports it`);
    });
}

/** Which names of which modules are imported, through all modules that export them again. */
class Uses {
  #modules;
  #resolver;
  #names = new Set();
  #files = new Set();

  constructor(modules, resolver) {
    this.#modules = modules;
    this.#resolver = resolver;
  }

  add(path, name) {
    const use = `${path} ${name}`;
    if (this.#names.has(use)) return;
    this.#names.add(use);
    this.#files.add(path);
    for (const found of this.#modules.get(path).exports) {
      const isWanted = name === '*' || found.name === '*' || found.name === name;
      if (!isWanted) continue;
      if (found.name !== '*') this.#names.add(`${path} ${found.name}`);
      if (found.from === undefined) continue;
      const target = this.#resolver.resolve(path, found.from);
      if (target !== undefined) this.add(target, found.name === '*' ? name : found.imported);
    }
  }

  has(path, name) {
    return this.#names.has(`${path} ${name}`);
  }

  hasFile(path) {
    return this.#files.has(path);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const unused = findUnused(resolve(process.argv[2] ?? '.'));
  for (const line of unused) console.error(line);
  if (unused.length > 0) process.exit(1);
}
