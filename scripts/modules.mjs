/**
 * Reads modules with the scanner of TypeScript: how many lines are code, what a module exports, and what it imports. It knows
 * the syntax of imports and exports, not what names mean.
 *
 * TypeScript 7 offers its scanner as `unstable`, in the exact version of package.json.
 * JSX is read without its grammar, which is enough for lines and statements.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { createScanner, SyntaxKind } from 'typescript/unstable/ast';
import { folders } from './rooms.mjs';

/**
 * @typedef {object} Export
 * @property {string} name or `*` for all names of `from`
 * @property {string} [from] the module that it is re-exported from
 * @property {string} [imported] its name there; `*` for the namespace
 */

/**
 * @typedef {object} Module
 * @property {string} path from the root of the repository
 * @property {number} codeLines lines that are neither blank nor comment
 * @property {number} commentLines lines with nothing but comments
 * @property {readonly Export[]} exports
 * @property {readonly { from: string, name: string }[]} imports `*` for all names
 * @property {readonly string[]} texts string literals other than names of modules, some of which are paths of files
 */

/** All `.ts`, `.tsx` and `.mjs` files below the directories, without build outputs. */
export function filesBelow(root, directories) {
  const found = directories.flatMap((directory) =>
    readdirSync(join(root, directory), { recursive: true }).map((path) => join(directory, path).split(sep).join('/')),
  );
  return found
    .filter((path) => /\.(?:tsx?|mjs)$/.test(path) && !/(?:^|\/)(?:dist|node_modules)\//.test(path))
    .filter((path) => statSync(join(root, path)).isFile())
    .sort();
}

/** @returns {Module} */
export function readModule(root, path) {
  const text = readFileSync(join(root, path), 'utf8');
  const tokens = tokensOf(text);
  return { path, ...linesOf(text, tokens), ...statementsOf(tokens) };
}

/** Tokens and comments in order, without white space. */
function tokensOf(text) {
  const scanner = createScanner(false);
  scanner.setText(text);
  const tokens = [];
  // For each open brace, whether its end continues a template.
  const braces = [];
  let before;
  for (;;) {
    let kind = scanner.scan();
    if (kind === SyntaxKind.EndOfFile) return tokens;
    if (kind === SyntaxKind.WhitespaceTrivia || kind === SyntaxKind.NewLineTrivia) continue;
    const isSlash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
    if (isSlash && !endsOperand(before)) kind = scanner.reScanSlashToken();
    if (kind === SyntaxKind.TemplateHead) braces.push(true);
    if (kind === SyntaxKind.OpenBraceToken) braces.push(false);
    if (kind === SyntaxKind.CloseBraceToken && braces.pop()) {
      kind = scanner.reScanTemplateToken(false);
      if (kind === SyntaxKind.TemplateMiddle) braces.push(true);
    }
    const isComment = kind === SyntaxKind.SingleLineCommentTrivia || kind === SyntaxKind.MultiLineCommentTrivia;
    const token = {
      kind,
      isComment,
      text: scanner.getTokenText(),
      value: scanner.getTokenValue(),
      start: scanner.getTokenStart(),
      end: scanner.getTokenEnd(),
      depth: braces.length,
    };
    tokens.push(token);
    if (!isComment) before = token;
  }
}

/** Whether a slash after the token divides; otherwise it begins a regular expression. */
function endsOperand(token) {
  if (token === undefined) return false;
  const { kind, text } = token;
  if (kind === SyntaxKind.Identifier || kind === SyntaxKind.PrivateIdentifier) return true;
  if (kind >= SyntaxKind.NumericLiteral && kind <= SyntaxKind.NoSubstitutionTemplateLiteral) return true;
  return kind === SyntaxKind.TemplateTail || [')', ']', '}', 'this', 'super', 'null', 'true', 'false'].includes(text);
}

/** A line with code and a comment is code. */
function linesOf(text, tokens) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const code = new Set();
  const comments = new Set();
  let line = 0;
  for (const { start, end, isComment } of tokens) {
    while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= start) line++;
    for (let own = line; (starts[own] ?? Number.POSITIVE_INFINITY) < end; own++) (isComment ? comments : code).add(own);
  }
  return { codeLines: code.size, commentLines: [...comments].filter((one) => !code.has(one)).length };
}

const declarations = new Set(['const', 'let', 'var', 'function', 'class', 'interface', 'type', 'enum', 'namespace']);
const modifiers = new Set(['declare', 'default', 'abstract', 'async']);

function statementsOf(all) {
  const tokens = all.filter(({ isComment }) => !isComment);
  const exports = [];
  const imports = [];
  const at = (index) => tokens[index]?.text;
  const isSpecifier = (index) =>
    ['from', 'import'].includes(at(index - 1)) || (at(index - 1) === '(' && at(index - 2) === 'import');
  const texts = tokens.flatMap(({ kind, value }, index) =>
    kind === SyntaxKind.StringLiteral && !isSpecifier(index) ? [value] : [],
  );
  for (const [index, { kind, depth }] of tokens.entries()) {
    if (kind === SyntaxKind.ExportKeyword && depth === 0) readExport(index + 1);
    else if (kind === SyntaxKind.ImportKeyword) readImport(index + 1);
  }
  return { exports, imports, texts };

  function readExport(start) {
    let index = start;
    while (modifiers.has(at(index))) index++;
    const isTypeList = at(index) === 'type' && ['{', '*'].includes(at(index + 1));
    if (isTypeList) index++;
    if (at(index) === '*') {
      const name = at(index + 1) === 'as' ? at(index + 2) : '*';
      const from = tokens[index + (name === '*' ? 2 : 4)].value;
      exports.push({ name, from, imported: '*' });
    } else if (at(index) === '{') {
      const { names, end } = readNames(index);
      const from = at(end) === 'from' ? tokens[end + 1].value : undefined;
      for (const { name, as } of names) exports.push({ name: as, ...(from && { from, imported: name }), local: name });
    } else if (declarations.has(at(index))) {
      if (at(index + 1) === '*') index++;
      if (at(index) === 'const' && at(index + 1) === 'enum') index++;
      if (at(index + 1) !== '{') exports.push({ name: at(index + 1) });
      else for (const { as } of readNames(index + 1).names) exports.push({ name: as });
    }
  }

  /** Names in braces: `{ a, type b, c as d }`, also `{ c: d }` of a pattern. */
  function readNames(open) {
    const names = [];
    let index = open + 1;
    while (at(index) !== '}' && index < tokens.length) {
      if (at(index) === 'type' && ![',', '}', 'as'].includes(at(index + 1))) index++;
      const name = at(index);
      const as = ['as', ':'].includes(at(index + 1)) ? at(index + 2) : name;
      names.push({ name, as });
      while (![',', '}'].includes(at(index))) index++;
      if (at(index) === ',') index++;
    }
    return { names, end: index + 1 };
  }

  function readImport(start) {
    let index = start;
    if (at(index) === '.') return;
    if (at(index) === '(') return readDynamicImport(index);
    if (tokens[index].kind === SyntaxKind.StringLiteral) return imports.push({ from: tokens[index].value, name: '' });
    if (at(index) === 'type' && at(index + 1) !== 'from') index++;
    const found = [];
    if (!['*', '{'].includes(at(index))) {
      found.push('default');
      index += at(index + 1) === ',' ? 2 : 1;
    }
    if (at(index) === '*') {
      found.push(...membersOf(at(index + 2)));
      index += 3;
    } else if (at(index) === '{') {
      const { names, end } = readNames(index);
      found.push(...names.map(({ name }) => name));
      index = end;
    }
    if (at(index) !== 'from') return;
    for (const name of found) imports.push({ from: tokens[index + 1].value, name });
  }

  /** The members of a namespace that the module uses; all of them if it passes the namespace on. */
  function membersOf(namespace) {
    const uses = tokens.flatMap(({ text }, index) => (text === namespace && at(index - 1) !== '.' ? [index] : []));
    const names = uses
      .filter((index) => at(index - 1) !== 'as')
      .map((index) => (at(index + 1) === '.' ? at(index + 2) : '*'));
    return names.includes('*') ? ['*'] : names;
  }

  /** `const { a } = await import(…)`, `(await import(…)).a`, `import(…).then(({ a }) => …)`, `import(…).Type`. */
  function readDynamicImport(open) {
    if (tokens[open + 1]?.kind !== SyntaxKind.StringLiteral) return;
    const from = tokens[open + 1].value;
    const after = open + 3;
    const names = [];
    const isAwaited = at(open - 2) === 'await';
    if (isAwaited && at(open - 3) === '=' && at(open - 4) === '}') {
      let index = open - 5;
      while (at(index) !== '{') index--;
      names.push(...readNames(index).names.map(({ name }) => name));
    } else if (isAwaited && at(open - 3) === '(' && at(after) === ')' && at(after + 1) === '.') {
      names.push(at(after + 2));
    } else if (at(after) === '.' && at(after + 1) === 'then' && at(after + 4) === '{') {
      names.push(...readNames(after + 4).names.map(({ name }) => name));
    } else if (at(after) === '.' && at(after + 1) !== 'then') {
      names.push(at(after + 1));
    } else {
      names.push('*');
    }
    for (const name of names) imports.push({ from, name });
  }
}

/** Finds the file that an import means, by the paths of sources: also if it names the output of the build. */
export class Resolver {
  #root;
  #known;
  #packages = new Map();

  /** @param {readonly string[]} paths all modules, from the root of the repository */
  constructor(root, paths) {
    this.#root = root;
    this.#known = new Set(paths);
    for (const name of readdirSync(join(root, 'packages'))) {
      const { exports = {}, bin = {} } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
      const sourceOf = (target) =>
        this.#source(join('packages', name, typeof target === 'string' ? target : target.default));
      const entries = Object.entries(exports).map(([key, target]) => [key, sourceOf(target)]);
      this.#packages.set(name, { entries: new Map(entries), programs: Object.values(bin).map(sourceOf) });
    }
  }

  get packages() {
    return [...this.#packages.keys()];
  }

  /** The public entry points of a package. */
  entriesOf(packageName) {
    return [...this.#packages.get(packageName).entries.values()];
  }

  /** The modules of its programs. */
  programsOf(packageName) {
    return this.#packages.get(packageName).programs;
  }

  /** Returns undefined for other modules: libraries, those of Node.js. */
  resolve(from, target) {
    const [, scoped, inside] = /^@ecsm\/([\w-]+)(?:\/(.+))?$/.exec(target) ?? [];
    if (scoped !== undefined) {
      return this.#packages.get(folders[scoped] ?? scoped)?.entries.get(inside === undefined ? '.' : `./${inside}`);
    }
    if (!target.startsWith('.')) return undefined;
    const path = relative(this.#root, resolve(this.#root, dirname(from), target))
      .split(sep)
      .join('/');
    return this.#source(path);
  }

  #source(path) {
    const source = path
      .replace(/^\.\//, '')
      .replace(/^(packages\/[\w-]+|bench)\/dist\//, (_, of) => `${of}/${of === 'bench' ? '' : 'src/'}`);
    return [source, source.replace(/\.js$/, '.ts'), source.replace(/\.js$/, '.tsx')].find((one) =>
      this.#known.has(one),
    );
  }
}
