import { didYouMean } from '../../lib/nearest.ts';
import { hidden } from '../../redact/mark.ts';
import { redactText } from '../../redact/text.ts';
import type { FieldError } from '../errors.ts';
import { isPlainObject, jsonProblem } from '../json.ts';
import { formatPath, type PathSegment } from '../path.ts';
import { hasSecrets } from './lookup.ts';
import type {
  IntegerOrStringSchema,
  ListSchema,
  MapSchema,
  NumberSchema,
  ObjectSchema,
  Schema,
  StringSchema,
} from './schema.ts';

/** Maximum number of errors returned for one value. It bounds the response to invalid input. */
export const FIELD_ERRORS_MAX = 50;

/** Longer values are truncated in messages. */
const SHOWN_LENGTH_MAX = 64;
/** A key may be as long as a document. A truncated path no longer identifies its field. */
const PATH_CHARACTERS_MAX = 1_000;
const MESSAGE_CHARACTERS_MAX = 1_000;

/** A placeholder in a file that was made from text. Stored, it would replace the secret. */
const placeholderReason = 'must be the value, not the placeholder that is shown for it';

/** Returns at most `FIELD_ERRORS_MAX` errors of bounded length, and one more if some were dropped. */
export function boundedErrors(errors: readonly FieldError[], base = ''): FieldError[] {
  const shown = errors.slice(0, FIELD_ERRORS_MAX).map(({ path, type, message }) => ({
    path: shortened(path, PATH_CHARACTERS_MAX),
    type,
    message: shortened(message, MESSAGE_CHARACTERS_MAX),
  }));
  return errors.length > FIELD_ERRORS_MAX ? [...shown, tooMany(base)] : shown;
}

function tooMany(path: string): FieldError {
  return { path, type: 'Too many', message: `only the first ${FIELD_ERRORS_MAX} errors are shown` };
}

function shortened(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}

/**
 * Returns all errors of a value, with the wording of Kubernetes; an empty list if it is valid. Absent fields with a
 * default are valid, so it can be called before or after `applyDefaults`.
 */
export function validate(schema: Schema, value: unknown, path: string): FieldError[] {
  const walk: Walk = { errors: [], base: path, path: [] };
  checkOf(schema)(walk, value);
  return walk.errors;
}

/**
 * The path is a stack that is formatted only for an error: valid objects, the usual case, allocate no strings.
 */
interface Walk {
  readonly errors: FieldError[];
  readonly base: string;
  readonly path: PathSegment[];
}

/**
 * Every node is compiled to a function with its rules in variables. That is several times faster than reading them from
 * the nodes, whose many shapes defeat the inline caches of the engine.
 */
type Check = (walk: Walk, value: unknown) => void;

const checks = new WeakMap<Schema, Check>();

function checkOf(schema: Schema): Check {
  let check = checks.get(schema);
  if (check === undefined) {
    check = compile(schema);
    checks.set(schema, check);
  }
  return check;
}

function compile(schema: Schema): Check {
  switch (schema.type) {
    case 'string':
      return compileString(schema);
    case 'integer':
    case 'number':
      return compileNumber(schema);
    case 'boolean':
      return (walk, value) => {
        if (typeof value !== 'boolean') invalid(walk, schema, value, 'must be true or false');
      };
    case 'object':
      return compileObject(schema);
    case 'list':
      return compileList(schema);
    case 'map':
      return compileMap(schema);
    case 'anything':
      return compileAnything(schema);
    case 'integerOrString':
      return compileIntegerOrString(schema);
  }
}

function compileAnything(schema: Schema): Check {
  return (walk, value) => {
    const reason = jsonProblem(value, walk.path.length);
    if (reason !== undefined) invalid(walk, schema, value, reason);
  };
}

function compileString(schema: StringSchema): Check {
  const { enum: values, minLength = 0, maxLength = Number.POSITIVE_INFINITY, format } = schema;
  const expression = schema.pattern?.expression;
  const hint = schema.pattern?.hint ?? '';
  return (walk, value) => {
    if (typeof value !== 'string') return invalid(walk, schema, value, 'must be a string');
    if (schema.secret && value === hidden) return invalid(walk, schema, value, placeholderReason);
    if (values !== undefined) {
      if (values.includes(value)) return;
      const supported = values.map((item) => JSON.stringify(item)).join(', ');
      return report(walk, 'Unsupported value', `${shown(schema, value)}: supported values: ${supported}`);
    }
    if (value.length > maxLength && codePoints(value) > maxLength) {
      return report(walk, 'Too long', `must be no more than ${maxLength} characters`);
    }
    // A code point is one or two UTF-16 units, so counting is needed only below twice the minimum.
    if (value.length < 2 * minLength && codePoints(value) < minLength) {
      if (value === '') return report(walk, 'Required value', 'must not be empty');
      return invalid(walk, schema, value, `must be at least ${minLength} characters`);
    }
    if (expression !== undefined && !expression.test(value)) return invalid(walk, schema, value, hint);
    const reason = format?.check(value);
    if (reason !== undefined) invalid(walk, schema, value, reason);
  };
}

function compileIntegerOrString(schema: IntegerOrStringSchema): Check {
  const { expression, hint = '' } = schema.pattern ?? {};
  return (walk, value) => {
    if (typeof value !== 'string') {
      if (!Number.isSafeInteger(value)) invalid(walk, schema, value, 'must be an integer or a string');
    } else if (expression !== undefined && !expression.test(value)) {
      invalid(walk, schema, value, hint);
    }
  };
}

function compileNumber(schema: NumberSchema): Check {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const isInteger = schema.type === 'integer';
  return (walk, value) => {
    if (typeof value !== 'number') {
      invalid(walk, schema, value, isInteger ? 'must be an integer' : 'must be a number');
    } else if (isInteger && !Number.isSafeInteger(value)) {
      invalid(walk, schema, value, Number.isInteger(value) ? 'must be within ±(2^53 - 1)' : 'must be an integer');
    } else if (!Number.isFinite(value)) {
      invalid(walk, schema, value, 'must be a finite number');
    } else if (value < minimum) {
      invalid(walk, schema, value, `must be greater than or equal to ${minimum}`);
    } else if (value > maximum) {
      invalid(walk, schema, value, `must be less than or equal to ${maximum}`);
    }
  };
}

function compileObject(schema: ObjectSchema): Check {
  const fields = new Map(
    Object.entries(schema.properties).map(([name, property]) => {
      const isRequired = property.presence === undefined;
      // A required field that is null is missing; an optional one has the wrong type, unless a default replaces it.
      return [
        name,
        { check: checkOf(property), isRequired, nullIsMissing: isRequired && property.type !== 'anything' },
      ];
    }),
  );
  const checkUnlisted = schema.open ? compileAnything(schema) : undefined;
  return (walk, value) => {
    if (!isPlainObject(value)) return invalid(walk, schema, value, 'must be an object');
    let requiredSeen = 0;
    for (const name of Object.keys(value)) {
      const field = fields.get(name);
      const item = value[name];
      if (field === undefined && checkUnlisted !== undefined) {
        if (item !== undefined) descend(walk, name, checkUnlisted, item);
      } else if (field === undefined) {
        reportAt(walk, name, 'Unknown field', didYouMean(name, [...fields.keys()], 'known fields'));
      } else if (item !== undefined && !(item === null && field.nullIsMissing)) {
        if (field.isRequired) requiredSeen++;
        descend(walk, name, field.check, item);
      }
      if (isFull(walk)) return;
    }
    if (requiredSeen === schema.required.length) return;
    for (const name of schema.required) {
      const item = Object.hasOwn(value, name) ? value[name] : undefined;
      const isMissing = item === undefined || (item === null && fields.get(name)?.nullIsMissing === true);
      if (isMissing) reportAt(walk, name, 'Required value', 'must be set');
    }
  };
}

function compileList(schema: ListSchema): Check {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items, uniqueBy, uniqueItems } = schema;
  const check = checkOf(items);
  const identity = uniqueBy !== undefined && items.type === 'object' ? items.properties[uniqueBy] : items;
  return (walk, value) => {
    if (!Array.isArray(value)) return invalid(walk, schema, value, 'must be a list');
    if (value.length > maxItems)
      return report(walk, 'Too many', `${value.length}: must have at most ${maxItems} items`);
    if (value.length < minItems) {
      invalid(walk, schema, value, `must have at least ${minItems} ${minItems === 1 ? 'item' : 'items'}`);
    }
    for (let index = 0; index < value.length; index++) {
      descend(walk, index, check, value[index]);
      if (isFull(walk)) return;
    }
    if (value.length > 1 && (uniqueItems || uniqueBy !== undefined))
      checkUnique(walk, value, identity ?? items, uniqueBy);
  };
}

/** Checks that all items, or one field of them, differ. */
function checkUnique(walk: Walk, value: readonly unknown[], schema: Schema, field: string | undefined): void {
  const seen = new Set<unknown>();
  for (let index = 0; index < value.length; index++) {
    const item = value[index];
    const identity = field === undefined ? item : isPlainObject(item) ? item[field] : undefined;
    if (identity !== undefined && seen.has(identity)) {
      walk.path.push(index);
      if (field === undefined) report(walk, 'Duplicate value', shown(schema, identity));
      else reportAt(walk, field, 'Duplicate value', shown(schema, identity));
      walk.path.pop();
    }
    seen.add(identity);
  }
}

function compileMap(schema: MapSchema): Check {
  const { maxProperties = Number.POSITIVE_INFINITY } = schema;
  const checkKey = schema.keys === undefined ? undefined : checkOf(schema.keys);
  const check = checkOf(schema.values);
  return (walk, value) => {
    if (!isPlainObject(value)) return invalid(walk, schema, value, 'must be an object');
    const keys = Object.keys(value);
    if (keys.length > maxProperties)
      return report(walk, 'Too many', `${keys.length}: must have at most ${maxProperties} items`);
    for (const key of keys) {
      // An invalid key is reported at the map: it cannot be part of a path.
      checkKey?.(walk, key);
      if (value[key] !== undefined) descend(walk, key, check, value[key]);
      if (isFull(walk)) return;
    }
  };
}

function descend(walk: Walk, segment: PathSegment, check: Check, value: unknown): void {
  walk.path.push(segment);
  check(walk, value);
  walk.path.pop();
}

function invalid(walk: Walk, schema: Schema, value: unknown, reason: string): void {
  report(walk, 'Invalid value', `${shown(schema, value)}: ${reason}`);
}

function reportAt(walk: Walk, segment: PathSegment, type: FieldError['type'], message: string): void {
  walk.path.push(segment);
  report(walk, type, message);
  walk.path.pop();
}

function report({ errors, base, path }: Walk, type: FieldError['type'], message: string): void {
  if (errors.length < FIELD_ERRORS_MAX) {
    errors.push(...boundedErrors([{ path: formatPath(base, path), type, message }]));
  } else if (errors.length === FIELD_ERRORS_MAX) {
    errors.push(tooMany(base));
  }
}

function isFull(walk: Walk): boolean {
  return walk.errors.length > FIELD_ERRORS_MAX;
}

/** A value for messages: truncated, and without secrets. */
function shown(schema: Schema, value: unknown): string {
  // A text in place of an object may contain the secrets of the object.
  if (schema.secret || (typeof value === 'string' && hasSecrets(schema))) return `"${hidden}"`;
  if (typeof value === 'string') {
    return JSON.stringify(redactText(shortened(value, SHOWN_LENGTH_MAX)));
  }
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' && value !== null ? 'object' : String(value);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
