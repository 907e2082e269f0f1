/** Builders for schemas. Each returns a frozen, plain node, and throws Internal if the definition is invalid. */
import { ApiError } from '../errors.ts';
import { deepFreeze, type JsonValue } from '../json.ts';
import type {
  AnythingSchema,
  BooleanSchema,
  Defaulted,
  Infer,
  Input,
  InputOfProperties,
  IntegerOrStringSchema,
  ListSchema,
  MapSchema,
  NumberSchema,
  ObjectSchema,
  Optional,
  OutputOfProperties,
  Schema,
  StringSchema,
} from './schema.ts';

/** The options of a node; its type and presence come from the builder. */
type Options<S extends Schema, Own extends keyof S = never> = Readonly<Pick<S, 'description' | 'secret' | Own>>;

type StringRules = 'minLength' | 'maxLength' | 'pattern' | 'format' | 'enum';

/** Text. With `enum`, the type is the union of its values. */
export function string<const Value extends string = string>(
  options: Options<StringSchema<Value>, StringRules> = {},
): StringSchema<Value> {
  checkPattern(options.pattern);
  if (options.enum?.length === 0) throw invalid('an enum needs at least one value');
  return Object.freeze({ type: 'string', ...options });
}

/** A safe integer. */
export function integer(options: Options<NumberSchema, 'minimum' | 'maximum'> = {}): NumberSchema {
  return Object.freeze({ type: 'integer', ...options });
}

export function number(options: Options<NumberSchema, 'minimum' | 'maximum'> = {}): NumberSchema {
  return Object.freeze({ type: 'number', ...options });
}

export function boolean(options: Options<BooleanSchema> = {}): BooleanSchema {
  return Object.freeze({ type: 'boolean', ...options });
}

/**
 * An object with exactly these fields, or with `open` with at least these. Each is required unless it is `optional(…)` or
 * `withDefault(…)`.
 */
export function object<P extends Readonly<Record<string, Schema>>>(
  properties: P,
  options: Options<ObjectSchema, 'open'> = {},
): ObjectSchema<OutputOfProperties<P>, InputOfProperties<P>> {
  const own: Record<string, Schema> = Object.create(null);
  for (const [name, property] of Object.entries(properties)) {
    // Every value inherits these, so a lookup would always find something.
    if (name in Object.prototype) throw invalid(`a field cannot be called "${name}"`);
    own[name] = property;
  }
  const named = (presence: Schema['presence']) =>
    Object.freeze(Object.keys(own).filter((name) => own[name]?.presence === presence));
  return Object.freeze({
    type: 'object',
    properties: Object.freeze(own),
    required: named(undefined),
    defaulted: named('defaulted'),
    ...options,
  });
}

export function list<S extends Schema>(
  items: S,
  options: Options<ListSchema, 'minItems' | 'maxItems' | 'uniqueBy' | 'uniqueItems'> = {},
): ListSchema<readonly Infer<S>[], readonly Input<S>[]> {
  if (items.presence !== undefined) throw invalid('the items of a list are neither optional nor defaulted');
  const { uniqueBy, uniqueItems } = options;
  if (uniqueBy !== undefined && !(items.type === 'object' && uniqueBy in items.properties)) {
    throw invalid(`uniqueBy needs items with the field "${uniqueBy}"`);
  }
  if (uniqueItems && !['string', 'integer', 'number', 'boolean'].includes(items.type)) {
    throw invalid('uniqueItems needs scalar items; for objects there is uniqueBy');
  }
  return Object.freeze({ type: 'list', items, ...options });
}

/** An object with arbitrary keys, such as labels. `keys` restricts the keys. */
export function map<S extends Schema>(
  values: S,
  options: Options<MapSchema, 'keys' | 'maxProperties'> = {},
): MapSchema<Readonly<Record<string, Infer<S>>>, Readonly<Record<string, Input<S>>>> {
  if (values.presence !== undefined) throw invalid('the values of a map are neither optional nor defaulted');
  return Object.freeze({ type: 'map', values, ...options });
}

/** Any JSON, stored as it is. For data whose schema is defined elsewhere. */
export function anything(options: Options<AnythingSchema, 'like'> = {}): AnythingSchema {
  return Object.freeze({ type: 'anything', ...options });
}

export function integerOrString(options: Options<IntegerOrStringSchema, 'pattern'> = {}): IntegerOrStringSchema {
  checkPattern(options.pattern);
  return Object.freeze({ type: 'integerOrString', ...options });
}

/** A field that may be absent, in input and in output. */
export function optional<S extends Schema>(schema: S): Optional<S> {
  if (schema.presence !== undefined) throw invalid('a field is either optional or defaulted, and only once');
  return frozen(Object.assign({}, schema, { presence: 'optional' as const }));
}

/**
 * A field that may be absent in input. As in Kubernetes, the defaults inside an object apply only where that object is
 * present: set the default `{}` to apply them always.
 */
export function withDefault<S extends Schema>(schema: S, value: Input<S> & JsonValue): Defaulted<S> {
  if (schema.presence !== undefined) throw invalid('a field is either optional or defaulted, and only once');
  return frozen(Object.assign({}, schema, { presence: 'defaulted' as const, default: deepFreeze(value) }));
}

function checkPattern(pattern: StringSchema['pattern']): void {
  const flags = pattern?.expression.flags ?? '';
  // `g` and `y` are stateful; `i`, `m` and `s` would be lost in the JSON Schema.
  if (flags !== '' && flags !== 'u') throw invalid(`a pattern may have the flag "u" only, not "${flags}"`);
}

function frozen<Node>(node: Node): Node {
  Object.freeze(node);
  return node;
}

function invalid(reason: string): ApiError {
  return new ApiError('Internal', { reason: `schema: ${reason}` });
}
