/** Selects the objects of a command: KIND NAME… or KIND/NAME…, `-l SELECTOR`, `--all`, or `-f` files. */

import { type Call, Failure, nearest, UsageError } from '@ecsm/command-line';
import {
  type ApiObject,
  isApiError,
  type Kind,
  type ListOptions,
  parseFieldSelector,
  parseLabelSelector,
} from '@ecsm/runtime';
import { parseResourceArgs } from './kinds.ts';
import { type Document, readManifestFiles } from './manifests.ts';
import type { Session } from './session.ts';

/** A named object, which need not exist. */
export interface Target {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

/** An object as it was read. */
export interface Item {
  readonly kind: Kind;
  readonly object: ApiObject<unknown, unknown>;
}

/** Whether a boolean flag is set. The command need not have the flag. */
export function isOn(call: Call, flag: string): boolean {
  return call.origin(flag) !== undefined && call.flag(flag) === 'true';
}

/** The value of a flag, or undefined if it is not set. The command need not have the flag. */
export function flagIfSet(call: Call, flag: string): string | undefined {
  return call.origin(flag) === undefined ? undefined : call.flag(flag);
}

/** Whether `--dry-run` is set to a mode other than none. */
export function isDryRun(call: Call): boolean {
  return (flagIfSet(call, 'dry-run') ?? 'none') !== 'none';
}

/**
 * The objects selected by arguments and flags. `-l` and `--all` read the registry, names do not. Throws `UsageError` if
 * nothing is selected, or in two ways.
 */
export async function targetsOf(call: Call, session: Session): Promise<readonly Target[]> {
  const { namespace } = session;
  const hasFiles = call.origin('filename') !== undefined;
  const selector = flagIfSet(call, 'selector');
  const isAll = isOn(call, 'all');
  if (hasFiles) {
    if (call.words.length > 0) throw new UsageError(`use names or -f, not both: "${call.words.join(' ')}"`);
    if (isAll) throw new UsageError('use --all or -f, not both');
    if (selector !== undefined) throw new UsageError('use -l or -f, not both');
    const documents = await readManifestFiles(call, session);
    return documents.map(({ kind, namespace: inside, name }: Document) => ({ kind, namespace: inside, name }));
  }
  const { kinds, objects } = parseResourceArgs(session, call.words);
  if (objects) {
    if (isAll) throw new UsageError('use names or --all, not both');
    if (selector !== undefined) throw new UsageError('use names or -l, not both');
    if (session.isAllNamespaces) throw new UsageError('names require a single namespace: use -n, not -A');
    return objects.map(({ kind, name }) => ({ kind, namespace, name }));
  }
  if (!isAll && selector === undefined) {
    throw new UsageError(`which ${kinds.map(({ plural }) => plural).join(', ')}? Specify names, -l SELECTOR or --all`);
  }
  const items = await listItems(session, kinds, selectionOf(call, kinds));
  return items.map(({ kind, object }) => ({ kind, ...placeOf(object) }));
}

/** Reads the objects of `targetsOf`. Throws `Failure` for one that does not exist. */
export async function objectsOf(call: Call, session: Session): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (const target of await targetsOf(call, session)) items.push(await readTarget(session, target));
  return items;
}

/** Throws `Failure` if it does not exist. */
export async function readTarget(session: Session, target: Target): Promise<Item> {
  const item = await findTarget(session, target);
  if (!item) throw await missing(session, target);
  return item;
}

export async function findTarget({ registry }: Session, { kind, namespace, name }: Target): Promise<Item | undefined> {
  try {
    return { kind, object: await registry.resource(kind).get(name, { namespace }) };
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** The error for an object that does not exist, with a suggestion. */
export async function missing(
  { registry }: Pick<Session, 'registry'>,
  { kind, namespace, name }: Target,
): Promise<Failure> {
  const places = (await keysOf(registry, kind)).flatMap((key) => registry.locate(key) ?? []);
  const elsewhere = places.filter((place) => place.name === name).map((place) => place.namespace);
  const near = nearest(
    name,
    places.filter((place) => kind.scope === 'Cluster' || place.namespace === namespace).map((place) => place.name),
  );
  const hint =
    elsewhere.length > 0
      ? `: there is one in "${elsewhere[0]}", use -n ${elsewhere[0]}`
      : near === undefined
        ? ''
        : `. Did you mean "${near}"?`;
  const where = kind.scope === 'Cluster' ? '' : ` in the namespace "${namespace}"`;
  return new Failure(`there is no ${kind.singular} "${name}"${where}${hint}`);
}

/** Empty if they cannot be read: a user of a server may not list all namespaces, and the suggestion is optional. */
async function keysOf(registry: Session['registry'], kind: Kind): Promise<readonly string[]> {
  try {
    return (await registry.resource(kind).versions()).keys;
  } catch (error) {
    if (isApiError(error)) return [];
    throw error;
  }
}

/** Lists these kinds in the namespace, or in all with `-A`. Warns about records that cannot be read. */
export async function listItems(
  session: Session,
  kinds: readonly Kind[],
  options: Omit<ListOptions, 'namespace' | 'continue'> = {},
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (const kind of kinds) {
    const list = await session.registry.resource(kind).list({ ...options, ...namespaceScope(session) });
    for (const { key, reason } of list.problems) session.warn(`${key} cannot be read: ${reason}`);
    for (const object of list.items) items.push({ kind, object });
  }
  return items;
}

/** Validates `-l` and `--field-selector`. Throws `UsageError`. */
export function selectionOf(
  call: Call,
  kinds: readonly Kind[],
): { readonly labelSelector?: string; readonly fieldSelector?: string } {
  const labelSelector = flagIfSet(call, 'selector');
  const fieldSelector = flagIfSet(call, 'field-selector');
  try {
    if (labelSelector !== undefined) parseLabelSelector(labelSelector);
    for (const kind of fieldSelector === undefined ? [] : kinds) parseFieldSelector(fieldSelector ?? '', kind);
  } catch (error) {
    throw isApiError(error, 'BadRequest') ? new UsageError(error.message) : error;
  }
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

/** List options with the namespace, or without for all namespaces. */
export function namespaceScope({ isAllNamespaces, namespace }: Session): { readonly namespace?: string } {
  return isAllNamespaces ? {} : { namespace };
}

function placeOf({ metadata }: ApiObject<unknown, unknown>): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace, name: metadata.name };
}
