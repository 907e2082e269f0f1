/** `get`: objects as a table, or in another format; with `-w` also their changes. */

import { type Call, type Run, UsageError } from '@ecsm/command-line';
import { parsePath } from '../../print/jsonpath.ts';
import { sortBy } from '../../print/sort.ts';
import { follow } from '../shared/follow.ts';
import { parseResourceArgs } from '../shared/kinds.ts';
import { warnAboutOldNumbers } from '../shared/old-numbers.ts';
import { asUsageError, formatOf, printerOf, printObjects } from '../shared/printing.ts';
import { knownKinds, type Session, withSession } from '../shared/session.ts';
import {
  findTarget,
  flagIfSet,
  type Item,
  isOn,
  listItems,
  missing,
  namespaceScope,
  objectsOf,
  selectionOf,
  type Target,
} from '../shared/targets.ts';

export const run: Run = async (call) => {
  // Reports an invalid command line before the registry is opened.
  const format = formatOf(call);
  const sort = sorterOf(call);
  const limit = limitOf(call);
  if (call.origin('filename') === undefined) parseResourceArgs({ kinds: knownKinds }, call.words);
  const isWatch = isOn(call, 'watch') || isOn(call, 'watch-only');
  if (isWatch && limit !== undefined) throw new UsageError('--limit cannot be used with -w');
  return withSession(call, async (session) => {
    if (isWatch) return watch(call, session, sort);
    const { items, single, showKind, notFound } = await find(call, session);
    const sorted = sort(items);
    const shown = sorted.slice(0, limit);
    const isTable = ['table', 'wide', 'name'].includes(format.kind);
    // Machine-readable formats print an empty list, tables a message.
    if (shown.length > 0 || (!isTable && notFound.length === 0 && !(single && isOn(call, 'ignore-not-found')))) {
      await printObjects(call, shown, { format, single, showKind });
    } else if (notFound.length === 0 && !single) call.terminal.err.write(`${noneText(session)}\n`);
    if (shown.length < sorted.length) {
      call.terminal.err.write(`${sorted.length - shown.length} more not shown: --limit ${limit}\n`);
    }
    // Scripts read the other formats, and may ignore warnings.
    const isRead = format.kind === 'table' || format.kind === 'wide';
    await warnAboutOldNumbers(session, isRead ? shown : [], call.terminal);
    await reportMissing(call, session, notFound);
  });
};

interface Found {
  readonly items: readonly Item[];
  /** A single object was requested by name. */
  readonly single: boolean;
  /** Several kinds were requested. */
  readonly showKind: boolean;
  /** Requested objects that do not exist. */
  readonly notFound: readonly Target[];
}

async function find(call: Call, session: Session): Promise<Found> {
  if (call.origin('filename') !== undefined) {
    const items = await objectsOf(call, session);
    const showKind = items.some(({ kind }) => kind !== items[0]?.kind);
    return { items, single: items.length === 1, showKind, notFound: [] };
  }
  const { kinds, objects } = parseResourceArgs(session, call.words);
  const showKind = kinds.length > 1;
  if (!objects) {
    const items = await listItems(session, kinds, selectionOf(call, kinds));
    return { items, single: false, showKind, notFound: [] };
  }
  const items: Item[] = [];
  const notFound: Target[] = [];
  for (const target of targetsFor(call, session, objects)) {
    const item = await findTarget(session, target);
    if (item) items.push(item);
    else if (!isOn(call, 'ignore-not-found')) notFound.push(target);
  }
  return { items, single: objects.length === 1, showKind, notFound };
}

function targetsFor(
  call: Call,
  { isAllNamespaces, namespace }: Session,
  objects: readonly Omit<Target, 'namespace'>[],
): readonly Target[] {
  for (const flag of ['selector', 'field-selector']) {
    if (call.origin(flag) !== undefined) throw new UsageError(`use names or --${flag}, not both`);
  }
  if (isAllNamespaces) throw new UsageError('names require a single namespace: use -n, not -A');
  return objects.map((object) => ({ ...object, namespace }));
}

/** Prints an error for each object and throws the last one, which sets the exit code. */
async function reportMissing({ terminal }: Call, session: Session, notFound: readonly Target[]): Promise<void> {
  const failures = await Promise.all(notFound.map((target) => missing(session, target)));
  const last = failures.pop();
  for (const { message } of failures) terminal.err.write(`ecsmctl: ${message}\n`);
  if (last) throw last;
}

function noneText({ isAllNamespaces, namespace }: Session): string {
  return isAllNamespaces ? 'No resources found.' : `No resources found in ${namespace} namespace.`;
}

async function watch(call: Call, session: Session, sort: Sorter): Promise<void> {
  if (call.origin('filename') !== undefined) throw new UsageError('-w cannot be used with -f: name a kind or objects');
  const { kinds, objects } = parseResourceArgs(session, call.words);
  const [kind, ...others] = kinds;
  if (!kind || others.length > 0) throw new UsageError(`-w watches a single kind, not ${kinds.length}`);
  const targets = objects && targetsFor(call, session, objects);
  const isWanted = ({ object }: Item) => !targets || targets.some(({ name }) => name === object.metadata.name);
  const printer = printerOf(call, kind);
  const options = { ...selectionOf(call, kinds), ...namespaceScope(session) };
  for await (const step of follow(call.terminal, session, kind, options)) {
    if (step.type === 'Listed') {
      const items = step.objects.map((object) => ({ kind, object })).filter(isWanted);
      const notFound = targets?.filter(({ name }) => !items.some(({ object }) => object.metadata.name === name)) ?? [];
      if (!isOn(call, 'ignore-not-found')) await reportMissing(call, session, notFound);
      if (isOn(call, 'watch-only')) continue;
      await printer.print(sort(items));
      await warnAboutOldNumbers(session, items, call.terminal);
    } else if (isWanted({ kind, object: step.object })) {
      await printer.print([{ kind, object: step.object }], step.type === 'Deleted');
    }
  }
}

type Sorter = (items: readonly Item[]) => readonly Item[];

function sorterOf(call: Call): Sorter {
  const text = flagIfSet(call, 'sort-by');
  if (text === undefined) return (items) => items;
  const path = asUsageError(() => parsePath(text), '--sort-by');
  return (items) => {
    const order = sortBy(
      path,
      items.map(({ object }) => object),
    );
    const places = new Map(order.map((object, index) => [object, index]));
    return [...items].sort((one, other) => (places.get(one.object) ?? 0) - (places.get(other.object) ?? 0));
  };
}

const limitMax = 1_000_000;

function limitOf(call: Call): number | undefined {
  const text = flagIfSet(call, 'limit');
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > limitMax) {
    throw new UsageError(`--limit has to be a whole number from 1 to ${limitMax}, not "${text}"`);
  }
  return limit;
}
