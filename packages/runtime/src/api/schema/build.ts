/** The words in which schemas are written. Each returns a frozen, plain node; a node that makes no sense throws. */
import { ApiError } from '../errors.ts';
import { deepFreeze, type JsonValue } from '../json.ts';
import type {
  AnythingSchema,
  BooleanSchema,
  Defaulted,
  Infer,
  Input,
  InputOfProperties,
  ListSchema,
  MapSchema,
  NumberSchema,
  ObjectSchema,
  Optional,
  OutputOfProperties,
  Schema,
  StringSchema,
} from './schema.ts';

/** What a writer of a schema may say about a node; its type and presence come from the word that makes it. */
type Options<S extends Schema, Own extends keyof S = never> = Readonly<Pick<S, 'description' | 'secret' | Own>>;

type StringRules = 'minLength' | 'maxLength' | 'pattern' | 'format' | 'enum';

/** Text. With `enum`, the type is the union of its values. */
export function string<const Value extends string = string>(
  options: Options<StringSchema<Value>, StringRules> = {},
): StringSchema<Value> {
  const flags = options.pattern?.expression.flags ?? '';
  // `g` and `y` remember where they were; `i`, `m` and `s` would be lost in the JSON Schema.
  if (flags !== '' && flags !== 'u') throw wrong(`a pattern may have the flag "u" only, not "${flags}"`);
  if (options.enum?.length === 0) throw wrong('an enum needs at least one value');
  return Object.freeze({ type: 'string', ...options });
}

/** A whole number that JavaScript holds exactly. */
export function integer(options: Options<NumberSchema, 'minimum' | 'maximum'> = {}): NumberSchema {
  return Object.freeze({ type: 'integer', ...options });
}

export function number(options: Options<NumberSchema, 'minimum' | 'maximum'> = {}): NumberSchema {
  return Object.freeze({ type: 'number', ...options });
}

export function boolean(options: Options<BooleanSchema> = {}): BooleanSchema {
  return Object.freeze({ type: 'boolean', ...options });
}

/** An object with exactly these fields. Each is required unless it is `optional(…)` or `withDefault(…)`. */
export function object<P extends Readonly<Record<string, Schema>>>(
  properties: P,
  options: Options<ObjectSchema> = {},
): ObjectSchema<OutputOfProperties<P>, InputOfProperties<P>> {
  const own: Record<string, Schema> = Object.create(null);
  for (const [name, property] of Object.entries(properties)) {
    // A value inherits these, so that asking whether it has one would always find something.
    if (name in Object.prototype) throw wrong(`a field cannot be called "${name}"`);
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
  if (items.presence !== undefined) throw wrong('the items of a list are neither optional nor defaulted');
  const { uniqueBy, uniqueItems } = options;
  if (uniqueBy !== undefined && !(items.type === 'object' && uniqueBy in items.properties)) {
    throw wrong(`uniqueBy needs items with the field "${uniqueBy}"`);
  }
  if (uniqueItems && !['string', 'integer', 'number', 'boolean'].includes(items.type)) {
    throw wrong('uniqueItems needs scalar items; for objects there is uniqueBy');
  }
  return Object.freeze({ type: 'list', items, ...options });
}

/** An object whose keys are the writer's choice, such as labels. `keys` says which keys may be. */
export function map<S extends Schema>(
  values: S,
  options: Options<MapSchema, 'keys' | 'maxProperties'> = {},
): MapSchema<Readonly<Record<string, Infer<S>>>, Readonly<Record<string, Input<S>>>> {
  if (values.presence !== undefined) throw wrong('the values of a map are neither optional nor defaulted');
  return Object.freeze({ type: 'map', values, ...options });
}

/** Any JSON, kept as it is. For escape hatches whose shape belongs to somebody else. */
export function anything(options: Options<AnythingSchema> = {}): AnythingSchema {
  return Object.freeze({ type: 'anything', ...options });
}

/** A field that may be absent, also for readers. */
export function optional<S extends Schema>(schema: S): Optional<S> {
  if (schema.presence !== undefined) throw wrong('a field is either optional or defaulted, and only once');
  return frozen(Object.assign({}, schema, { presence: 'optional' as const }));
}

/**
 * A field that a writer may leave out. As in Kubernetes, the defaults inside an object apply only where that object
 * is there: give it the default `{}` to have them always.
 */
export function withDefault<S extends Schema>(schema: S, value: Input<S> & JsonValue): Defaulted<S> {
  if (schema.presence !== undefined) throw wrong('a field is either optional or defaulted, and only once');
  return frozen(Object.assign({}, schema, { presence: 'defaulted' as const, default: deepFreeze(value) }));
}

function frozen<Node>(node: Node): Node {
  Object.freeze(node);
  return node;
}

function wrong(reason: string): ApiError {
  return new ApiError('Internal', { reason: `schema: ${reason}` });
}
