/**
 * The structural schema of Kubernetes, from the schema of a kind. It accepts what the schema accepts, except for rules
 * that it has no words for: formats that are code, and the syntax of the keys of a map.
 */
import {
  ApiError,
  applyDefaults,
  type JsonObject,
  type JsonValue,
  type Schema,
  type StringSchema,
} from '@ecsm/runtime';
import { goPattern } from './go-pattern.ts';

/** A rule in CEL, as Kubernetes' `x-kubernetes-validations`. `oldSelf` makes it a rule about changes. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  /** CEL that makes the message; `message` is used if it fails. */
  readonly messageExpression?: string;
  /** The field in which the error is reported, such as `.size`. */
  readonly fieldPath?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
}

/** The rules of one node and those below, by the names of fields; `*` for items of lists and values of maps. */
export interface RuleTree {
  readonly rules: CelRule[];
  readonly children: Map<string, RuleTree>;
}

/** Throws Internal if a pattern has no equivalent in Go. */
export function structural(schema: Schema, tree?: RuleTree): JsonObject {
  return defined({
    description: schema.description,
    default: completeDefault(schema),
    ...typeRules(schema, tree),
    'x-kubernetes-validations': tree && tree.rules.length > 0 ? tree.rules.map((rule) => ({ ...rule })) : undefined,
  });
}

/** With the defaults inside of it: Kubernetes checks the default of an object without them. */
function completeDefault(schema: Schema): JsonValue | undefined {
  // The default of a kind was checked when the kind was defined.
  return schema.default === undefined ? undefined : (applyDefaults(schema, schema.default) as JsonValue);
}

type Rules = Readonly<Record<string, JsonValue | undefined>>;

function typeRules(schema: Schema, tree: RuleTree | undefined): Rules {
  const inner = tree?.children.get('*');
  switch (schema.type) {
    case 'string':
      return stringRules(schema);
    case 'integer':
      return { type: 'integer', format: 'int64', minimum: schema.minimum, maximum: schema.maximum };
    case 'number':
      return { type: 'number', minimum: schema.minimum, maximum: schema.maximum };
    case 'boolean':
      return { type: 'boolean' };
    case 'object':
      return {
        type: 'object',
        properties: propertiesOf(schema.properties, tree),
        required: schema.required.length > 0 ? schema.required : undefined,
        'x-kubernetes-preserve-unknown-fields': schema.open,
      };
    case 'list':
      return {
        type: 'array',
        items: structural(schema.items, inner),
        minItems: schema.minItems,
        maxItems: schema.maxItems,
        'x-kubernetes-list-type': schema.uniqueBy !== undefined ? 'map' : schema.uniqueItems ? 'set' : undefined,
        'x-kubernetes-list-map-keys':
          schema.uniqueBy === undefined ? undefined : [keyOf(schema.items, schema.uniqueBy)],
      };
    case 'map':
      // Rules in CEL cannot refer to a map of values without a type, but to an object with any fields.
      if (schema.values.type === 'anything') return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      return {
        type: 'object',
        additionalProperties: structural(schema.values, inner),
        maxProperties: schema.maxProperties,
      };
    case 'anything':
      return { 'x-kubernetes-preserve-unknown-fields': true };
    case 'integerOrString':
      return {
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        pattern: schema.pattern && goPattern(schema.pattern.expression),
        'x-kubernetes-int-or-string': true,
      };
  }
}

export function propertiesOf(properties: Readonly<Record<string, Schema>>, tree: RuleTree | undefined): JsonObject {
  const converted = Object.entries(properties).map(
    ([name, property]) => [name, structural(property, tree?.children.get(name))] as const,
  );
  return Object.fromEntries(converted);
}

/** Formats that Kubernetes checks as we do. It warns of those that it does not know. */
const formats: ReadonlySet<string> = new Set(['date-time']);

function stringRules({ enum: values, minLength, maxLength, pattern, format }: StringSchema): Rules {
  if (values !== undefined) return { type: 'string', enum: values };
  return {
    type: 'string',
    minLength,
    maxLength,
    pattern: pattern && goPattern(pattern.expression),
    format: format && formats.has(format.name) ? format.name : undefined,
  };
}

/** Kubernetes needs the key of an item to be present. */
function keyOf(items: Schema, key: string): string {
  const property = items.type === 'object' ? items.properties[key] : undefined;
  if (property?.presence === 'optional') {
    throw new ApiError('Internal', { reason: `structural schema: the key "${key}" of a list may not be optional` });
  }
  return key;
}

function defined(rules: Rules): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(rules)) {
    if (value !== undefined) result[name] = value;
  }
  return result;
}
