import type { JsonObject, JsonValue } from '../json.ts';
import type { NumberSchema, Schema, StringSchema } from './schema.ts';

/**
 * Converts a schema to JSON Schema, draft 2020-12, for editors and other tools. It accepts what `validate` accepts,
 * except for rules that are code: `format` names custom checks, `x-kubernetes-list-map-keys` stands for `uniqueBy`.
 */
export function toJsonSchema(schema: Schema): JsonObject {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...convert(schema) };
}

function convert(schema: Schema): JsonObject {
  return defined({
    description: schema.description,
    default: schema.default,
    writeOnly: schema.secret,
    ...rules(schema),
  });
}

type Rules = Readonly<Record<string, JsonValue | undefined>>;

function rules(schema: Schema): Rules {
  switch (schema.type) {
    case 'string':
      return stringRules(schema);
    case 'integer':
    case 'number':
      return numberRules(schema);
    case 'boolean':
      return { type: 'boolean' };
    case 'object': {
      const properties = Object.entries(schema.properties).map(
        ([name, property]) => [name, convert(property)] as const,
      );
      return {
        type: 'object',
        properties: Object.fromEntries(properties),
        required: schema.required.length > 0 ? schema.required : undefined,
        additionalProperties: schema.open ? undefined : false,
        'x-kubernetes-preserve-unknown-fields': schema.open,
      };
    }
    case 'list':
      return {
        type: 'array',
        items: convert(schema.items),
        minItems: schema.minItems,
        maxItems: schema.maxItems,
        uniqueItems: schema.uniqueItems,
        'x-kubernetes-list-type': schema.uniqueBy === undefined ? undefined : 'map',
        'x-kubernetes-list-map-keys': schema.uniqueBy === undefined ? undefined : [schema.uniqueBy],
      };
    case 'map':
      return {
        type: 'object',
        additionalProperties: convert(schema.values),
        propertyNames: schema.keys && convert(schema.keys),
        maxProperties: schema.maxProperties,
      };
    case 'anything':
      return {};
    case 'integerOrString':
      return {
        anyOf: [defined(numberRules({ type: 'integer' })), { type: 'string' }],
        pattern: schema.pattern?.expression.source,
        'x-kubernetes-int-or-string': true,
      };
  }
}

function stringRules(schema: StringSchema): Rules {
  if (schema.enum !== undefined) return { type: 'string', enum: schema.enum };
  return {
    type: 'string',
    minLength: schema.minLength,
    maxLength: schema.maxLength,
    pattern: schema.pattern?.expression.source,
    format: schema.format?.name,
  };
}

function numberRules({ type, minimum, maximum }: NumberSchema): Rules {
  // Integers are unbounded in JSON Schema, but limited here to what a double holds exactly.
  if (type === 'number') return { type, minimum, maximum };
  return { type, minimum: minimum ?? Number.MIN_SAFE_INTEGER, maximum: maximum ?? Number.MAX_SAFE_INTEGER };
}

function defined(rules: Rules): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(rules)) {
    if (value !== undefined) result[name] = value;
  }
  return result;
}
