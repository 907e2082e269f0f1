/**
 * The fields in which a service on the platform differs from the spec. Only fields of the spec are compared, because the
 * platform adds its own defaults.
 */
import { numberOf, type ServiceBody, type ServiceDetail } from '@ecsm/client';
import { shape } from '@ecsm/runtime';
import { lineOf } from './difference-line.ts';
import { linesOf, splitLine } from './environment.ts';
import { nodeNamesOf } from './read.ts';
import { isUpgrade } from './upgrade.ts';

export interface Difference {
  /** Path of the field, such as `node.names` or `image.config.process.env[RATE]`. Decisions use this. */
  readonly path: string;
  /** Text for messages: `path: actual → wanted`, without secrets. */
  readonly line: string;
}

/** Whether it is about the number of instances or their nodes, and not about their template. */
export function isOfSize({ path }: Difference): boolean {
  return path === 'factor' || path === 'policy' || isOfNodes({ path });
}

export function isOfNodes({ path }: Pick<Difference, 'path'>): boolean {
  return path === 'node.names';
}

/**
 * Empty if the service matches. `prepull` cannot be read from the platform, and is not compared. With `showValues`, the
 * lines contain values that must not be shown to everyone: only for the output of a command that was asked for them.
 */
export function differences(wanted: ServiceBody, actual: ServiceDetail, showValues = false): readonly Difference[] {
  const { prepull: _, factor, ...compared } = wanted;
  const found = new Differences(wanted.image.autoUpgrade, showValues);
  found.compare('', compared, { ...actual, node: { names: nodeNamesOf(actual) } });
  // The factor of a static service has no meaning.
  if (wanted.policy === 'dynamic') found.compare('factor', factor, actual.factor);
  return found.all;
}

type Fields = Readonly<Record<string, unknown>>;

/** Lists without order. */
const sets =
  /^(?:node\.names|image\.config\.(?:sylixos\.resources\.affinity|sylixos\.commands|mounts\[.*\]\.options))$/u;
/** Lists of objects without order, and the field that identifies an object. */
const keyFields: Fields = { 'image.config.mounts': 'destination', 'image.config.sylixos.devices': 'path' };
const environments = ['image.config.process.env', 'image.config.env'];

class Differences {
  readonly all: Difference[] = [];
  readonly #autoUpgrade: string | undefined;

  readonly #showValues: boolean;

  constructor(autoUpgrade: string | undefined, showValues: boolean) {
    this.#autoUpgrade = autoUpgrade;
    this.#showValues = showValues;
  }

  /** `name` decides whether the value is redacted. */
  compare(path: string, wanted: unknown, actual: unknown, name = path.slice(path.lastIndexOf('.') + 1)): void {
    if (wanted === undefined || wanted === null) return;
    if (shape.isObject(wanted)) this.#fields(path, wanted, shape.isObject(actual) ? actual : {});
    else if (Array.isArray(wanted)) this.#list(path, wanted, Array.isArray(actual) ? actual : []);
    else if (!this.#isSame(path, wanted, actual)) this.#add(path, name, wanted, actual);
  }

  #add(path: string, name: string, wanted: unknown, actual: unknown): void {
    this.all.push({ path, line: lineOf(path, name, wanted, actual, this.#showValues) });
  }

  #fields(path: string, wanted: Fields, actual: Fields): void {
    for (const [name, value] of Object.entries(wanted)) {
      const found = Object.hasOwn(actual, name) ? actual[name] : undefined;
      this.compare(path === '' ? name : `${path}.${name}`, value, found);
    }
  }

  /** A platform may omit an empty list, or return null for it. */
  #list(path: string, wanted: readonly unknown[], actual: readonly unknown[]): void {
    const keyField = keyFields[path];
    if (environments.includes(path)) this.#byKey(path, keyedLines(wanted), keyedLines(actual));
    else if (typeof keyField === 'string')
      this.#byKey(path, keyedItems(wanted, keyField), keyedItems(actual, keyField));
    else if (!(sets.test(path) ? isSameSet(wanted, actual) : this.#isSameList(wanted, actual))) {
      // Whole lists are redacted together: an item may be secret because of the one before it, such as `--password`.
      this.#add(path, '', wanted, actual);
    }
  }

  /** Each key has to be in both: an update replaces the whole list, so an extra item was added by another client. */
  #byKey(path: string, wanted: ReadonlyMap<string, unknown>, actual: ReadonlyMap<string, unknown>): void {
    for (const [key, item] of wanted) this.compare(`${path}[${key}]`, item, actual.get(key), key);
    for (const [key, item] of actual) {
      if (!wanted.has(key)) this.#add(`${path}[${key}]`, key, undefined, item);
    }
  }

  #isSameList(wanted: readonly unknown[], actual: readonly unknown[]): boolean {
    if (wanted.length !== actual.length) return false;
    const inside = new Differences(this.#autoUpgrade, false);
    for (const [index, item] of wanted.entries()) inside.compare('', item, actual[index]);
    return inside.all.length === 0;
  }

  #isSame(path: string, wanted: unknown, actual: unknown): boolean {
    // The platform chooses the port, and may return it.
    if (path === 'image.vsoa.port' && wanted === 0) return true;
    if (path === 'image.ref' && isUpgrade(String(wanted), String(actual), this.#autoUpgrade)) return true;
    return isSameScalar(wanted, actual);
  }
}

/** Some responses contain numbers as text, and booleans as 0 and 1. */
function isSameScalar(wanted: unknown, actual: unknown): boolean {
  if (wanted === actual) return true;
  if (typeof wanted === 'number' && typeof actual === 'string') return numberOf(actual) === wanted;
  if (typeof wanted === 'string' && typeof actual === 'number') return String(actual) === wanted;
  return typeof wanted === 'boolean' && typeof actual === 'number' && Number(wanted) === actual;
}

function isSameSet(wanted: readonly unknown[], actual: readonly unknown[]): boolean {
  const [left, right] = [new Set(wanted.map(String)), new Set(actual.map(String))];
  return left.size === right.size && [...left].every((item) => right.has(item));
}

function keyedLines(list: readonly unknown[]): ReadonlyMap<string, unknown> {
  return keyed(linesOf(list).map(splitLine));
}

function keyedItems(list: readonly unknown[], keyField: string): ReadonlyMap<string, unknown> {
  return keyed(list.map((item, index) => [String(shape.isObject(item) ? item[keyField] : index), item] as const));
}

/** A duplicate key gets another name, so that it counts as an extra item. */
function keyed(entries: readonly (readonly [key: string, value: unknown])[]): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [key, value] of entries) values.set(values.has(key) ? `${key}, again` : key, value);
  return values;
}
