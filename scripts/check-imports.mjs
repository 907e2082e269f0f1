/**
 * Fails on an import or a Node.js module that scripts/rooms.mjs does not allow.
 * Usage: node scripts/check-imports.mjs [directory that holds packages/]
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folders, harmless, rooms } from './rooms.mjs';

const scope = '@ecsm/';
const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*(['"])([^'"\n]+)\1/g;
/** The text before the module of an import of types alone. */
const typesPattern = /\b(?:import|export)\s+(?:type\s+[^;]*|\{(?:\s*type\s+[^,;}]+,?)+\s*\}\s*)$/;
const isTest = (file) => /\.(test|suite|kit)\.ts$/.test(file);

/** Returns every forbidden import below `root`, each as one readable line. */
export function findForbiddenImports(root) {
  const packages = join(root, 'packages');
  return readdirSync(packages)
    .map((name) => ({ name, source: join(packages, name, 'src') }))
    .filter(({ source }) => existsSync(source))
    .flatMap(({ name, source }) => filesBelow(source).flatMap((file) => check(root, name, source, file)));
}

function check(root, packageName, source, file) {
  const inside = relative(source, file).split(sep);
  const place = relative(root, file);
  // The public entry of the package, `index.ts`, may import from all of its folders.
  if (inside.length === 1)
    return inside[0] === 'index.ts' ? [] : [`${place}: only index.ts may be outside a folder of src`];
  const from = `${packageName}/${inside[0]}`;
  const rule = rooms[from];
  if (!rule) return [`${place}: ${from} is not in scripts/rooms.mjs`];
  const text = readFileSync(file, 'utf8');
  const wrong = [];
  for (const { 2: target, index } of text.matchAll(importPattern)) {
    const isType = typesPattern.test(text.slice(text.lastIndexOf(';', index) + 1, index));
    const problem = checkImport(from, rule, target, source, file, isType);
    if (problem) wrong.push(`${place}:${text.slice(0, index).split('\n').length}: ${problem}`);
  }
  // The linter can forbid a global, but not one of its methods.
  const call = text.indexOf('Math.random(');
  if (call !== -1 && from !== 'runtime/ports' && !isTest(file)) {
    wrong.push(
      `${place}:${text.slice(0, call).split('\n').length}: use the Random port (ports/random.ts), not Math.random`,
    );
  }
  return wrong;
}

function checkImport(from, rule, target, source, file, isType) {
  if (target.startsWith('node:')) {
    const module = target.split('/')[0];
    if (isTest(file) || harmless.includes(module) || rule.doors?.includes(module)) return undefined;
    return `${from} may not use ${target}`;
  }
  if (target.startsWith(scope)) {
    const name = target.slice(scope.length).split('/')[0];
    const other = folders[name] ?? name;
    return rule.imports.includes(other) || isTest(file) ? undefined : `${from} may not import from ${other}`;
  }
  if (!target.startsWith('.')) {
    if (isTest(file) || rule.libraries?.includes(target)) return undefined;
    return `${from} may not use the library ${target}`;
  }
  const inside = relative(source, resolve(dirname(file), target)).split(sep);
  if (inside[0] === '..') return `${from} may not import from another package by path: ${target}`;
  if (inside.length === 1) return `${from} may not import the public entry of its package: ${target}`;
  const to = `${from.split('/')[0]}/${inside[0]}`;
  const allowed = [from, ...rule.imports, ...(isTest(file) ? (rule.tests ?? []) : [])];
  if (allowed.includes(to) || (isType && rule.types?.includes(to))) return undefined;
  const what = rule.types?.includes(to) ? 'import values' : 'import';
  return `${from} may not ${what} from ${to}: ${target}`;
}

function filesBelow(directory) {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    if (statSync(path).isDirectory()) return filesBelow(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wrong = findForbiddenImports(resolve(process.argv[2] ?? '.'));
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) process.exit(1);
}
