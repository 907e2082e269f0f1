/** Lists: selectors, pages, and the token that continues a list at the same revision. */
import { isApiError } from '../api/errors.ts';
import { matchesFields, parseFieldSelector } from '../api/field-selector.ts';
import type { Kind } from '../api/kind.ts';
import type { ApiObject } from '../api/object.ts';
import { matchesLabels } from '../api/selector.ts';
import { parseLabelSelector } from '../api/selector-parser.ts';
import type { Entry, Revision, Store, VersionPage as StoreVersionPage } from '../store/contract.ts';
import { checkLimit } from '../store/validate.ts';
import { decodeObject, partsWithRevision, revisionOf } from './codec.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import type {
  EncodedList,
  ListOptions,
  ObjectList,
  Problem,
  Selection,
  VersionOptions,
  VersionPage,
} from './contract.ts';
import { JsonPieces } from './json-pieces.ts';
import { prefixOf } from './keys.ts';

export async function listObjects<Spec, Status>(
  store: Store,
  kind: Kind<Spec, Status>,
  options: ListOptions,
): Promise<ObjectList<Spec, Status>> {
  const matches = matcherOf(kind, options);
  return listItems(store, kind, options, ({ key, value, revision }) => {
    const object = decodeObject(kind, key, value, revision);
    return !matches || matches(object) ? object : undefined;
  });
}

/** Objects are decoded only if there is a selector. */
export async function listEncoded(store: Store, kind: Kind, options: ListOptions): Promise<EncodedList> {
  const matches = matcherOf(kind, options);
  const pieces = new JsonPieces();
  const { items: _, ...list } = await listItems(store, kind, options, ({ key, value, revision }) => {
    const isSelected = !matches || matches(decodeObject(kind, key, value, revision));
    if (!isSelected) return undefined;
    pieces.add(partsWithRevision(kind, key, value, revision));
    return true;
  });
  return { ...list, items: pieces.finish() };
}

interface ItemList<Item> extends Omit<ObjectList<unknown, unknown>, 'items'> {
  readonly items: readonly Item[];
}

/** Reads pages from the store until the limit of selected items is reached. `read` returns undefined for the others. */
async function listItems<Item>(
  store: Store,
  kind: Kind,
  options: ListOptions,
  read: (entry: Entry) => Item | undefined,
): Promise<ItemList<Item>> {
  checkLimit(options.limit);
  const prefix = prefixOf(kind, options.namespace);
  const hasSelector = options.labelSelector !== undefined || options.fieldSelector !== undefined;
  const items: Item[] = [];
  const problems: Problem[] = [];
  let cursor = cursorOf(options, prefix);
  for (;;) {
    // With a selector that matches few objects, small pages would need many reads.
    const limit = options.limit === undefined || hasSelector ? {} : { limit: options.limit - items.length };
    const page = await store.list(prefix, { ...limit, ...(cursor && { at: cursor.revision, after: cursor.after }) });
    for (const { key, reason } of page.damaged ?? []) problems.push({ key, reason });
    const resourceVersion = String(page.revision);
    for (const entry of page.entries) {
      if (items.length === options.limit) {
        return {
          items,
          resourceVersion,
          problems,
          continue: encodeCursor(cursor ?? { revision: page.revision, after: prefix }),
        };
      }
      cursor = { revision: page.revision, after: entry.key };
      const item = readable(entry, read, problems);
      if (item !== undefined) items.push(item);
    }
    if (page.next === undefined) return { items, resourceVersion, problems };
    cursor = { revision: page.revision, after: page.next };
    if (items.length === options.limit) return { items, resourceVersion, problems, continue: encodeCursor(cursor) };
  }
}

function cursorOf({ continue: token, resourceVersion }: ListOptions, prefix: string): Cursor | undefined {
  if (token !== undefined) return decodeCursor(token, prefix);
  return resourceVersion === undefined ? undefined : { revision: revisionOf(resourceVersion), after: prefix };
}

/** One page of the store. */
export async function listVersions(store: Store, kind: Kind, options: VersionOptions): Promise<VersionPage> {
  const { namespace, namePrefix = '', limit } = options;
  const prefix = `${prefixOf(kind, namespace)}${namePrefix}`;
  const cursor = options.continue === undefined ? undefined : decodeCursor(options.continue, prefix);
  const page = await store.versions(prefix, {
    ...(limit === undefined ? {} : { limit }),
    ...(cursor && { at: cursor.revision, after: cursor.after }),
  });
  return versionPageOf(page);
}

export function versionPageOf({ keys, revisions, created, revision, next }: StoreVersionPage): VersionPage {
  return {
    keys,
    version: (index) => String(revisions[index]),
    identity: (index) => String(created[index]),
    resourceVersion: String(revision),
    ...(next === undefined ? {} : { continue: encodeCursor({ revision, after: next }) }),
  };
}

function readable<Item>(entry: Entry, read: (entry: Entry) => Item | undefined, problems: Problem[]): Item | undefined {
  try {
    return read(entry);
  } catch (error) {
    if (!isApiError(error, 'Corrupt')) throw error;
    problems.push({ key: entry.key, reason: error.message });
    return undefined;
  }
}

export type Matcher = (object: ApiObject<unknown, unknown>) => boolean;

/** One function for both selectors; undefined if everything is selected. */
export function matcherOf(kind: Kind, { labelSelector, fieldSelector }: Selection): Matcher | undefined {
  const labels = typeof labelSelector === 'string' ? parseLabelSelector(labelSelector) : labelSelector;
  const fields = typeof fieldSelector === 'string' ? parseFieldSelector(fieldSelector, kind) : fieldSelector;
  if (!labels && !fields) return undefined;
  return (object) =>
    (!labels || matchesLabels(labels, object.metadata.labels)) && (!fields || matchesFields(fields, object));
}

interface Cursor {
  readonly revision: Revision;
  readonly after: string;
}

function encodeCursor({ revision, after }: Cursor): string {
  return encodeContinue([revision, after]);
}

/** The prefix prevents that a token of one list continues another. */
function decodeCursor(token: string, prefix: string): Cursor {
  return decodeContinue(token, ([revision, after]) => {
    const isValid = typeof revision === 'number' && Number.isSafeInteger(revision) && typeof after === 'string';
    return isValid && after.startsWith(prefix) ? { revision, after } : undefined;
  });
}
