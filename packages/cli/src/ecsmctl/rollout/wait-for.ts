/** What `wait` waits for, from the text of `--for` to whether an object fulfils it. */

import { nearest, UsageError } from '@ecsm/command-line';
import type { ApiObject, Condition } from '@ecsm/runtime';
import { findJsonPath, type JsonPath, PathError, parseJsonPath, textOf } from '../../print/jsonpath.ts';
import { redactObject } from '../shared/secrets.ts';

type AnyObject = ApiObject<unknown, unknown>;

export type Wish =
  | { readonly is: 'create' }
  | { readonly is: 'delete' }
  | { readonly is: 'condition'; readonly type: string; readonly value: string }
  /** Without a value it is enough that something is there. */
  | { readonly is: 'jsonpath'; readonly path: JsonPath; readonly value?: string };

/** Of a value that is there instead. */
const shownMax = 80;
const forms = 'condition=TYPE[=VALUE], jsonpath=PATH[=VALUE], create or delete';

/** Throws `UsageError`. */
export function parseWish(text: string): Wish {
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
      return parsePathWish(rest);
    default: {
      const near = nearest(word, ['condition', 'jsonpath', 'create', 'delete']);
      throw new UsageError(
        `--for has to be ${forms}, not "${text}"${near === undefined ? '' : `. Did you mean "${near}"?`}`,
      );
    }
  }
}

function parseCondition(rest: string): Wish {
  const [type = '', value = 'True', ...more] = rest.split('=');
  if (type === '') throw new UsageError('--for=condition needs a type: --for=condition=Available');
  if (value === '') throw new UsageError(`--for=condition=${type}= has no value: True, False or Unknown`);
  if (more.length > 0) throw new UsageError(`--for=condition=${rest} has one = too many: write condition=TYPE=VALUE`);
  const known = ['True', 'False', 'Unknown'].find((one) => one.toLowerCase() === value.toLowerCase());
  if (known === undefined)
    throw new UsageError(`the value of a condition has to be True, False or Unknown, not "${value}"`);
  return { is: 'condition', type, value: known };
}

function parsePathWish(rest: string): Wish {
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

/** The `=` that stands outside of brackets and quotes, or the end. */
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

/** People copy `'{.status}'` to where no shell takes the quotes away. */
function unquoted(text: string): string {
  return /^(['"]).*\1$/s.test(text) && text.length > 1 ? text.slice(1, -1) : text;
}

/** For people: `condition Available`. */
export function wishText(wish: Wish): string {
  switch (wish.is) {
    case 'create':
      return 'creation';
    case 'delete':
      return 'deletion';
    case 'condition':
      return `condition ${wish.type}${wish.value === 'True' ? '' : `=${wish.value}`}`;
    case 'jsonpath':
      return `${wish.path.text}${wish.value === undefined ? '' : `=${wish.value}`}`;
  }
}

/** Nothing if it is fulfilled, else what is there instead. `object` is absent where there is none. */
export function unmetText(wish: Wish, object: AnyObject | undefined): string | undefined {
  if (wish.is === 'delete') {
    if (object === undefined) return undefined;
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp === undefined) return 'it exists';
    return finalizers.length === 0 ? 'it is being deleted' : `waiting for ${finalizers.join(', ')}`;
  }
  if (object === undefined) return 'it does not exist';
  if (wish.is === 'create') return undefined;
  return wish.is === 'condition' ? unmetCondition(wish, object) : unmetPath(wish, object);
}

function unmetCondition(
  { type, value }: Extract<Wish, { readonly is: 'condition' }>,
  { metadata, status }: AnyObject,
): string | undefined {
  const conditions = conditionsIn(status);
  const found = conditions.find((one) => one.type.toLowerCase() === type.toLowerCase());
  if (found === undefined) return `it has no condition ${type}`;
  const observed = found.observedGeneration ?? observedIn(status);
  // What is said of an older spec is no answer.
  if (observed !== undefined && observed < metadata.generation) return 'its latest change has not been observed yet';
  return found.status === value ? undefined : `it is ${found.status}, ${found.reason}`;
}

function unmetPath({ path, value }: Extract<Wish, { readonly is: 'jsonpath' }>, object: AnyObject): string | undefined {
  const found = findJsonPath(path, object).map(textOf);
  if (found.length === 0) return 'it has no value';
  if (value === undefined || found.every((one) => one === value)) return undefined;
  const shown = findJsonPath(path, redactObject(object)).map(textOf).join(' ');
  return `it is ${shown.length > shownMax ? `${shown.slice(0, shownMax)}…` : shown}`;
}

function conditionsIn(status: unknown): readonly Condition[] {
  const isObject = typeof status === 'object' && status !== null && 'conditions' in status;
  return isObject && Array.isArray(status.conditions) ? status.conditions : [];
}

function observedIn(status: unknown): number | undefined {
  const isObject = typeof status === 'object' && status !== null && 'observedGeneration' in status;
  return isObject && typeof status.observedGeneration === 'number' ? status.observedGeneration : undefined;
}
