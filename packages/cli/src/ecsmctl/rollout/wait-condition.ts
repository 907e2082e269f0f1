/** Parses `--for` of `wait` and evaluates it for an object. */

import { nearest, UsageError } from '@ecsm/command-line';
import type { ApiObject } from '@ecsm/runtime';
import { findJsonPath, type JsonPath, PathError, parseJsonPath, textOf } from '../../print/jsonpath.ts';
import { conditionsOf } from '../shared/fields.ts';
import { redactObject } from '../shared/secrets.ts';

type AnyObject = ApiObject<unknown, unknown>;

export type WaitCondition =
  | { readonly is: 'create' }
  | { readonly is: 'delete' }
  | { readonly is: 'condition'; readonly type: string; readonly value: string }
  /** Without a value, any result meets the condition. */
  | { readonly is: 'jsonpath'; readonly path: JsonPath; readonly value?: string };

/** Maximum length of a shown value, in characters. */
const shownMax = 80;
const forms = 'condition=TYPE[=VALUE], jsonpath=PATH[=VALUE], create or delete';

/** Throws `UsageError`. */
export function parseWaitCondition(text: string): WaitCondition {
  const equals = text.indexOf('=');
  const word = (equals === -1 ? text : text.slice(0, equals)).toLowerCase();
  const rest = equals === -1 ? '' : text.slice(equals + 1);
  switch (word) {
    case 'create':
    case 'delete':
      if (equals !== -1) throw new UsageError(`--for=${word} takes no value, but got "${rest}"`);
      return { is: word };
    case 'condition':
      return parseCondition(rest);
    case 'jsonpath':
      return parsePathCondition(rest);
    default: {
      const near = nearest(word, ['condition', 'jsonpath', 'create', 'delete']);
      throw new UsageError(
        `--for has to be ${forms}, not "${text}"${near === undefined ? '' : `. Did you mean "${near}"?`}`,
      );
    }
  }
}

function parseCondition(rest: string): WaitCondition {
  const [type = '', value = 'True', ...more] = rest.split('=');
  if (type === '') throw new UsageError('--for=condition needs a type: --for=condition=Available');
  if (value === '') throw new UsageError(`--for=condition=${type}= has no value: True, False or Unknown`);
  if (more.length > 0) throw new UsageError(`--for=condition=${rest} has one = too many: write condition=TYPE=VALUE`);
  const known = ['True', 'False', 'Unknown'].find((one) => one.toLowerCase() === value.toLowerCase());
  if (known === undefined)
    throw new UsageError(`the value of a condition has to be True, False or Unknown, not "${value}"`);
  return { is: 'condition', type, value: known };
}

function parsePathCondition(rest: string): WaitCondition {
  const cut = pathEnd(rest);
  const path = unquoted(rest.slice(0, cut));
  if (path === '') throw new UsageError("--for=jsonpath needs a path: --for=jsonpath='{.status.readyReplicas}'=2");
  if (cut < rest.length && rest.length === cut + 1) {
    throw new UsageError(`--for=jsonpath=${rest} has no value after the "=": omit the "=" to wait for any value`);
  }
  try {
    const parsed = parseJsonPath(/^[{.$@]/.test(path) ? path : `{.${path}}`);
    const value = cut === rest.length ? {} : { value: unquoted(rest.slice(cut + 1)) };
    return { is: 'jsonpath', path: parsed, ...value };
  } catch (error) {
    throw error instanceof PathError ? new UsageError(`--for=jsonpath: ${error.message}`) : error;
  }
}

/** The index of the first `=` outside of brackets and quotes, or the end. */
function pathEnd(text: string): number {
  let depth = 0;
  let quote = '';
  for (const [index, character] of [...text].entries()) {
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || (character === "'" && depth > 0)) quote = character;
    else if ('{[('.includes(character)) depth++;
    else if ('}])'.includes(character)) depth--;
    else if (character === '=' && depth <= 0) return [...text].slice(0, index).join('').length;
  }
  return text.length;
}

/** Removes quotes that were copied to a place where no shell removes them. */
function unquoted(text: string): string {
  return /^(['"]).*\1$/s.test(text) && text.length > 1 ? text.slice(1, -1) : text;
}

/** For messages: `condition Available`. */
export function conditionText(condition: WaitCondition): string {
  switch (condition.is) {
    case 'create':
      return 'creation';
    case 'delete':
      return 'deletion';
    case 'condition':
      return `condition ${condition.type}${condition.value === 'True' ? '' : `=${condition.value}`}`;
    case 'jsonpath':
      return `${condition.path.text}${condition.value === undefined ? '' : `=${condition.value}`}`;
  }
}

/** Returns undefined if the condition is met, else the actual state. `object` is undefined if it does not exist. */
export function unmetText(condition: WaitCondition, object: AnyObject | undefined): string | undefined {
  if (condition.is === 'delete') {
    if (object === undefined) return undefined;
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp === undefined) return 'it exists';
    return finalizers.length === 0 ? 'it is being deleted' : `waiting for ${finalizers.join(', ')}`;
  }
  if (object === undefined) return 'it does not exist';
  if (condition.is === 'create') return undefined;
  return condition.is === 'condition' ? unmetCondition(condition, object) : unmetPath(condition, object);
}

function unmetCondition(
  { type, value }: Extract<WaitCondition, { readonly is: 'condition' }>,
  { metadata, status }: AnyObject,
): string | undefined {
  const conditions = conditionsOf(status);
  const found = conditions.find((one) => one.type.toLowerCase() === type.toLowerCase());
  if (found === undefined) return `it has no condition ${type}`;
  const observed = found.observedGeneration ?? observedIn(status);
  // A condition of an older generation does not count.
  if (observed !== undefined && observed < metadata.generation) return 'its latest change has not been observed yet';
  return found.status === value ? undefined : `it is ${found.status}, ${found.reason}`;
}

function unmetPath(
  { path, value }: Extract<WaitCondition, { readonly is: 'jsonpath' }>,
  object: AnyObject,
): string | undefined {
  const found = findJsonPath(path, object).map(textOf);
  if (found.length === 0) return 'it has no value';
  if (value === undefined || found.every((one) => one === value)) return undefined;
  const shown = findJsonPath(path, redactObject(object)).map(textOf).join(' ');
  return `it is ${shown.length > shownMax ? `${shown.slice(0, shownMax)}…` : shown}`;
}

function observedIn(status: unknown): number | undefined {
  const isObject = typeof status === 'object' && status !== null && 'observedGeneration' in status;
  return isObject && typeof status.observedGeneration === 'number' ? status.observedGeneration : undefined;
}
