/**
 * Paths to fields: `spec.template.env[2].name`, `metadata.labels[example.com/app]`. Field errors, field selectors,
 * printer columns and positions in a file use this notation.
 */
import { isPlainObject, ownValue } from './json.ts';

export type PathSegment = string | number;

const simpleName = /^[A-Za-z_$][\w$-]*$/;
const needsQuotes = /^\d+$|^$|[\]"\\\p{Cc}]/u;

/** Appends segments to a path; the inverse of `parsePath`. */
export function formatPath(base: string, segments: readonly PathSegment[]): string {
  let text = base;
  for (const segment of segments) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (simpleName.test(segment)) text += text === '' ? segment : `.${segment}`;
    else text += needsQuotes.test(segment) ? `[${JSON.stringify(segment)}]` : `[${segment}]`;
  }
  return text;
}

/** One step of a path: `.name`, `[12]`, `["any text"]` or `[any-key/without.brackets]`. */
const step = /\.?([^.[\]"\s]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\[([^\]"]+)\]/uy;

/** Returns the segments of a path, or undefined if the text is not a path. The empty path is the whole object. */
export function parsePath(path: string): PathSegment[] | undefined {
  const segments: PathSegment[] = [];
  let offset = 0;
  while (offset < path.length) {
    step.lastIndex = offset;
    const match = step.exec(path);
    if (match === null) return undefined;
    const [text, name, index, quoted, key] = match;
    // A dot precedes every name except the first, and nothing else.
    if (name !== undefined && text.startsWith('.') === (offset === 0)) return undefined;
    const segment = index === undefined ? (name ?? key ?? unquote(quoted)) : Number(index);
    if (segment === undefined) return undefined;
    segments.push(segment);
    offset += text.length;
  }
  return segments;
}

function unquote(quoted: string | undefined): string | undefined {
  if (quoted === undefined) return undefined;
  try {
    const text: unknown = JSON.parse(quoted);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the value at a path, or undefined if there is none. */
export function valueAt(value: unknown, segments: readonly PathSegment[]): unknown {
  let current = value;
  for (const segment of segments) {
    if (Array.isArray(current) && typeof segment === 'number') current = current[segment];
    else if (isPlainObject(current) && typeof segment === 'string') current = ownValue(current, segment);
    else return undefined;
  }
  return current;
}

/** A scalar as text for tables and selectors. Undefined and null become ''; returns undefined for lists and objects. */
export function scalarText(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
