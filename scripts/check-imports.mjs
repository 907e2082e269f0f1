/**
 * Fails on an import that points up or sideways between packages and rooms, and on a Node module used outside its door.
 * Usage: node scripts/check-imports.mjs [directory that holds packages/]
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folders, harmless, rooms } from './rooms.mjs';

const scope = '@ecsm/';
const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*(['"])([^'"\n]+)\1/g;
const isTest = (file) => /\.(test|suite|kit)\.ts$/.test(file);

/** Every wrong import below `root`, each as one readable line. */
export function findWrongImports(root) {
  const packages = join(root, 'packages');
  return readdirSync(packages)
    .map((name) => ({ name, source: join(packages, name, 'src') }))
    .filter(({ source }) => existsSync(source))
    .flatMap(({ name, source }) => filesBelow(source).flatMap((file) => check(root, name, source, file)));
}

function check(root, packageName, source, file) {
  const inside = relative(source, file).split(sep);
  const place = relative(root, file);
  // The package's public face, `index.ts`, may name any of its rooms.
  if (inside.length === 1) return inside[0] === 'index.ts' ? [] : [`${place}: only index.ts may stand outside a room`];
  const from = `${packageName}/${inside[0]}`;
  const rule = rooms[from];
  if (!rule) return [`${place}: the room ${from} is not in scripts/rooms.mjs`];
  const text = readFileSync(file, 'utf8');
  const wrong = [];
  for (const { 2: target, index } of text.matchAll(importPattern)) {
    const problem = judge(from, rule, target, source, file);
    if (problem) wrong.push(`${place}:${text.slice(0, index).split('\n').length}: ${problem}`);
  }
  // The linter can forbid a global, but not one of its methods.
  const chance = text.indexOf('Math.random(');
  if (chance !== -1 && from !== 'runtime/ports' && !isTest(file)) {
    wrong.push(
      `${place}:${text.slice(0, chance).split('\n').length}: chance comes through the Random port (ports/random.ts)`,
    );
  }
  return wrong;
}

function judge(from, rule, target, source, file) {
  if (target.startsWith('node:')) {
    const door = target.split('/')[0];
    if (isTest(file) || harmless.includes(door) || rule.doors?.includes(door)) return undefined;
    return `${from} may not use ${target}: it is not one of its doors`;
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
  if (inside[0] === '..') return `${from} may not reach into another package by path: ${target}`;
  if (inside.length === 1) return `${from} may not import its package's public face: ${target}`;
  const to = `${from.split('/')[0]}/${inside[0]}`;
  const allowed = [from, ...rule.imports, ...(isTest(file) ? (rule.tests ?? []) : [])];
  return allowed.includes(to) ? undefined : `${from} may not import from ${to}: ${target}`;
}

function filesBelow(directory) {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    if (statSync(path).isDirectory()) return filesBelow(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wrong = findWrongImports(resolve(process.argv[2] ?? '.'));
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) process.exit(1);
}
