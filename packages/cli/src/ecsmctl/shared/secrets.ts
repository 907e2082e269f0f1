/**
 * Secrets in objects that are compared and edited: they are shown as `<hidden>`, changes are marked, and placeholders that
 * are left unchanged keep their secret.
 */
import { deepEqual, hidden, redact } from '@ecsm/runtime';
import { knownKinds } from './session.ts';

/** Marks a changed secret, because both values are shown as `<hidden>`. */
const changedMark = ' (changed)';

export interface Pair {
  readonly before: unknown;
  readonly after: unknown;
}

/** Redacts fields that the kind marks as secret, and values that look like secrets. */
export function redactObject(object: unknown): unknown {
  const { apiVersion, kind } = objectOf(object);
  const known = knownKinds.find(String(apiVersion), String(kind));
  return redact(object, known?.schema);
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

/** Replaces unchanged placeholders in an edited object with the secrets of the live object. */
export function restoreSecrets(edited: unknown, live: unknown): unknown {
  return restored(edited, live, redactObject(live));
}

function restored(edited: unknown, live: unknown, shown: unknown): unknown {
  if (deepEqual(edited, shown)) return live;
  if (Array.isArray(edited)) return restoredList(edited, listOf(live), listOf(shown));
  if (!isObject(edited)) return edited;
  const [liveObject, shownObject] = [objectOf(live), objectOf(shown)];
  return Object.fromEntries(
    Object.entries(edited).map(([key, value]) => [key, restored(value, own(liveObject, key), own(shownObject, key))]),
  );
}

/**
 * Items may have been moved, added and removed. An item that is shown like a live item is that item. Items that are shown
 * alike are matched in order, unless some were removed: then the match is ambiguous, and they stay hidden.
 */
function restoredList(edited: readonly unknown[], lives: readonly unknown[], showns: readonly unknown[]): unknown[] {
  return edited.map((item, index) => {
    const look = lookOf(edited, index);
    const places = placesOf(showns, look);
    if (places.length === 0) {
      const partner = partnerOf(edited, index, showns);
      const isSure = partner !== index || edited.length === showns.length || nameOf(item) !== undefined;
      return isSure ? restored(item, lives[partner], showns[partner]) : item;
    }
    const candidates = places.map((place) => lives[place]);
    const twins = placesOf(edited, look);
    if (twins.length === places.length) return candidates[twins.indexOf(index)];
    return candidates.every((one) => deepEqual(one, candidates[0])) ? candidates[0] : item;
  });
}

/** All placeholders look the same; a placeholder belongs to the flag before it. */
function lookOf(items: readonly unknown[], index: number): unknown {
  return items[index] === hidden ? [items[index - 1] ?? null, hidden] : items[index];
}

function placesOf(items: readonly unknown[], look: unknown): readonly number[] {
  return items.flatMap((_, index) => (deepEqual(lookOf(items, index), look) ? [index] : []));
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
