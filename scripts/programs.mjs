/**
 * Bundles the programs that bin/ launches into dist/programs. A single file starts in half the time of 200 files. Native
 * libraries stay where npm has installed them. Build first.
 *
 * Long-running programs are modules, with a chunk for what they load only if it is needed. Each is bundled by itself: a chunk
 * of several programs would contain what any of them needs. Command-line tools, whose start time matters, are one script
 * each, with a code cache (bin/launch.cjs). So is the agent of the etcd operator, which runs one job.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { warmUpAgent } from './agent-warm-up.mjs';
import { builtinsPlugin } from './builtins-plugin.mjs';
import { sqlitePlugin } from './sqlite-plugin.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = join(root, 'dist', 'programs');

/** The name and the entry point of each program. */
const programs = {
  'ecsm-operator': 'packages/ecsm-operator/dist/program/main.js',
  'ecsm-apiserver': 'packages/ecsm-operator/dist/program/apiserver-main.js',
  'etcd-operator': 'packages/etcd-operator/dist/program/main.js',
  'ecsm-sim': 'packages/ecsm-simulator/dist/program/main.js',
};
const tools = {
  ecsmctl: 'packages/cli/dist/ecsmctl/main.js',
  'ecsm-cli': 'packages/cli/dist/ecsm-cli/main.js',
  'etcd-agent': 'packages/etcd-operator/dist/program/agent-main.js',
};

/** Loads the library for this machine from the installed package. */
const loader = `
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const outside = createRequire(import.meta.url);
const { arch, platform } = process;
const libc = platform === 'linux' && existsSync('/etc/alpine-release') ? 'musl' : 'glibc';
const home = dirname(outside.resolve('@photostructure/sqlite/package.json'));

export const { DatabaseSync } = outside(
  join(home, 'prebuilds', platform + '-' + arch, '@photostructure+sqlite.' + libc + '.node'),
);
`;

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const common = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node20.15',
  plugins: [sqlitePlugin(loader)],
  // The ES modules of the library: a dynamic import of CommonJS would only have the default export.
  alias: { yaml: join(root, 'node_modules', 'yaml', 'browser', 'index.js') },
  charset: 'ascii',
  logLevel: 'warning',
  write: false,
};
const builds = await Promise.all(
  Object.entries(programs).map(([name, entry]) =>
    build({
      ...common,
      entryPoints: { [name]: entry },
      outExtension: { '.js': '.mjs' },
      format: 'esm',
      plugins: [...common.plugins, builtinsPlugin],
      splitting: true,
      // V8 keeps the text of every loaded module in memory.
      minifySyntax: true,
      minifyWhitespace: true,
      legalComments: 'none',
      define: { __ECSM_VERSION__: JSON.stringify(version) },
      // Bundled CommonJS loads Node.js modules with `require`, which ES modules do not have.
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
      },
    }),
  ),
);
// Modules that two programs load may be in equal files.
const modules = [
  ...new Map(builds.flatMap(({ outputFiles }) => outputFiles.map((file) => [file.path, file]))).values(),
];
const { outputFiles: scripts } = await build({
  ...common,
  entryPoints: tools,
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  define: { __ECSM_VERSION__: JSON.stringify(version), 'import.meta.url': '__url' },
  banner: { js: '(function (require, __filename) {const __url = require("node:url").pathToFileURL(__filename).href;' },
  footer: { js: '})' },
});

// A program may be starting at this time: unchanged files are not touched, and changed ones are replaced atomically.
mkdirSync(outdir, { recursive: true });
const changed = new Set();
for (const { path, contents } of [...modules, ...scripts]) {
  if (existsSync(path) && readFileSync(path).equals(contents)) continue;
  writeFileSync(`${path}.new`, contents);
  renameSync(`${path}.new`, path);
  changed.add(basename(path));
}
const written = new Set([...modules, ...scripts].map(({ path }) => basename(path)));
for (const name of readdirSync(outdir)) if (!written.has(name.replace(/\.cache$/, ''))) rmSync(join(outdir, name));

function needsWarmUp(name) {
  const cache = join(outdir, `${name}.cjs.cache`);
  if (!changed.has(`${name}.cjs`) && existsSync(cache)) return false;
  rmSync(cache, { force: true });
  return true;
}

/** Runs the most common commands, so that the code cache contains their compiled functions. */
function warmUp(name, lines) {
  if (!needsWarmUp(name)) return;
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-warm-up-'));
  try {
    const env = { ...process.env, HOME: directory, ECSM_REGISTRY: `sqlite:${join(directory, 'registry')}` };
    for (const [index, line] of lines.entries()) {
      const isLast = index === lines.length - 1;
      const { status, stderr } = spawnSync(process.execPath, [join(root, 'bin', name), ...line.split(' ')], {
        cwd: root,
        env: { ...env, ...(isLast ? { ECSM_WRITE_CODE_CACHE: '1' } : {}) },
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`${name} ${line}: ${stderr}`);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

warmUp('ecsmctl', ['apply -f examples/quickstart', 'get services']);
warmUp('ecsm-cli', ['version']);
if (needsWarmUp('etcd-agent')) {
  await warmUpAgent(join(root, 'bin', 'etcd-agent')).catch((error) => {
    // The jobs before have written one.
    rmSync(join(outdir, 'etcd-agent.cjs.cache'), { force: true });
    throw error;
  });
}
