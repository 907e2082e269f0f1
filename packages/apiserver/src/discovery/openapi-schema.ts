/** Converts the JSON Schema of a kind to the schema dialect of OpenAPI 3.0, with the extensions of Kubernetes. */
import { isPlainObject, type JsonObject, type JsonValue } from '@ecsm/runtime';
import type { DescribedKind } from './served.ts';

const schemaPrefix = '#/components/schemas/';
export const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** `ecsm.sh/v1 ECSMService` is `sh.ecsm.v1.ECSMService`, and core kinds are `io.k8s.api.core.v1.…`. */
export function schemaName({ group, version, kind }: Pick<DescribedKind, 'group' | 'version' | 'kind'>): string {
  const isBuiltIn = group === '' || group.endsWith('.k8s.io') || !group.includes('.');
  const path = isBuiltIn ? `io.k8s.api.${group.split('.')[0] || 'core'}` : group.split('.').reverse().join('.');
  return `${path}.${version}.${kind}`;
}

export function reference(name: string): JsonObject {
  return { $ref: `${schemaPrefix}${name}` };
}

/** A reference beside other keywords: OpenAPI 3.0 ignores the siblings of `$ref`. */
export function describedReference(name: string, description: string): JsonObject {
  return { description, allOf: [reference(name)] };
}

const typeFields: JsonObject = {
  apiVersion: {
    description: 'Group and version of this representation of an object. The server can reject unknown values.',
    type: 'string',
  },
  kind: { description: 'Kind of the object, in CamelCase. Cannot be changed.', type: 'string' },
};

/** The schema of the objects of a kind. */
export function objectSchema(kind: DescribedKind): JsonObject {
  const { properties, required, ...rest } = toOpenApi(kind.jsonSchema());
  const content = isPlainObject(properties) ? withoutCommon(properties) : {};
  const names = Array.isArray(required) ? required.filter((name) => name in content) : [];
  return {
    ...rest,
    description: kind.description || `${kind.kind} of ${kind.group || 'the core group'}.`,
    properties: {
      ...typeFields,
      metadata: describedReference(`${metaPackage}.ObjectMeta`, "The object's name, identity, labels and owners."),
      ...content,
    },
    ...(names.length > 0 && { required: names }),
    'x-kubernetes-group-version-kind': [groupVersionKind(kind)],
  };
}

/** The schema of the lists of a kind. */
export function listSchema(kind: DescribedKind): JsonObject {
  const list = { ...kind, kind: `${kind.kind}List` };
  return {
    description: `A list of ${kind.kind}.`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeFields,
      metadata: describedReference(`${metaPackage}.ListMeta`, 'Version of the list, and where the next page starts.'),
      items: { description: 'The objects.', type: 'array', items: reference(schemaName(kind)) },
    },
    'x-kubernetes-group-version-kind': [groupVersionKind(list)],
  };
}

export function groupVersionKind({ group, version, kind }: Pick<DescribedKind, 'group' | 'version' | 'kind'>): {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
} {
  return { group, version, kind };
}

function withoutCommon(properties: Readonly<Record<string, JsonValue>>): JsonObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...content } = properties;
  return content;
}

/** Keywords that OpenAPI 3.0 does not have, or that Kubernetes does not allow in the schema of an object. */
const dropped = new Set(['$schema', 'propertyNames', 'uniqueItems', 'anyOf', 'x-kubernetes-int-or-string']);

/** Converts a schema and all schemas in it. */
export function toOpenApi(schema: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (dropped.has(keyword) || isUnbounded(keyword, value)) continue;
    if (keyword === 'properties' && isPlainObject(value)) result[keyword] = mapValues(value);
    else if ((keyword === 'items' || keyword === 'additionalProperties') && isPlainObject(value)) {
      result[keyword] = toOpenApi(value);
    } else if (keyword !== 'additionalProperties') result[keyword] = value;
  }
  return { ...result, ...extensionsOf(schema) };
}

function mapValues(schemas: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, isPlainObject(schema) ? toOpenApi(schema) : schema]),
  );
}

/** The limits of exact integers follow from the format. */
function isUnbounded(keyword: string, value: JsonValue): boolean {
  return (
    (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  );
}

function extensionsOf(schema: JsonObject): JsonObject {
  const { type } = schema;
  // As Kubernetes describes its own kinds.
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
  }
  if (type === undefined) return { 'x-kubernetes-preserve-unknown-fields': true };
  if (type === 'integer') return { format: 'int64' };
  if (type !== 'array') return {};
  const keys = schema['x-kubernetes-list-map-keys'];
  if (Array.isArray(keys)) return { 'x-kubernetes-patch-merge-key': keys[0], 'x-kubernetes-patch-strategy': 'merge' };
  if (schema['uniqueItems'] === true)
    return { 'x-kubernetes-list-type': 'set', 'x-kubernetes-patch-strategy': 'merge' };
  return { 'x-kubernetes-list-type': 'atomic' };
}
