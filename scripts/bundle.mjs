/**
 * Bundles each program into one file, such as dist/ecsm-operator.mjs and dist/ecsmctl.mjs. They require only Node.js, without
 * node_modules. Build first.
 * Usage: node scripts/bundle.mjs [directory [machine]]. A machine is for example `linux-arm64`; the default is this one.
 *
 * SQLite is the only native part, and only of programs that open a registry. Its library for the machine is embedded as text.
 * It is unpacked when a registry that needs it is opened, and the unpacked copy is removed after loading. The other programs
 * are the same files for every machine.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { builtinsPlugin } from './builtins-plugin.mjs';
import { sqlitePlugin } from './sqlite-plugin.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const programs = [
  { name: 'ecsm-operator', folder: 'ecsm-operator', main: 'program/main.js', hasSqlite: true },
  { name: 'ecsm-apiserver', folder: 'ecsm-operator', main: 'program/apiserver-main.js', hasSqlite: true },
  { name: 'ecsmctl', folder: 'cli', main: 'ecsmctl/main.js', hasSqlite: true },
  { name: 'ecsm-cli', folder: 'cli', main: 'ecsm-cli/main.js', hasSqlite: false },
  { name: 'ecsm-sim', folder: 'ecsm-simulator', main: 'program/main.js', hasSqlite: false },
  { name: 'etcd-operator', folder: 'etcd-operator', main: 'program/main.js', hasSqlite: false },
  { name: 'etcd-agent', folder: 'etcd-operator', main: 'program/agent-main.js', hasSqlite: false },
];
const prebuilds = join(root, 'node_modules', '@photostructure', 'sqlite', 'prebuilds');

/** The libraries for a machine, such as `linux-x64`, each with its C library: `linux-x64-glibc`. */
function nativeLibraries(machine) {
  const directory = join(prebuilds, machine);
  if (!existsSync(directory)) {
    throw new Error(`no SQLite library for ${machine}; available: ${readdirSync(prebuilds).join(', ')}`);
  }
  return readdirSync(directory).flatMap((file) => {
    const [, libc] = /\.(glibc|musl)\.node$/.exec(file) ?? [];
    if (libc === undefined) return [];
    const bytes = withoutSymbols(readFileSync(join(directory, file)));
    // The highest quality takes 20 s longer and saves only 10 %.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    return `${libraryMark}${machine}-${libc} ${brotliCompressSync(bytes, { params }).toString('base64')}`;
  });
}

/**
 * Debug symbols are 80 % of a library. The loader of a 64-bit ELF file reads only what the program headers reference, so
 * the sections and the section table behind that are removed. Other formats are not changed.
 */
function withoutSymbols(library) {
  const isElf64 = library.readUInt32BE(0) === 0x7f454c46 && library[4] === 2 && library[5] === 1;
  if (!isElf64) return library;
  const headers = {
    offset: Number(library.readBigUInt64LE(32)),
    size: library.readUInt16LE(54),
    count: library.readUInt16LE(56),
  };
  let end = headers.offset + headers.size * headers.count;
  for (let index = 0; index < headers.count; index++) {
    const header = headers.offset + headers.size * index;
    end = Math.max(end, Number(library.readBigUInt64LE(header + 8) + library.readBigUInt64LE(header + 32)));
  }
  const kept = Buffer.from(library.subarray(0, end));
  kept.writeBigUInt64LE(0n, 40);
  kept.fill(0, 60, 64);
  return kept;
}

/** The libraries are comments at the end of the bundle, so that they use no memory as values. */
const libraryMark = '//sqlite ';

/** Replaces the package, which searches for its library next to its own files. */
const loader = `
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

const self = fileURLToPath(import.meta.url);
const libc = process.platform === 'linux' && existsSync('/etc/alpine-release') ? 'musl' : 'glibc';
const machine = process.platform + '-' + process.arch + '-' + libc;

function unpack() {
  const bundle = readFileSync(self);
  const mark = '\\n${libraryMark}' + machine + ' ';
  const start = bundle.lastIndexOf(mark);
  if (start === -1) throw new Error('this bundle has no SQLite library for ' + machine + '; build a bundle for that machine');
  const text = bundle.latin1Slice(start + mark.length, bundle.indexOf(10, start + mark.length));
  return brotliDecompressSync(Buffer.from(text, 'base64'));
}

function load() {
  const bytes = unpack();
  const failures = [];
  // Some of these may be mounted with noexec.
  for (const place of [tmpdir(), process.env.XDG_RUNTIME_DIR, '/dev/shm', homedir(), dirname(self)]) {
    if (!place) continue;
    let directory;
    try {
      directory = mkdtempSync(join(place, 'ecsm-sqlite-'));
      const file = join(directory, 'sqlite.node');
      writeFileSync(file, bytes, { mode: 0o700 });
      const module = { exports: {} };
      process.dlopen(module, file);
      return module.exports;
    } catch (error) {
      failures.push(error.message);
    } finally {
      // A loaded library does not need its file. Only Windows keeps it locked.
      try {
        if (directory) rmSync(directory, { recursive: true, force: true });
      } catch {}
    }
  }
  throw new Error('SQLite cannot be loaded from any directory: ' + failures.join('; '));
}

export const { DatabaseSync } = load();
`;

/** For a program that never opens a registry in SQLite. */
const noLoader = `
export const DatabaseSync = class {
  constructor() {
    throw new Error('this bundle has no SQLite');
  }
};
`;

/** The licences of bundled packages require that their text is included. */
function licences(inputs, hasSqlite) {
  const folders = new Set();
  for (const input of inputs) {
    const [folder] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(input) ?? [];
    if (folder) folders.add(folder);
  }
  if (hasSqlite) folders.add(join('node_modules', '@photostructure', 'sqlite'));
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}`;
  });
}

async function bundle({ name, folder, main, hasSqlite }, directory, machine) {
  const home = join(root, 'packages', folder);
  // The bundle uses the same Node.js flags as the launcher.
  const [firstLine] = readFileSync(join(root, 'bin', name), 'utf8').split('\n');
  const entry = join(home, 'dist', main);
  if (!existsSync(entry)) throw new Error(`${name} is not built: run make build first`);
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const common = {
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.15',
    define: { __ECSM_VERSION__: JSON.stringify(version) },
    plugins: [sqlitePlugin(hasSqlite ? loader : noLoader), builtinsPlugin],
    logLevel: 'warning',
  };
  const { metafile } = await build({ ...common, write: false, metafile: true });
  const texts = licences(Object.keys(metafile.inputs), hasSqlite).map((text) => text.replaceAll('*/', '* /'));
  const outfile = join(directory, `${name}.mjs`);
  // Bundled CommonJS loads Node.js modules with `require`, which ES modules do not have.
  const banner =
    "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);";
  const libraries = hasSqlite ? nativeLibraries(machine) : [];
  const footer = [`/*\n${texts.join('\n\n---\n\n')}\n*/`, ...libraries].join('\n');
  const { outputFiles } = await build({
    ...common,
    outfile,
    write: false,
    // V8 keeps the text in memory.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: banner },
    footer: { js: footer },
  });
  // With a single non-ASCII character, Node.js would hold the whole text in twice the memory. Only comments contain some.
  mkdirSync(directory, { recursive: true });
  for (const { text } of outputFiles) {
    // Control characters stay: the parser of YAML has some in its strings.
    const ascii = text.replace(/\P{ASCII}/gu, '?');
    writeFileSync(outfile, `${firstLine}\n${ascii.replace(/^#!.*\n/, '')}`, { mode: 0o755 });
  }
  console.log(`${basename(outfile)}: ${(statSync(outfile).size / 1e6).toFixed(1)} MB in ${directory}`);
}

const [directory = join(root, 'dist'), machine = `${process.platform}-${process.arch}`] = process.argv.slice(2);
for (const program of programs) await bundle(program, resolve(directory), machine);
