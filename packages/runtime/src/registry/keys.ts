/** The keys of objects in a store: `group/version/plural/namespace/name`. */
import { ApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import type { KindSet } from '../api/kind-set.ts';

interface ObjectKey {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
}

/** The key prefix of a kind, or of a kind in one namespace. */
export function prefixOf(
  { group, version, plural }: Pick<Kind, 'group' | 'version' | 'plural'>,
  namespace?: string,
): string {
  return `${group}/${version}/${plural}/${namespace === undefined ? '' : `${namespace}/`}`;
}

export function keyOf(kind: Pick<Kind, 'group' | 'version' | 'plural'>, namespace: string, name: string): string {
  return `${prefixOf(kind, namespace)}${name}`;
}

function parseKey(key: string): ObjectKey | undefined {
  const [group, version, plural, namespace, name, ...rest] = key.split('/');
  if (!group || !version || !plural || !namespace || !name || rest.length > 0) return undefined;
  return { group, version, plural, namespace, name };
}

/** The address of an object: its kind, namespace and name. */
export interface Place {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

/** The kind, namespace and name of a key. Returns undefined if it is not a key of a known kind. */
export function locate(kinds: KindSet, key: string): Place | undefined {
  const parts = parseKey(key);
  if (!parts) return undefined;
  const { group, version, plural, namespace, name } = parts;
  const kind = kinds.kinds.find(
    (known) => known.group === group && known.version === version && known.plural === plural,
  );
  return kind && { kind, namespace, name };
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
