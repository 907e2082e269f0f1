/**
 * A service in a file, in the form that the platform has: `name`, `image`, `node`, `policy`, `factor`, `prepull`. What
 * `get service NAME -o yaml` prints can be edited and sent back: fields that are only there to be read are left out, and
 * where a secret was hidden the present one stays.
 */
import type { ServiceBody, ServiceDetail } from '@ecsm/client';
import { type Call, didYouMean, Failure, oneOf, UsageError } from '@ecsm/command-line';
import { hidden, isApiError, type Manifest, readManifests, type Shape, shape } from '@ecsm/runtime';

export interface ServiceFile {
  readonly body: ServiceBody;
  /** If the file says it. */
  readonly id: string | undefined;
}

const sent = ['name', 'image', 'node', 'policy', 'factor', 'prepull'];
/** What a platform adds when it is asked. */
const read = [
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
const words = (...all: readonly string[]) => checked(shape.string(), (text) => all.includes(text), oneOf(all));
const body: Shape<ServiceBody> = shape.object({
  name,
  image: shape.object({
    ref: checked(
      shape.string(),
      (text) => /^[^@#\s]+@[^@#\s]+#[^@#\s]+$/.test(text),
      'an image reference such as worker@1.0.0#sylixos',
    ),
    action: words('run', 'load'),
    config: shape.record(shape.anything()),
    vsoa: shape.optional(shape.record(shape.anything())),
    pullPolicy: shape.optional(words('IfNotPresent', 'Always', 'Never')),
    autoUpgrade: shape.optional(words('Never', 'Larger', 'Always')),
  }),
  node: shape.object({ names: shape.list(name) }),
  factor: shape.optional(checked(shape.integer(), (count) => count >= 0, 'a whole number, 0 or more')),
  policy: shape.optional(words('static', 'dynamic')),
  prepull: shape.optional(shape.boolean()),
  // What it says of the configuration inside is less than the type does; the platform says the rest.
}) as Shape<ServiceBody>;

/** Throws `UsageError` with file, line and column for what makes no sense. */
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
  const stranger = Object.keys(object).find((key) => !sent.includes(key) && !read.includes(key));
  if (stranger !== undefined) {
    throw new UsageError(`${await at(stranger)}: a service has no field "${stranger}".${didYouMean(stranger, sent)}`);
  }
  const mismatch = body.check(object);
  if (mismatch) {
    const path = pathOf(mismatch.steps);
    throw new UsageError(`${await at(path)}: ${path} ${mismatch.reason}`);
  }
  const { id } = object;
  return { body: bodyIn(object), id: typeof id === 'string' ? id : undefined };
}

/** With the values of the present service where the file has only what stands for a secret. Throws `UsageError`. */
export function withSecrets(wanted: ServiceBody, present: ServiceDetail | undefined): ServiceBody {
  const filled = { ...wanted, image: filledIn(wanted.image, present?.image, 'image') };
  return bodyIn(filled);
}

function filledIn(value: unknown, present: unknown, path: string): unknown {
  if (typeof value === 'string') return value.includes(hidden) ? kept(value, present, path) : value;
  if (Array.isArray(value)) {
    const others: readonly unknown[] = Array.isArray(present) ? present : [];
    return value.map((item, index) => filledIn(item, sameLine(item, others) ?? others[index], `${path}[${index}]`));
  }
  if (!shape.isObject(value)) return value;
  const old = shape.isObject(present) ? present : {};
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, filledIn(one, old[key], `${path}.${key}`)]),
  );
}

/** The line of an environment with the same name. */
function sameLine(item: unknown, others: readonly unknown[]): unknown {
  if (typeof item !== 'string' || !item.includes('=')) return undefined;
  const start = item.slice(0, item.indexOf('=') + 1);
  return others.find((other) => typeof other === 'string' && other.startsWith(start));
}

function kept(value: string, present: unknown, path: string): unknown {
  const start = value.slice(0, value.indexOf(hidden));
  if (value === hidden ? present !== undefined : typeof present === 'string' && present.startsWith(start))
    return present;
  throw new UsageError(
    `${path} is "${hidden}", a placeholder for a secret, and there is no present value to keep: write the real value`,
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

function bodyIn(object: object): ServiceBody {
  const fields = Object.entries(object).filter(([key]) => sent.includes(key));
  const found: unknown = Object.fromEntries(fields);
  if (isBody(found)) return found;
  throw new Error('a validated service does not match its schema');
}

function isBody(value: unknown): value is ServiceBody {
  return body.check(value) === undefined;
}

function checked<T>(inner: Shape<T>, isRight: (value: T) => boolean, wanted: string): Shape<T> {
  return {
    isOptional: false,
    check(value) {
      const mismatch = inner.check(value);
      if (mismatch) return mismatch;
      // The check above is what makes it one.
      return isRight(value as T)
        ? undefined
        : { steps: [], reason: `should be ${wanted}, but is ${JSON.stringify(value)}` };
    },
  };
}

/** `node.names[2]`; steps come innermost first. */
function pathOf(steps: readonly (string | number)[]): string {
  return [...steps]
    .reverse()
    .reduce<string>(
      (path, step) => (typeof step === 'number' ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
      '',
    );
}
