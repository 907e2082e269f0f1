/** Options of lists and watches of a view: selectors, versions, limits and continue tokens. */
import { Buffer } from 'node:buffer';
import {
  ApiError,
  type ApiObject,
  type Kind,
  type ListOptions,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  type Selection,
} from '@ecsm/runtime';

export type Matcher = (object: ApiObject<unknown, unknown>) => boolean;

/** Throws `BadRequest`. */
export function matcherOf(kind: Kind, { namespace, labelSelector, fieldSelector }: Selection): Matcher {
  const labels = typeof labelSelector === 'string' ? parseLabelSelector(labelSelector) : labelSelector;
  const fields = typeof fieldSelector === 'string' ? parseFieldSelector(fieldSelector, kind) : fieldSelector;
  const wanted = kind.scope === 'Namespaced' ? namespace : undefined;
  return (object) =>
    (wanted === undefined || object.metadata.namespace === wanted) &&
    (!labels || matchesLabels(labels, object.metadata.labels)) &&
    (!fields || matchesFields(fields, object));
}

/** Throws `BadRequest`. */
export function versionOf(text: string): number {
  const version = /^\d{1,16}$/u.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(version)) return version;
  throw badRequest(`"${text}" is not a valid resource version`);
}

/** Where a list starts. */
interface Cursor {
  readonly version: number;
  /** The list continues after this key. */
  readonly after: string;
}

/** Returns undefined for a list of the newest version from its start. Throws `BadRequest`. */
export function cursorOf({ limit, continue: token, resourceVersion }: ListOptions): Cursor | undefined {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) {
    throw badRequest(`limit has to be a whole number above 0, not ${limit}`);
  }
  if (token !== undefined) return decoded(token);
  return resourceVersion === undefined ? undefined : { version: versionOf(resourceVersion), after: '' };
}

export function encodeCursor({ version, after }: Cursor): string {
  return Buffer.from(JSON.stringify([version, after])).toString('base64url');
}

function decoded(token: string): Cursor {
  const parsed = parsedToken(token);
  if (Array.isArray(parsed)) {
    const [version, after] = parsed;
    if (Number.isSafeInteger(version) && typeof after === 'string') return { version, after };
  }
  throw badRequest('the continue token is not valid: restart the list without it');
}

function parsedToken(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function badRequest(reason: string): ApiError {
  return new ApiError('BadRequest', { reason });
}
