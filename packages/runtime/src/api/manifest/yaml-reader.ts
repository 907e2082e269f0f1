/**
 * Converts YAML to plain data, in the YAML 1.2 core schema. Refuses duplicate keys, keys that are not strings, merge
 * keys, custom tags, numbers that lose digits, and aliases that expand beyond the size limit.
 */
import type { CST, Document, ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { JSON_DEPTH_MAX, type JsonValue, setOwn } from '../json.ts';
import type { PathSegment } from '../path.ts';

export type Yaml = typeof import('yaml');

/** Creates the error for an offset in the text. */
export type Fail = (offset: number, reason: string) => Error;

const options = {
  version: '1.2',
  schema: 'core',
  merge: false,
  prettyErrors: false,
  resolveKnownTags: false,
  // The library compares every key with every other one. YamlReader needs one pass.
  uniqueKeys: false,
} as const;

/** Longer messages are truncated: keys and values can be long. */
const REASON_CHARACTERS_MAX = 300;

/**
 * Throws at the first error. The library would collect them all, each with a stack trace: one megabyte of text can
 * have a million errors.
 */
export function parseYaml(
  yaml: Yaml,
  text: string,
  failAt: Fail,
  lexemesMax = Number.POSITIVE_INFINITY,
): Document.Parsed {
  const fail = bounded(failAt);
  const composer = new yaml.Composer(options);
  let error: Error | undefined;
  let warning: Error | undefined;
  // The library has no option for it. Its composer calls this for each error and warning; it catches what this throws,
  // and calls this again with the message of that error.
  Object.assign(composer, {
    onError(source: ErrorSource, _code: string, message: string, isWarning = false) {
      if (isWarning) warning ??= fail(offsetIn(source), message);
      else {
        error ??= fail(offsetIn(source), message);
        throw error;
      }
    },
  });
  const tokens = parseTokens(yaml, text, fail, lexemesMax);
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  if (document === undefined || second !== undefined) throw fail(second?.range[0] ?? 0, 'expected one document');
  const [problem] = document.errors;
  if (problem !== undefined) throw fail(problem.pos[0], problem.message);
  if (warning !== undefined) throw warning;
  return document;
}

/** The position of an error, as the library reports it. */
type ErrorSource = number | readonly [number, ...number[]] | { readonly offset: number };

function offsetIn(source: ErrorSource): number {
  if (typeof source === 'number') return source;
  return 'offset' in source ? source.offset : source[0];
}

function bounded(fail: Fail): Fail {
  return (offset, reason) =>
    fail(offset, reason.length > REASON_CHARACTERS_MAX ? `${reason.slice(0, REASON_CHARACTERS_MAX)}…` : reason);
}

/**
 * The composer recurses, and near the end of the stack V8 can abort the process instead of throwing. So the depth is
 * checked during tokenization, which does not recurse: a document becomes a token only when it is complete. The
 * parser's stack holds the document, the open collections, and possibly a scalar.
 */
function* parseTokens(yaml: Yaml, text: string, fail: Fail, lexemesMax: number): Generator<CST.Token> {
  const parser = new yaml.Parser();
  let lexemes = 0;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    if (++lexemes > lexemesMax) throw fail(parser.offset, `more than ${lexemesMax} tokens in one document`);
    yield* withoutErrors(parser.next(lexeme), fail);
    if (parser.stack.length > JSON_DEPTH_MAX + 2) throw fail(parser.offset, tooDeep);
  }
  yield* withoutErrors(parser.end(), fail);
}

function* withoutErrors(tokens: Iterable<CST.Token>, fail: Fail): Generator<CST.Token> {
  for (const token of tokens) {
    if (token.type === 'error') {
      const { offset, source, message } = token;
      throw fail(offset, source === '' ? message : `${message}: ${JSON.stringify(source)}`);
    }
    yield token;
  }
}

const tooDeep = `nested deeper than ${JSON_DEPTH_MAX} levels`;

interface Anchored {
  readonly value: JsonValue;
  /** Approximate size of the value as JSON, in bytes. */
  readonly size: number;
  /** Levels of objects and lists in the value. */
  readonly height: number;
}

export class YamlReader {
  readonly #yaml: Yaml;
  readonly #fail: Fail;
  readonly #sizeMax: number;
  /** The last anchor of each name, which an alias refers to. `open` while the anchored value is being read. */
  readonly #anchors = new Map<string, Anchored | 'open'>();
  #size = 0;
  #deepest = 0;

  constructor(yaml: Yaml, fail: Fail, sizeMax: number) {
    this.#yaml = yaml;
    this.#fail = bounded(fail);
    this.#sizeMax = sizeMax;
  }

  read(node: ParsedNode | null, depth = 0): JsonValue {
    if (node === null) return null;
    if (this.#yaml.isAlias(node)) return this.#alias(node.source, node.range[0], depth);
    const { anchor } = node;
    if (anchor === undefined) return this.#value(node, depth);
    this.#anchors.set(anchor, 'open');
    const [sizeBefore, deepestBefore] = [this.#size, this.#deepest];
    this.#deepest = depth;
    const value = this.#value(node, depth);
    this.#anchors.set(anchor, { value, size: this.#size - sizeBefore, height: this.#deepest - depth });
    this.#deepest = Math.max(this.#deepest, deepestBefore);
    return value;
  }

  #value(node: Scalar.Parsed | YAMLMap.Parsed | YAMLSeq.Parsed, depth: number): JsonValue {
    if (this.#yaml.isScalar(node)) return this.#scalar(node);
    if (depth >= JSON_DEPTH_MAX) throw this.#fail(node.range[0], tooDeep);
    this.#deepest = Math.max(this.#deepest, depth + 1);
    this.#size += 2;
    if (this.#yaml.isMap(node)) return this.#map(node, depth);
    return node.items.map((item) => this.read(item, depth + 1));
  }

  #map(node: YAMLMap<ParsedNode, ParsedNode | null>, depth: number): JsonValue {
    const result: Record<string, JsonValue> = {};
    for (const { key, value } of node.items) {
      const name = this.#key(key);
      if (Object.hasOwn(result, name)) throw this.#fail(key.range[0], `duplicate key "${name}"`);
      setOwn(result, name, this.read(value, depth + 1));
    }
    return result;
  }

  #key(key: ParsedNode): string {
    const [offset] = key.range;
    if (!this.#yaml.isScalar(key))
      throw this.#fail(offset, 'a key must be a string, not a list, an object or an alias');
    if (key.value === '<<' && key.type === 'PLAIN') throw this.#fail(offset, 'merge keys (<<) are not supported');
    if (typeof key.value !== 'string') {
      throw this.#fail(
        offset,
        key.source === ''
          ? 'a key must be a string, not null'
          : `the key ${key.source} is not a string: put it in quotes`,
      );
    }
    this.#size += key.value.length + 3;
    return key.value;
  }

  #scalar(node: Scalar.Parsed): JsonValue {
    const { value, source, range } = node;
    this.#size += source.length + 2;
    if (typeof value === 'number') {
      const exact = Number.isInteger(value)
        ? Number.isSafeInteger(value) || !/^[-+]?(0[ox])?[\da-f]+$/iu.test(source)
        : Number.isFinite(value);
      if (!exact)
        throw this.#fail(
          range[0],
          `the number ${source} cannot be stored exactly: put it in quotes to keep it as a string`,
        );
      return value;
    }
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    throw this.#fail(range[0], `${source} is not a string, number, true, false or null`);
  }

  /** The value is shared, not copied; but its size counts each time, because JSON repeats it. */
  #alias(name: string, offset: number, depth: number): JsonValue {
    const anchored = this.#anchors.get(name);
    if (anchored === undefined) throw this.#fail(offset, `there is no anchor &${name} before this alias`);
    if (anchored === 'open') throw this.#fail(offset, `the alias *${name} contains itself`);
    this.#size += anchored.size;
    if (this.#size > this.#sizeMax) {
      throw this.#fail(offset, `with its aliases expanded, the document is over the limit of ${this.#sizeMax} bytes`);
    }
    this.#deepest = Math.max(this.#deepest, depth + anchored.height);
    if (this.#deepest > JSON_DEPTH_MAX) throw this.#fail(offset, tooDeep);
    return anchored.value;
  }
}

/** The offset of the field at a path: its key, or the item of a list. For an absent field, the offset of its parent. */
export function offsetOf(yaml: Yaml, document: Document.Parsed, path: readonly PathSegment[]): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const segment of path) {
    if (yaml.isAlias(node)) node = node.resolve(document);
    if (yaml.isMap<ParsedNode, ParsedNode | null>(node)) {
      const pair = node.items.find(({ key }) => yaml.isScalar(key) && key.value === segment);
      if (pair === undefined) break;
      offset = pair.key.range[0];
      node = pair.value;
    } else if (yaml.isSeq<ParsedNode>(node) && typeof segment === 'number') {
      const item = node.items[segment];
      if (item === undefined) break;
      offset = item.range[0];
      node = item;
    } else {
      break;
    }
  }
  return offset;
}
