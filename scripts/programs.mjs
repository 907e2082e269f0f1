/**
 * Makes the programs that bin/ launches: each one file, and what they share beside it, below dist/programs. A program of
 * one file starts in half the time of one of two hundred. What is not JavaScript stays where npm has put it. Build first.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { lmdbPlugin } from './lmdb-plugin.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = join(root, 'dist', 'programs');

/** The name of each program, and what it is made of. */
const programs = {
  'ecsm-operator': 'packages/ecsm-operator/dist/program/main.js',
  'ecsm-sim': 'packages/ecsm-simulator/dist/program/main.js',
};

/** The library for this machine and this Node, from the package that npm has chosen. */
const loader = `
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

export default function load() {
  return require('node-gyp-build-optional-packages')(join(dirname(require.resolve('lmdb')), '..'));
}
`;

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: programs,
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.15',
  plugins: [lmdbPlugin(loader)],
  // The same library as modules: of CommonJS, a part that is loaded later would only have the default.
  alias: { yaml: join(root, 'node_modules', 'yaml', 'browser', 'index.js') },
  define: { __ECSM_VERSION__: JSON.stringify(version) },
  // CommonJS inside it asks for modules of Node with `require`, which modules do not have.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
  write: false,
});

// Somebody may be starting one of them just now: what is right stays untouched, and what is not is replaced whole.
mkdirSync(outdir, { recursive: true });
for (const { path, contents } of outputFiles) {
  if (existsSync(path) && readFileSync(path).equals(contents)) continue;
  writeFileSync(`${path}.new`, contents);
  renameSync(`${path}.new`, path);
}
const made = new Set(outputFiles.map(({ path }) => basename(path)));
for (const name of readdirSync(outdir)) if (!made.has(name)) rmSync(join(outdir, name));
