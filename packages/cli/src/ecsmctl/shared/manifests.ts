/** Reads and validates the manifests of `-f FILE|DIR|-`. Every error has its position. */

import { type Call, Failure, plural, UsageError, visible } from '@ecsm/command-line';
import {
  formatManifestError,
  formatPath,
  hidden,
  isApiError,
  type JsonObject,
  type JsonValue,
  type Kind,
  type Manifest,
  type ObjectInput,
  type PathSegment,
  readManifests,
  validateManifest,
} from '@ecsm/runtime';
import type { Session } from './session.ts';

export interface Document {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** As in the file, with the namespace added if absent, if the kind has one. Validated; defaults are not filled in. */
  readonly object: ObjectInput<unknown, unknown>;
  /** Provides the positions of fields. */
  readonly manifest: Manifest;
  /** The error of a file without a number of instances, which is valid if the object has one in the registry. */
  readonly omittedReplicas?: string;
}

interface ManifestOptions {
  /** Accepts files without a number of instances: an autoscaler may own it. See `checkOmitted`. Default false. */
  readonly mayOmitReplicas?: boolean;
}

/** A session, or the result of `withoutRegistry`. */
type ManifestPlace = Pick<Session, 'kinds' | 'namespace' | 'namespaceFrom'>;

/** Its name in messages. */
const standardInput = 'standard input';
const manifestName = /\.(ya?ml|json)$/i;
const problemsShownMax = 20;

/**
 * Reads the objects of all files, in order, without duplicates. If any is invalid, prints all errors and throws `Failure`
 * or `UsageError`.
 */
export async function readManifestFiles(
  call: Call,
  place: ManifestPlace,
  options: ManifestOptions = {},
): Promise<readonly Document[]> {
  const { documents, problems } = await checkManifestFiles(call, place, options);
  throwIfInvalid(call, problems);
  return documents;
}

interface Findings {
  /** The valid objects. */
  readonly documents: readonly Document[];
  /** One line per problem, in order, with file, line and column if known. */
  readonly problems: readonly string[];
}

/** Validates all files. Throws `UsageError` only for an invalid command line. */
export async function checkManifestFiles(
  call: Call,
  place: ManifestPlace,
  { mayOmitReplicas = false }: ManifestOptions = {},
): Promise<Findings> {
  const problems: string[] = [];
  const manifests: Manifest[] = [];
  for await (const source of sourcesOf(call)) {
    const found = 'problem' in source ? source : await read(source);
    if ('problem' in found) problems.push(found.problem);
    else manifests.push(...found.manifests);
  }
  if (manifests.length === 0 && problems.length === 0) {
    problems.push(`${call.flags('filename').join(', ')}: the files contain no objects`);
  }
  const documents: Document[] = [];
  for (const manifest of manifests) {
    const { problems: wrong, omitted } = await problemsOf(manifest, place);
    if (omitted !== undefined && !mayOmitReplicas) wrong.push(omitted);
    const valid = wrong.length === 0 ? documentOf(manifest, place) : undefined;
    const document = valid && { ...valid, ...(omitted !== undefined && { omittedReplicas: omitted }) };
    const duplicate = document && documents.find((one) => isSame(one, document));
    if (duplicate) wrong.push(await duplicateText(manifest, duplicate));
    else if (document) documents.push(document);
    problems.push(...wrong);
  }
  return { documents, problems };
}

interface Source {
  readonly file: string;
  readonly bytes: Uint8Array;
  /** The file was found in a directory, so it may contain no objects. */
  readonly isOptional: boolean;
}

/** A file that does not exist or cannot be read. */
interface Unreadable {
  readonly problem: string;
}

/** Yields the files in the order of the flags. */
async function* sourcesOf(call: Call): AsyncGenerator<Source | Unreadable> {
  const { terminal } = call;
  const names = call.flags('filename').flatMap((one) => one.split(',').filter((name) => name !== ''));
  const isRecursive = call.origin('recursive') !== undefined && call.flag('recursive') === 'true';
  if (names.length === 0) throw new UsageError('specify the manifests: -f FILE, -f DIR, or -f - for standard input');
  if (names.filter((name) => name === '-').length > 1)
    throw new UsageError('standard input can be read only once: -f -');
  for (const name of names) {
    if (name === '-') {
      yield { file: standardInput, bytes: await terminal.readInput(), isOptional: false };
      continue;
    }
    const files = await orUnreadable(() => filesOf(call, name, isRecursive));
    if (isUnreadable(files)) {
      yield files;
      continue;
    }
    for (const file of files ?? [name]) {
      const bytes = await orUnreadable(() => terminal.files.read(file));
      if (isUnreadable(bytes)) yield bytes;
      else if (bytes) yield { file, bytes, isOptional: files !== undefined };
      else yield { problem: `there is no file "${file}"` };
    }
  }
}

async function orUnreadable<T>(work: () => Promise<T>): Promise<T | Unreadable> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) return { problem: error.message };
    throw error;
  }
}

function isUnreadable(value: unknown): value is Unreadable {
  return typeof value === 'object' && value !== null && 'problem' in value;
}

/** Returns undefined if the path is not a directory. */
async function filesOf({ terminal }: Call, path: string, recursive: boolean): Promise<readonly string[] | undefined> {
  const all = await terminal.files.list(path, { recursive });
  if (!all) return undefined;
  const found = all.filter((file) => manifestName.test(file));
  if (found.length > 0) return found;
  const below = recursive ? undefined : await terminal.files.list(path, { recursive: true });
  const hint = below?.some((file) => manifestName.test(file)) ? ': use -R to read its subdirectories' : '';
  throw new Failure(`there is no .yaml, .yml or .json file in the directory "${path}"${hint}`);
}

async function read({
  file,
  bytes,
  isOptional,
}: Source): Promise<{ readonly manifests: readonly Manifest[] } | Unreadable> {
  try {
    const manifests = await readManifests(bytes, { file });
    if (manifests.length > 0 || isOptional) return { manifests };
    return { problem: `${file}: the file is empty: an object starts with "apiVersion:"` };
  } catch (error) {
    if (isApiError(error)) return { problem: error.message };
    throw error;
  }
}

interface Problems {
  readonly problems: string[];
  /** The error of a missing number of instances, if that is missing. */
  readonly omitted: string | undefined;
}

async function problemsOf(manifest: Manifest, { kinds, namespace, namespaceFrom }: ManifestPlace): Promise<Problems> {
  const errors = await validateManifest(manifest, kinds);
  const { apiVersion, kind } = manifest.object;
  const scale = kinds.find(String(apiVersion), String(kind))?.scale;
  const missing = errors.find(({ path, type }) => type === 'Required value' && path === scale?.specReplicasPath);
  const placeholders = hiddenIn(manifest.object);
  const problems = errors
    .filter((error) => error !== missing && !placeholders.includes(error.path))
    .map(formatManifestError);
  const at = async (path: string, text: string) => {
    const { file, line, column } = await manifest.positionOf(path);
    problems.push(`${file}:${line}:${column}: ${path}: ${text}`);
  };
  const written = namespaceIn(manifest.object);
  // Only the flag conflicts with the manifest; a variable or setting is a default.
  if (written !== undefined && written !== namespace && namespaceFrom === '--namespace') {
    await at(
      'metadata.namespace',
      `the object is in the namespace "${written}", but -n is "${namespace}": omit one of them`,
    );
  }
  for (const path of placeholders) {
    await at(path, `"${hidden}" is a placeholder for a secret: write the secret itself, or omit the field`);
  }
  return { problems, omitted: missing && formatManifestError(missing) };
}

/** Finding the position of each occurrence takes time. */
const hiddenMax = 20;

/**
 * Paths of the first redacted secrets: of whole values, and of parts such as the password in a URL. Storing the placeholder
 * would lose the secret. The status is not written.
 */
function hiddenIn({ status: _, ...object }: JsonObject): readonly string[] {
  const found: string[] = [];
  const visit = (value: JsonValue, path: readonly PathSegment[]) => {
    if (found.length === hiddenMax) return;
    if (typeof value === 'string' && value.includes(hidden)) found.push(formatPath('', path));
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, [...path, index]);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, field] of Object.entries(value)) {
        if (field !== undefined) visit(field, [...path, key]);
      }
    }
  };
  visit(object, []);
  return found;
}

/** Reads the namespace before validation. */
function namespaceIn({ metadata }: JsonObject): string | undefined {
  const isObject = typeof metadata === 'object' && metadata !== null && 'namespace' in metadata;
  return isObject && typeof metadata.namespace === 'string' ? metadata.namespace : undefined;
}

/** Requires a valid manifest. */
function documentOf(manifest: Manifest, { kinds, namespace: fallback }: ManifestPlace): Document {
  const written: unknown = manifest.object;
  if (!isValid(written)) throw new Error('a validated manifest is not an object');
  const namespace = written.metadata.namespace ?? fallback;
  const kind = kinds.get(written.apiVersion, written.kind);
  const isCluster = kind.scope === 'Cluster';
  const object = isCluster ? written : { ...written, metadata: { ...written.metadata, namespace } };
  return { kind, namespace, name: object.metadata.name, object, manifest };
}

type Named = ObjectInput<unknown, unknown> & { readonly apiVersion: string; readonly kind: string };

/** A type guard for manifests that passed validation. */
function isValid(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && 'metadata' in value && 'kind' in value;
}

function isSame(one: Document, other: Document): boolean {
  return one.kind === other.kind && one.namespace === other.namespace && one.name === other.name;
}

async function duplicateText(manifest: Manifest, duplicate: Document): Promise<string> {
  const { file, line, column } = await manifest.positionOf('metadata.name');
  const { file: otherFile, line: otherLine } = await duplicate.manifest.positionOf('metadata.name');
  const name = `${duplicate.kind.kind} "${duplicate.name}"`;
  return `${file}:${line}:${column}: ${name} is defined twice: also in ${otherFile}:${otherLine}; keep one of them`;
}

export function throwIfInvalid({ terminal }: Pick<Call, 'terminal'>, problems: readonly string[]): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  if (others.length === 0) throw new Failure(first);
  for (const problem of problems.slice(0, problemsShownMax)) terminal.err.write(`${visible(problem)}\n`);
  const more = problems.length > problemsShownMax ? ` (${problems.length - problemsShownMax} not shown)` : '';
  throw new Failure(`${plural(problems.length, 'error')}${more}: nothing was changed`);
}
