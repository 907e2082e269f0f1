/**
 * A service in a file, in the format of the platform: `name`, `image`, `node`, `policy`, `factor`, `prepull`. The output
 * of `get service NAME -o yaml` can be edited and sent back: read-only fields are ignored, and a secret that is shown as
 * hidden keeps its present value.
 */
import type { ServiceBody, ServiceDetail } from '@ecsm/client';
import { type Call, didYouMean, Failure, oneOf, UsageError } from '@ecsm/command-line';
import { deepEqual, hidden, isApiError, type Manifest, readManifests, redact, type Shape, shape } from '@ecsm/runtime';

interface ServiceFile {
  readonly body: ServiceBody;
  /** Set if the file contains it. */
  readonly id: string | undefined;
  /** Fields that this program does not know, with the error for a service that does not have them. */
  readonly unknown: readonly UnknownField[];
}

interface UnknownField {
  readonly name: string;
  readonly error: UsageError;
}

const writableFields = ['name', 'image', 'node', 'policy', 'factor', 'prepull'];
const readOnlyFields = [
  'id',
  'status',
  'healthy',
  'createdTime',
  'updatedTime',
  'containerStatusGroup',
  'instanceOnline',
  'instanceActive',
  'nodeList',
  'imageList',
  'errorInstance',
  'defaultLabels',
  'pathLabel',
];

const name: Shape<string> = checked(shape.string(), (text) => text !== '', 'a name');
const choice = (...all: readonly string[]) => checked(shape.string(), (text) => all.includes(text), oneOf(all));
const body: Shape<ServiceBody> = shape.object({
  name,
  image: shape.object({
    ref: checked(
      shape.string(),
      (text) => /^[^@#\s]+@[^@#\s]+#[^@#\s]+$/.test(text),
      'an image reference such as worker@1.0.0#sylixos',
    ),
    action: choice('run', 'load'),
    config: shape.record(shape.anything()),
    vsoa: shape.optional(shape.record(shape.anything())),
    pullPolicy: shape.optional(choice('IfNotPresent', 'Always', 'Never')),
    autoUpgrade: shape.optional(choice('Never', 'Larger', 'Always')),
  }),
  node: shape.object({ names: shape.list(name) }),
  factor: shape.optional(checked(shape.integer(), (count) => count >= 0, 'a whole number, 0 or more')),
  policy: shape.optional(choice('static', 'dynamic')),
  prepull: shape.optional(shape.boolean()),
  // The shape checks less of the configuration than the type has; the platform checks the rest.
}) as Shape<ServiceBody>;

/** Throws `UsageError` with file, line and column for an invalid file. */
export async function readServiceFile(call: Call): Promise<ServiceFile> {
  const file = call.flag('filename');
  if (file === undefined) throw new UsageError('-f FILE is required, or -f - for standard input');
  const manifest = await onlyManifest(file, await bytesOf(call, file));
  const { object } = manifest;
  const at = async (path: string) => {
    const { line, column } = await manifest.positionOf(path);
    return `${manifest.file}:${line}:${column}`;
  };
  if (object['apiVersion'] !== undefined || object['kind'] !== undefined) {
    const apply = `"ecsmctl apply -f ${file}"`;
    throw new UsageError(`${await at('kind')}: this is a registry object, not a service of the platform: use ${apply}`);
  }
  const names = Object.keys(object).filter((key) => !writableFields.includes(key) && !readOnlyFields.includes(key));
  const unknown = await Promise.all(
    names.map(async (name) => {
      const text = `${await at(name)}: a service has no field "${name}".${didYouMean(name, writableFields)}`;
      return { name, error: new UsageError(text) };
    }),
  );
  const filled = withoutNulls(object);
  const mismatch = body.check(filled);
  if (mismatch) {
    const path = pathOf(mismatch.steps);
    throw new UsageError(`${await at(path)}: ${path} ${mismatch.reason}`);
  }
  const { id } = object;
  return { body: bodyFrom(filled), id: typeof id === 'string' ? id : undefined, unknown };
}

/**
 * A platform shows settings that are not set as null, and does not accept that in a body. `config` is required there.
 */
function withoutNulls(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { image } = object;
  const set = (fields: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  if (!shape.isObject(image)) return set(object);
  return { ...set(object), image: { ...set(image), ...(image['config'] === null ? { config: {} } : {}) } };
}

/** Throws a `UsageError` for a field that neither this program nor the present service knows. */
export function rejectUnknown({ unknown }: ServiceFile, present: object = {}): void {
  for (const { name, error } of unknown) if (!(name in present)) throw error;
}

/**
 * Replaces placeholders of secrets by the values of the present service. Throws `UsageError` if there is none, or if the
 * text around a placeholder is not as it is shown: the present value would undo that change.
 */
export function withSecrets(wanted: ServiceBody, present: ServiceDetail | undefined): ServiceBody {
  const shown: unknown = redact(present);
  const shownImage = shape.isObject(shown) ? shown['image'] : undefined;
  const filled = { ...wanted, image: withPresentSecrets(wanted.image, present?.image, shownImage, 'image') };
  return bodyFrom(filled);
}

/** `shown` is `present` as `get` prints it. */
function withPresentSecrets(value: unknown, present: unknown, shown: unknown, path: string): unknown {
  if (typeof value === 'string') return value.includes(hidden) ? presentSecret(value, present, shown, path) : value;
  if (Array.isArray(value)) {
    const [presents, showns] = [listOf(present), listOf(shown)];
    return value.map((item, index) => {
      const place = placeOf(value, index, presents, showns);
      return withPresentSecrets(item, presents[place], showns[place], `${path}[${index}]`);
    });
  }
  if (!shape.isObject(value)) return value;
  const [old, shownOld] = [shape.isObject(present) ? present : {}, shape.isObject(shown) ? shown : {}];
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      withPresentSecrets(one, old[key], shownOld[key], `${path}.${key}`),
    ]),
  );
}

/**
 * The index of the present item, or -1. Items may have been moved, added and removed: an item that is shown like a present
 * one is that one, unless several are shown alike and some of them were removed.
 */
function placeOf(
  items: readonly unknown[],
  index: number,
  presents: readonly unknown[],
  showns: readonly unknown[],
): number {
  const places = placesLike(showns, lookOf(items, index));
  const [first = -1] = places;
  // The one in its place is another one if that was moved.
  const isReplaced = items.length === showns.length && placesLike(items, lookOf(showns, index)).length === 0;
  if (first === -1) return isReplaced ? index : -1;
  const twins = placesLike(items, lookOf(items, index));
  if (twins.length === places.length) return places[twins.indexOf(index)] ?? -1;
  return places.every((place) => deepEqual(presents[place], presents[first])) ? first : -1;
}

/** All placeholders look the same; a placeholder belongs to the flag before it, together with those beside it. */
function lookOf(items: readonly unknown[], index: number): unknown {
  if (items[index] !== hidden) return items[index];
  const start = items.findLastIndex((item, at) => at < index && item !== hidden);
  const end = items.findIndex((item, at) => at > index && item !== hidden);
  return [items[start] ?? null, index - start, (end === -1 ? items.length : end) - start, hidden];
}

function placesLike(items: readonly unknown[], look: unknown): readonly number[] {
  return items.flatMap((_, index) => (deepEqual(lookOf(items, index), look) ? [index] : []));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function presentSecret(value: string, present: unknown, shown: unknown, path: string): unknown {
  if (value === shown && present !== undefined) return present;
  throw new UsageError(
    value === hidden
      ? `${path} is "${hidden}", a placeholder for a secret, and there is no present value to keep: write the real value`
      : `${path} contains "${hidden}", a placeholder for a secret, and is not the present value: write the real value`,
  );
}

async function bytesOf(call: Call, file: string): Promise<Uint8Array> {
  if (file === '-') return call.terminal.readInput();
  const bytes = await call.terminal.files.read(file);
  if (!bytes) throw new Failure(`there is no file "${file}"`);
  return bytes;
}

async function onlyManifest(file: string, bytes: Uint8Array): Promise<Manifest> {
  const shown = file === '-' ? 'standard input' : file;
  try {
    const [first, second] = await readManifests(bytes, { file: shown });
    if (!first) throw new UsageError(`${shown} is empty: it should contain a service`);
    if (second) throw new UsageError(`${shown}:${second.line}: this is a second service: a file can contain only one`);
    return first;
  } catch (error) {
    throw isApiError(error) ? new UsageError(error.message) : error;
  }
}

function bodyFrom(object: object): ServiceBody {
  const fields = Object.entries(object).filter(([key]) => writableFields.includes(key));
  const found: unknown = Object.fromEntries(fields);
  if (isBody(found)) return found;
  throw new Error('a validated service does not match its schema');
}

function isBody(value: unknown): value is ServiceBody {
  return body.check(value) === undefined;
}

function checked<T>(inner: Shape<T>, isValid: (value: T) => boolean, wanted: string): Shape<T> {
  return {
    isOptional: false,
    check(value) {
      const mismatch = inner.check(value);
      if (mismatch) return mismatch;
      // The inner check has ensured the type.
      return isValid(value as T)
        ? undefined
        : { steps: [], reason: `should be ${wanted}, but is ${JSON.stringify(value)}` };
    },
  };
}

/** `node.names[2]`; the innermost step is first. */
function pathOf(steps: readonly (string | number)[]): string {
  return [...steps]
    .reverse()
    .reduce<string>(
      (path, step) => (typeof step === 'number' ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
      '',
    );
}
