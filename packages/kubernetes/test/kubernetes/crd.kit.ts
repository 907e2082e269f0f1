/** A CustomResourceDefinition from a kind, for tests. */
import type { Kind } from '@ecsm/runtime';

type Json = Readonly<Record<string, unknown>>;

/** Rules between fields are code in a kind, and CEL in a CustomResourceDefinition. By kind, for its spec. */
const specRules: Readonly<Record<string, readonly Json[]>> = {
  Widget: [
    {
      rule: "!(has(self.colour) && self.colour == 'red' && self.size > 100)",
      message: 'a red widget has at most 100',
      fieldPath: '.size',
    },
    {
      rule: '!has(oldSelf.colour) || (has(self.colour) && self.colour == oldSelf.colour)',
      message: 'cannot be changed once it is set',
      fieldPath: '.colour',
      reason: 'FieldValueForbidden',
    },
  ],
};

/** Scalar fields of a spec, which lists can be selected by. At most 8. */
const selectableFieldsMax = 8;

export function crdOf(kind: Kind): Json {
  const { group, version, plural, singular, shortNames, categories, scope } = kind;
  const { metadata: _, ...properties } = kind.schema.properties;
  const whole = structural(kind.jsonSchema());
  const converted = whole['properties'] as Record<string, Json>;
  const schema: Json = {
    ...whole,
    properties: { ...converted, metadata: { type: 'object' }, ...specOf(kind, converted) },
    required: (whole['required'] as string[] | undefined)?.filter(
      (name) => !['apiVersion', 'kind', 'metadata'].includes(name),
    ),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, singular, kind: kind.kind, shortNames, categories },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          selectableFields: selectableFields(converted['spec']),
          ...(properties['status'] === undefined ? {} : { subresources: { status: {} } }),
        },
      ],
    },
  };
}

function specOf(kind: Kind, properties: Readonly<Record<string, Json>>): Json {
  const rules = specRules[kind.kind];
  return rules && properties['spec'] ? { spec: { ...properties['spec'], 'x-kubernetes-validations': rules } } : {};
}

function selectableFields(spec: Json | undefined): readonly Json[] | undefined {
  const fields = Object.entries((spec?.['properties'] ?? {}) as Record<string, Json>)
    .filter(([, { type }]) => ['string', 'integer', 'boolean'].includes(String(type)))
    .map(([name]) => ({ jsonPath: `.spec.${name}` }));
  return fields.length === 0 ? undefined : fields.slice(0, selectableFieldsMax);
}

/** Removes what a structural schema must not contain. */
function structural(schema: unknown): Json {
  const { $schema, writeOnly, propertyNames, uniqueItems, ...rest } = schema as Record<string, unknown>;
  const { properties, additionalProperties, items } = rest;
  if (rest['type'] === undefined) return { ...rest, 'x-kubernetes-preserve-unknown-fields': true };
  const { additionalProperties: _, ...closed } = rest;
  return {
    ...(additionalProperties === false ? closed : rest),
    ...(properties === undefined ? {} : { properties: mapped(properties) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: structural(additionalProperties) } : {}),
    ...(items === undefined ? {} : { items: structural(items) }),
  };
}

function mapped(properties: unknown): Json {
  return Object.fromEntries(Object.entries(properties as object).map(([name, value]) => [name, structural(value)]));
}
