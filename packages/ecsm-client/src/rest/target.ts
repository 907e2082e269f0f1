/** Encodes the path segments and query parameters of a request, so that a value cannot change the path or the query. */
import { badRequest } from './options.ts';

export interface Segment {
  readonly encoded: string;
  /** How the endpoint shows it: the segment itself, or `:id`. */
  readonly template: string;
}

/** Whether the text needs no encoding in a path. `.` and `..` are not valid segments. */
export function isPlainSegment(word: string): boolean {
  return /^[\w.~-]+$/.test(word) && !isDots(word);
}

/** Encodes an opaque id. Throws `BadRequest` if it is empty, `.` or `..`. */
export function nameSegment(value: string, label: string): Segment {
  if (typeof value !== 'string' || value === '') throw badRequest(`the ${label} is empty`);
  // URL parsers also resolve encoded dots, so these two cannot be sent at all.
  if (isDots(value)) throw badRequest(`the ${label} cannot be ${JSON.stringify(value)}`);
  return { encoded: encode(value, label), template: `:${label}` };
}

export function queryPair(name: string, value: string | number | boolean): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw badRequest(`the parameter ${name} cannot be ${value}`);
  return `${encode(name, 'name of a parameter')}=${encode(String(value), name)}`;
}

/** The brackets are encoded: not every server accepts plain ones. */
export function itemPair(name: string, value: string): string {
  return queryPair(`${name}[]`, value);
}

function isDots(word: string): boolean {
  return word === '.' || word === '..';
}

function encode(value: string, what: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // Half of a surrogate pair.
    throw badRequest(`the ${what} is not well-formed text`);
  }
}
