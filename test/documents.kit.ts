/**
 * Parses documents into code blocks, tables and links, type-checks their programs, and runs their examples.
 *
 * The `js` and `ts` blocks of a page are one program, type-checked with the options of the packages and run from top to
 * bottom in an empty directory. A `js` block has no type syntax: readers may run it as it is. A `text` block directly
 * after one is its output. A `ts` block whose first line is a comment with the path of a file is a part of that file, and not
 * of the program. In a `console` block a line that starts with `$ ` is a command, run at that point of the program, and the
 * following lines are its output. A command that ends with ` &` runs until the page ends, and the following line is its
 * first output; without one it is not awaited. A line `…` matches any lines. A `yaml` block whose first line is a comment
 * with a file name is that file. Progress of waiting is ignored, because it depends on the machine.
 *
 * `ecsm-sim`, `ecsm-operator`, `etcd-operator`, `ecsmctl` and `ecsm-cli` are those of this repository. Pages show the default ports, 3001
 * and 8090; the tests use free ports, because the default ones may be in use. The default registry is in the directory of
 * the page. Settings in the home directory of the user are ignored.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

export const root = fileURLToPath(new URL('..', import.meta.url));

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Number of the first line inside, from 1. */
  readonly line: number;
}

/** An example of a page with its expected output. */
export interface Shown {
  readonly is: 'program' | 'command' | 'file';
  /** JavaScript if it is a program. */
  readonly text: string;
  readonly output: string;
  readonly line: number;
}

export function readDocument(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export function blocksOf(document: string): Block[] {
  const blocks: Block[] = [];
  for (const match of document.matchAll(/^```(\w*)\n(.*?)^```$/gms)) {
    const line = document.slice(0, match.index).split('\n').length + 1;
    blocks.push({ language: match[1] ?? '', text: match[2] ?? '', line });
  }
  return blocks;
}

export function shownIn(document: string): Shown[] {
  const blocks = blocksOf(document);
  return blocks.flatMap((block, index): Shown[] => {
    if (block.language === 'console') return commandsIn(block);
    if (block.language === 'yaml' && fileName.test(block.text)) {
      return [{ is: 'file', text: block.text, output: '', line: block.line }];
    }
    if (!isProgram(block)) return [];
    const next = blocks[index + 1];
    const endLine = block.line + block.text.split('\n').length;
    // Directly after it: the closing fence, an empty line, the opening fence.
    const output = next?.language === 'text' && next.line <= endLine + 2 ? next.text : '';
    return [{ is: 'program', text: javaScriptOf(block), output, line: block.line }];
  });
}

const quotation = /^\/\/ (\S+\/\S+)\n/;
const isProgram = ({ language, text }: Block) => language === 'js' || (language === 'ts' && !quotation.test(text));

/** Blocks that are a part of a file. */
export function quotationsIn(document: string): { path: string; text: string; line: number }[] {
  return blocksOf(document).flatMap(({ text, line }) => {
    const [first = '', path] = quotation.exec(text) ?? [];
    return path === undefined ? [] : [{ path, text: text.slice(first.length), line }];
  });
}

/** Imports that only a later block uses are kept. */
function javaScriptOf({ language, text }: Block): string {
  if (language === 'js') return text;
  return transformSync(text, { loader: 'ts', tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } } }).code;
}

const fileName = /^# ([\w.-]+\.yaml)\n/;

function commandsIn({ text, line }: Block): Shown[] {
  const commands: { text: string; output: string; line: number }[] = [];
  for (const [index, row] of text.trimEnd().split('\n').entries()) {
    const last = commands.at(-1);
    if (row.startsWith('$ ')) commands.push({ text: row.slice(2), output: '', line: line + index });
    else if (last) last.output += `${row}\n`;
  }
  return commands.map((command) => ({ is: 'command', ...command }));
}

/**
 * Type errors of the programs of pages, as `<path>:<line>: <message>`. They are checked against the sources of the packages,
 * with their options.
 */
export async function typeErrorsIn(documents: Readonly<Record<string, string>>): Promise<string[]> {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  // Below the modules of the repository, so that libraries are found.
  const directory = mkdtempSync(join(cache, 'documents-'));
  try {
    for (const [path, document] of Object.entries(documents)) {
      const blocks = blocksOf(document).filter(isProgram);
      const file = join(directory, `${path}.mts`);
      mkdirSync(dirname(file), { recursive: true });
      // Every line has the number that it has in the page.
      const lines: string[] = [];
      for (const { line, text } of blocks) {
        while (lines.length < line - 1) lines.push('');
        lines.push(...text.trimEnd().split('\n'));
      }
      writeFileSync(file, [...lines, 'export {};', ''].join('\n'));
    }
    const compilerOptions = { noEmit: true, composite: false, declaration: false, paths: sourcePaths() };
    const sources = { allowImportingTsExtensions: true, rewriteRelativeImportExtensions: false };
    const extended = join(root, 'tsconfig.base.json');
    const config = { extends: extended, compilerOptions: { ...compilerOptions, ...sources }, include: ['**/*.mts'] };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
    const compiler = join(root, 'node_modules', '.bin', 'tsc');
    const { code, output } = await run(compiler, ['--project', '.', '--pretty', 'false'], { cwd: directory });
    const errors = [...output.matchAll(/^(\S+)\.mts\((\d+),\d+\): error (TS\d+: .*)$/gm)];
    if ((code === 0) !== (errors.length === 0)) throw new Error(output);
    return errors.map(([, path, line, message]) => `${path}:${line}: ${message}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The source of each entry point of the packages, by the name under which it is imported. */
function sourcePaths(): Record<string, string[]> {
  const packages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  const entries = packages.flatMap((folder) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return Object.entries<string | { types: string }>(exports).map(([key, target]): [string, string[]] => {
      const path = typeof target === 'string' ? target : target.types;
      return [`${name}${key.slice(1)}`, [join(folder, path.replace('/dist/', '/src/').replace(/\.d\.ts$/, '.ts'))]];
    });
  });
  return Object.fromEntries(entries);
}

/** The cells of the first table below a heading, without the header and without backticks. */
export function tableBelow(document: string, heading: string): string[][] {
  const section = document.split(`\n${heading}\n`)[1] ?? '';
  const table = /^\|.*\n\|[-| :]+\|\n((?:\|.*\n)+)/m.exec(section)?.[1] ?? '';
  return table
    .trimEnd()
    .split('\n')
    .filter((row) => row !== '')
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.replaceAll('`', '').trim()),
    );
}

/** Targets of links to files of this repository, without anchors. */
export function relativeLinksIn(document: string): string[] {
  const prose = document.replace(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.split('#')[0] ?? '')
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}

export interface Ran {
  readonly output: string;
  readonly code: number | null;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A program that takes longer is killed. Default `runMsMax`. */
  readonly timeoutMs?: number;
  /** Called with all output so far whenever there is more. */
  readonly onOutput?: (output: string, child: ChildProcessWithoutNullStreams) => void;
}

export const runMsMax = 300_000;

/** Runs a program to its end. Standard output and standard error are combined. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { cwd = root, env = {}, timeoutMs = runMsMax, onOutput } = options;
  const child = spawn(command, args, {
    cwd,
    env: { ...inherited(), NO_COLOR: '1', ...env },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
      onOutput?.(output, child);
    });
  }
  const [code] = await once(child, 'close');
  return { output, code };
}

/** The environment without the variables of the test runner and of make. */
function inherited(): Record<string, string | undefined> {
  const own = /^(VITEST|TEST$|NODE_ENV$|NODE_V8_COVERAGE$|MAKE|MFLAGS|FORCE_COLOR$|ECSM)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

export interface PageRun extends Ran {
  /** The output of each example, in order. */
  readonly outputs: readonly string[];
  /** The working directory. */
  readonly directory: string;
}

const mark = '\u0001';
/** A background program ends with the page in every case, because its shell reads the end of its input. */
const prelude = `import { exec as __exec, spawn as __spawn } from 'node:child_process';
import { writeFileSync as __write } from 'node:fs';
const __shell = (command) => new Promise((resolve) => {
  __exec(command, (_error, stdout, stderr) => { process.stdout.write(stdout + stderr); resolve(); });
});
/** A reader types the next command when the operator has started. */
const __ready = async () => {
  for (let attempt = 0; attempt < 100; attempt++) {
    const response = await fetch('http://' + process.env.ECSM_OPERATOR_LISTEN + '/readyz').catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
const __start = (command, hasOutput) => new Promise((resolve) => {
  const script = command + ' & cat > /dev/null; kill $!; wait';
  const shell = __spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const proceed = () => {
    for (const one of [shell, shell.stdin, shell.stdout]) one.unref();
    resolve();
  };
  shell.once('close', resolve);
  if (!hasOutput) return command.startsWith('ecsm-operator') ? void __ready().then(proceed) : proceed();
  shell.stdout.once('data', (line) => {
    process.stdout.write(line);
    proceed();
  });
});
`;

function stepOf({ is, text, output }: Shown): string {
  if (is === 'program') return text;
  if (is === 'file') return `__write(${JSON.stringify(fileName.exec(text)?.[1])}, ${JSON.stringify(text)});`;
  return text.endsWith(' &')
    ? `await __start(${JSON.stringify(text.slice(0, -2))}, ${output !== ''});`
    : `await __shell(${JSON.stringify(text)});`;
}

interface Addresses {
  readonly platform: string;
  readonly health: string;
}

/** Creates the programs that pages may call. */
function createPrograms(directory: string, { platform }: Addresses): void {
  mkdirSync(directory, { recursive: true });
  const create = (name: string, before = '') => {
    const text = `#!/bin/sh\n${before}exec "${process.execPath}" "${join(root, 'bin', name)}" "$@"\n`;
    writeFileSync(join(directory, name), text, { mode: 0o755 });
  };
  create(
    'ecsm-sim',
    `if [ "$1" = call ]; then set -- "$@" --to http://${platform}; else set -- "$@" --listen ${platform}; fi\n`,
  );
  for (const name of ['ecsm-operator', 'ecsm-apiserver', 'etcd-operator', 'ecsmctl', 'ecsm-cli']) create(name);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const foreignCluster = `apiVersion: v1
kind: Config
current-context: foreign
contexts: [{ name: foreign, context: { cluster: foreign, user: foreign } }]
clusters: [{ name: foreign, cluster: { server: 'https://127.0.0.1:1' } }]
users: [{ name: foreign, user: { token: none } }]
`;

/** The environment of a user of another cluster, whose server does not respond. Writes a kubeconfig into the directory. */
export function foreignEnvironment(directory: string): { readonly KUBECONFIG: string } {
  const KUBECONFIG = join(directory, 'foreign.yaml');
  writeFileSync(KUBECONFIG, foreignCluster);
  return { KUBECONFIG };
}

/**
 * Runs all examples of a page as one program, in a directory from which the packages of this repository resolve. The page of
 * a project runs in a copy of the project.
 */
export async function runPage(shown: readonly Shown[], project?: string): Promise<PageRun> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'ecsm-docs-')));
  try {
    if (project !== undefined) {
      const filter = (path: string) => basename(path) !== 'dist';
      cpSync(join(root, project), directory, { recursive: true, filter });
      symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
    }
    const modules = join(directory, '.packages', 'node_modules');
    mkdirSync(modules, { recursive: true });
    symlinkSync(join(root, 'node_modules', '@ecsm'), join(modules, '@ecsm'));
    const programs = join(directory, '.packages', 'bin');
    const addresses = { platform: `127.0.0.1:${await freePort()}`, health: `127.0.0.1:${await freePort()}` };
    createPrograms(programs, addresses);
    const home = join(directory, '.packages', 'home');
    mkdirSync(home);
    writeFileSync(join(home, '.ecsm-cli.yaml'), `url: http://${addresses.platform}\n`);
    const steps = shown.map((one) => `console.log(${JSON.stringify(mark)});\n${stepOf(one)}\n`);
    const program = join(directory, '.packages', 'page.mjs');
    writeFileSync(program, prelude + steps.join('').replaceAll('127.0.0.1:8090', addresses.health));
    const env = {
      PATH: [programs, process.env['PATH']].join(delimiter),
      HOME: home,
      // The commands of a page have to work for users of another cluster.
      ...foreignEnvironment(home),
      ECSM_HOME: directory,
      ECSM_URL: `http://${addresses.platform}`,
      ECSM_OPERATOR_LISTEN: addresses.health,
    };
    const ran = await run(process.execPath, [program], { cwd: directory, env });
    return { ...ran, directory, outputs: ran.output.split(`${mark}\n`).slice(1) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Replaces values that differ between runs or machines. A column is as wide as its longest age. */
export function normalised(output: string, directory = root): string {
  return output
    .replaceAll(directory, '/srv/demo')
    .replace(/^(created the registry \S+): the current context of KUBECONFIG, .*$/gm, '$1')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
    .replace(/\becsm_[0-9a-f]{12}_[0-9a-f]{64}\b/g, '<token>')
    .replace(/\b[0-9a-f]{12}\b/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replace(/ +\d+(\.\d+)? ms/g, ' <n> ms')
    .replace(/(process) \d+/gi, '$1 <id>')
    .replace(/\S*\/(?:ecsm|etcd)-(tour|start)-\w+/g, '<$1>')
    .replace(/(after|in) \d+(\.\d+)? s\b/g, '$1 <n> s')
    .replace(/^waiting for .* \(\d+ s( of [^)]*)?\).*\n/gm, '')
    .replace(/\b(\d+m)?\d+s( ago|(?= {2}| *$))/gm, '<age>$2')
    .replace(/<age> {2,}/g, '<age>  ')
    .replace(/\bAGE {2,}/g, 'AGE  ')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

/** Returns the actual output if it matches the shown one with each `…` as any lines, otherwise the shown output. */
export function filledIn(shown: string, actual: string): string {
  const pieces = `${shown}\n`.split(/^…\n/m).map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pieces.join('(?:[^]*?\\n)?')}$`).test(`${actual}\n`) ? actual : shown;
}
