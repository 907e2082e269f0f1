/** The pieces of a request's path and query, encoded. A value can never become a piece of path or another parameter. */
import { badRequest } from './options.ts';

export interface Segment {
  readonly encoded: string;
  /** How the endpoint shows it: the word itself, or `:id`. */
  readonly template: string;
}

/** A word that means itself in a path. Dots alone would climb. */
export function isPlainSegment(word: string): boolean {
  return /^[\w.~-]+$/.test(word) && !isDots(word);
}

/** Anything that is not empty and not a step in a path: ids are the platform's, and opaque. */
export function nameSegment(value: string, label: string): Segment {
  if (typeof value !== 'string' || value === '') throw badRequest(`the ${label} is empty`);
  // An encoded dot is a dot to every URL parser, so these two cannot be sent at all.
  if (isDots(value)) throw badRequest(`the ${label} cannot be ${JSON.stringify(value)}`);
  return { encoded: encode(value, label), template: `:${label}` };
}

export function queryPair(name: string, value: string | number | boolean): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw badRequest(`the parameter ${name} cannot be ${value}`);
  return `${encode(name, 'name of a parameter')}=${encode(String(value), name)}`;
}

/** The brackets are encoded: not every server takes them bare. */
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
