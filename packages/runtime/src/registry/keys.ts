/**
 * The keys of objects in a store: `group/version/plural/namespace/name`, without the namespace if the kind is
 * cluster-scoped. The group of the core kinds, which is empty in Kubernetes, is `core`.
 */
import { ApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import type { KindSet } from '../api/kind-set.ts';

type KeyedKind = Pick<Kind, 'group' | 'version' | 'plural' | 'scope'>;

const coreGroup = 'core';

/** The key prefix of a kind, or of a kind in one namespace. */
export function prefixOf({ group, version, plural, scope }: KeyedKind, namespace?: string): string {
  const isInNamespace = namespace !== undefined && scope === 'Namespaced';
  return `${group || coreGroup}/${version}/${plural}/${isInNamespace ? `${namespace}/` : ''}`;
}

export function keyOf(kind: KeyedKind, namespace: string, name: string): string {
  return `${prefixOf(kind, namespace)}${encodeName(name)}`;
}

/** Stores accept few characters. Names of roles contain others, such as `:`; `_` is in no other name. */
function encodeName(name: string): string {
  return /^[a-z0-9.-]*$/.test(name)
    ? name
    : name.replace(/[^a-z0-9.-]/g, (character) => `_${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function decodeName(text: string): string {
  return text.includes('_')
    ? text.replace(/_([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
}

/** The namespace, empty if the kind is cluster-scoped, and the name in a key of this kind. */
export function addressIn(kind: KeyedKind, key: string): { readonly namespace: string; readonly name: string } {
  const address = key.slice(prefixOf(kind).length);
  const slash = address.indexOf('/');
  return { namespace: address.slice(0, Math.max(slash, 0)), name: decodeName(address.slice(slash + 1)) };
}

/** The address of an object: its kind, namespace (empty if the kind is cluster-scoped) and name. */
export interface Place {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

/** The kind, namespace and name of a key. Returns undefined if it is not a key of a known kind. */
export function locate(kinds: KindSet, key: string): Place | undefined {
  // Every change and every reconcile is located, and splitting the key costs several times more.
  const prefixEnd = key.indexOf('/', key.indexOf('/', key.indexOf('/') + 1) + 1) + 1;
  const kind = byPrefix(kinds).get(key.slice(0, prefixEnd));
  if (!kind) return undefined;
  const nameStart = kind.scope === 'Cluster' ? prefixEnd : key.indexOf('/', prefixEnd) + 1;
  const namespace = key.slice(prefixEnd, Math.max(nameStart - 1, prefixEnd));
  const name = key.slice(nameStart);
  if (nameStart === 0 || name === '' || name.includes('/')) return undefined;
  if (namespace === '' && kind.scope === 'Namespaced') return undefined;
  return { kind, namespace, name: decodeName(name) };
}

const prefixes = new WeakMap<KindSet, ReadonlyMap<string, Kind>>();

/** The kinds by the prefix of their keys. */
function byPrefix(kinds: KindSet): ReadonlyMap<string, Kind> {
  const known = prefixes.get(kinds);
  if (known !== undefined) return known;
  const found = new Map(kinds.kinds.map((kind) => [prefixOf(kind), kind]));
  prefixes.set(kinds, found);
  return found;
}

const fencePrefix = 'fences/';

/** Fences are not objects: they have no kind, and only leaders write them. */
export function fenceKey(fence: string): string {
  if (!/^[a-z0-9]([a-z0-9.-]{0,198}[a-z0-9])?$/.test(fence)) {
    throw new ApiError('BadRequest', { reason: `"${fence}" is not a valid fence name: use a-z, 0-9, "-" and "."` });
  }
  return `${fencePrefix}${fence}`;
}

export function isFenceKey(key: string): boolean {
  return key.startsWith(fencePrefix);
}
