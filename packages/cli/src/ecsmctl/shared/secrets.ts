/**
 * Secrets in objects that are shown as text, such as that of `describe` and `diff`: they are shown as `<hidden>`, and changes
 * are marked. Objects (`get -o yaml`, `edit`, `export`) contain them.
 */
import { type Call, UsageError } from '@ecsm/command-line';
import {
  type ApiObject,
  deepEqual,
  hidden,
  type Kind,
  lastAppliedAnnotation,
  redact,
  redactNamed,
  secretPaths,
} from '@ecsm/runtime';
import { knownKinds, type Session } from './session.ts';
import { isOn } from './targets.ts';

/** Marks a changed secret, because both values are shown as `<hidden>`. */
const changedMark = ' (changed)';

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
}

/** Whether `--show-values` is set. Throws `UsageError` for a registry behind a server, which decides who sees values. */
export function showsValues(call: Call, { registry, url }: Pick<Session, 'registry' | 'url'>): boolean {
  if (!isOn(call, 'show-values')) return false;
  if (registry.capabilities.storage !== undefined) return true;
  throw new UsageError(
    `--show-values requires access to the files of the registry, and ${url} is a server: use get -o yaml, which shows what you may see`,
  );
}

/** Redacts fields that the kind marks as secret, and values that look like secrets. */
export function redactObject(object: unknown): unknown {
  const { apiVersion, kind } = objectOf(object);
  const known = knownKinds.find(String(apiVersion), String(kind));
  return redact(object, known?.schema);
}

/**
 * An object for `-o yaml` and the like. A kind that marks its secrets is shown as the registry returns it, which is without
 * them for users who may not see them. Foreign text is redacted: that of a status, and of kinds that mark nothing.
 */
export function shownObject(kind: Kind, object: ApiObject<unknown, unknown>): object {
  if (secretPaths(kind).length === 0) return Object(redactObject(object));
  return object.status === undefined ? object : { ...object, status: redact(object.status) };
}

/** A label or an annotation as text. The configuration of a client-side apply contains the secrets of its object. */
export function redactMark(key: string, value: string): string {
  return key === lastAppliedAnnotation ? hidden : redactNamed(key, value);
}

/** Redacts both objects and marks changed secrets in the second one. */
export function redactBoth(before: unknown, after: unknown): Pair {
  const shownBefore = redactObject(before);
  return { before: shownBefore, after: marked(before, after, shownBefore, redactObject(after)) };
}

function marked(before: unknown, after: unknown, shownBefore: unknown, shownAfter: unknown): unknown {
  if (typeof shownAfter === 'string') {
    const looksTheSame = shownBefore === shownAfter && !deepEqual(before, after);
    return looksTheSame ? `${shownAfter}${changedMark}` : shownAfter;
  }
  if (Array.isArray(after) && Array.isArray(shownAfter)) {
    const [olds, shownOlds] = [listOf(before), listOf(shownBefore)];
    return shownAfter.map((item, index) => {
      const partner = partnerOf(after, index, olds);
      return marked(olds[partner], after[index], shownOlds[partner], item);
    });
  }
  if (!isObject(after) || !isObject(shownAfter)) return shownAfter;
  const [old, shownOld] = [objectOf(before), objectOf(shownBefore)];
  return Object.fromEntries(
    Object.entries(shownAfter).map(([key, shown]) => [
      key,
      marked(own(old, key), own(after, key), own(shownOld, key), shown),
    ]),
  );
}

/** The index of the matching item: the one with the same name, or the one at the same index. */
function partnerOf(items: readonly unknown[], index: number, others: readonly unknown[]): number {
  const name = nameOf(items[index]);
  return name === undefined ? index : others.findIndex((other) => nameOf(other) === name);
}

function nameOf(item: unknown): string | undefined {
  const name = own(objectOf(item), 'name');
  return typeof name === 'string' ? name : undefined;
}

/** Paths of the remaining placeholders: `spec.template.vsoa.password`. */
export function hiddenIn(value: unknown, path = ''): readonly string[] {
  if (typeof value === 'string') return value.includes(hidden) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => hiddenIn(item, `${path}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => hiddenIn(field, path === '' ? key : `${path}.${key}`));
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function own(object: Fields, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
