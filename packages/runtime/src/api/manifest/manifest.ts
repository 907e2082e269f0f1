/**
 * Manifests: YAML or JSON files with one or more documents. A manifest can locate each of its fields, so that later
 * errors have file, line and column.
 */
import { ApiError, type Position } from '../errors.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts';
import { type PathSegment, parsePath } from '../path.ts';
import { type DocumentBytes, splitDocuments } from './documents.ts';
import { type ManifestLimits, manifestLimits } from './limits.ts';
import { readPlainJson } from './plain-json.ts';
import { decodeText, positionAt } from './text.ts';
import { type Fail, offsetOf, parseYaml, type Yaml, YamlReader } from './yaml-reader.ts';

export interface Manifest {
  /** The object as written, before defaults and validation. */
  readonly object: JsonObject;
  readonly file: string;
  /** Which document of the file, counted from 1; empty documents do not count. */
  readonly document: number;
  /** The line on which the document starts. */
  readonly line: number;
  /** The position of a field such as `spec.template.env[2].name`; of an absent field, that of its parent. */
  positionOf(path: string): Promise<Position>;
}

interface ReadManifestsOptions {
  /** The file name in messages; no file is opened. */
  readonly file: string;
  readonly limits?: Partial<ManifestLimits>;
}

/**
 * Reads all objects of a file, in order. Empty documents are skipped; a list of objects, or an object of `kind: List`,
 * is replaced by its items. Throws Malformed or TooLarge at the first error. The manifests keep `bytes` to find
 * positions in, so it must not be changed afterwards.
 */
export async function readManifests(bytes: Uint8Array, options: ReadManifestsOptions): Promise<Manifest[]> {
  const { file } = options;
  const limits = { ...manifestLimits, ...options.limits };
  if (bytes.length > limits.inputBytesMax) {
    throw new ApiError('TooLarge', { what: file, sizeBytes: bytes.length, limitBytes: limits.inputBytesMax });
  }
  const manifests: Manifest[] = [];
  for (const document of splitDocuments(file, withoutByteOrderMark(bytes), limits)) {
    const source = new Source(file, document, limits);
    for (const { value, path } of expand(await source.read())) {
      if (!isPlainObject(value)) throw await source.malformed(path, `expected an object, found ${nameOf(value)}`);
      if (manifests.length === limits.documentsMax) {
        throw await source.malformed(path, `more than ${limits.documentsMax} objects in one file`);
      }
      const { number, contentLine } = document;
      const positionOf = (field: string) => source.positionOf([...path, ...(parsePath(field) ?? [])]);
      manifests.push({ object: value, file, document: number, line: contentLine, positionOf });
    }
  }
  return manifests;
}

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

interface Part {
  readonly value: JsonValue;
  readonly path: readonly PathSegment[];
}

/** The objects in a document: itself, or the items of a list. */
function* expand(document: JsonValue): Generator<Part> {
  if (!Array.isArray(document)) return yield* expandList({ value: document, path: [] });
  for (const [index, value] of document.entries()) yield* expandList({ value, path: [index] });
}

function* expandList(part: Part): Generator<Part> {
  const items = isPlainObject(part.value) && part.value['kind'] === 'List' ? part.value['items'] : undefined;
  // A List without items is passed on: validation rejects the unknown kind.
  if (!Array.isArray(items)) return yield part;
  for (const [index, value] of items.entries()) yield* expandList({ value, path: [...part.path, 'items', index] });
}

function nameOf(value: JsonValue): string {
  return value === null
    ? 'nothing'
    : Array.isArray(value)
      ? 'a list'
      : `the ${typeof value} ${JSON.stringify(value).slice(0, 40)}`;
}

interface Syntax {
  readonly yaml: Yaml;
  readonly text: string;
  readonly document: ReturnType<typeof parseYaml>;
}

/**
 * One document. It keeps its bytes rather than its syntax tree, which takes many times the memory. A position is needed
 * only for an error message, and then the document is parsed again.
 */
class Source {
  readonly #file: string;
  readonly #document: DocumentBytes;
  readonly #limits: ManifestLimits;
  #syntax: Promise<Syntax> | undefined;

  constructor(file: string, document: DocumentBytes, limits: ManifestLimits) {
    this.#file = file;
    this.#document = document;
    this.#limits = limits;
  }

  async read(): Promise<JsonValue> {
    const text = this.#text();
    const plain = readPlainJson(text);
    if (plain !== undefined) return plain;
    const { yaml, document } = await this.#parse(text);
    return new YamlReader(yaml, this.#failIn(text), this.#limits.documentBytesMax).read(document.contents);
  }

  async positionOf(path: readonly PathSegment[]): Promise<Position> {
    this.#syntax ??= this.#parse(this.#text());
    const { yaml, text, document } = await this.#syntax;
    return this.#positionAt(text, offsetOf(yaml, document, path));
  }

  async malformed(path: readonly PathSegment[], reason: string): Promise<ApiError> {
    return new ApiError('Malformed', { position: await this.positionOf(path), reason });
  }

  async #parse(text: string): Promise<Syntax> {
    const yaml = await import('yaml');
    return { yaml, text, document: parseYaml(yaml, text, this.#failIn(text), this.#limits.lexemesMax) };
  }

  #text(): string {
    return decodeText(this.#file, this.#document.bytes, this.#document.firstLine);
  }

  #failIn(text: string): Fail {
    return (offset, reason) => new ApiError('Malformed', { position: this.#positionAt(text, offset), reason });
  }

  #positionAt(text: string, offset: number): Position {
    return positionAt(this.#file, text, offset, this.#document.firstLine);
  }
}
