/**
 * Writes what users can see of the programs into text files, one for each theme: help, limits, reasons, metrics, errors,
 * kinds, routes, the served API. They are read from loaded modules and started programs, not from source text, so that a
 * change of the code that changes none of these files has changed nothing for users. What golden files already contain is
 * listed with a hash. Build first.
 * Usage: node scripts/surface/main.mjs [directory], by default test/surface
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goldenFiles } from './golden.mjs';
import { kinds } from './kinds.mjs';
import { metrics } from './metrics.mjs';
import { programs } from './programs.mjs';
import { served } from './served.mjs';
import { tables } from './tables.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = resolve(process.argv[2] ?? join(root, 'test', 'surface'));

const themes = [programs, served, tables, metrics, kinds, goldenFiles];
const files = Object.assign({}, ...(await Promise.all(themes.map((theme) => theme(root)))));
mkdirSync(directory, { recursive: true });
for (const name of readdirSync(directory)) if (!(name in files)) rmSync(join(directory, name));
for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
