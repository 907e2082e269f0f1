/** Kinds of Kubernetes that a server serves beside the kinds of its program: Namespace, ConfigMap, Secret. */
import { defineFieldsKind, defineKind, type FieldError, type ObjectOf, schema } from '@ecsm/runtime';

const { boolean, list, map, object, optional, string, withDefault } = schema;

const phases = ['Active', 'Terminating'] as const;

export const Namespace = defineKind({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  scope: 'Cluster',
  description: 'A scope for names. Deleting a namespace deletes everything in it.',
  spec: withDefault(
    object({ finalizers: optional(list(string(), { description: 'Not used: see metadata.finalizers.' })) }),
    {},
  ),
  status: object({
    phase: optional(string({ enum: phases, description: 'Active, or Terminating while it is deleted.' })),
  }),
  columns: [
    { name: 'STATUS', value: ({ metadata }) => (metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating') },
  ],
});

export type Namespace = ObjectOf<typeof Namespace>;

/** Keys of ConfigMap and Secret. */
const dataKey = string({
  maxLength: 253,
  pattern: {
    expression: /^[-._a-zA-Z0-9]+$/u,
    hint: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  },
});

const base64 = {
  expression: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u,
  hint: 'must be base64',
};

const immutable = optional(boolean({ description: 'Whether the data cannot be changed any more.' }));

export const ConfigMap = defineFieldsKind({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  names: 'subdomain',
  description: 'Configuration data for programs.',
  fields: object({
    data: optional(map(string(), { keys: dataKey, description: 'Text by key.' })),
    binaryData: optional(map(string({ pattern: base64 }), { keys: dataKey, description: 'Bytes by key, in base64.' })),
    immutable,
  }),
  validate: (fields, old) => [...overlap(fields), ...immutableData(fields, old, ['data', 'binaryData'])],
  columns: [{ name: 'DATA', value: ({ data = {}, binaryData = {} }) => String(count(data) + count(binaryData)) }],
});

export const Secret = defineFieldsKind({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  names: 'subdomain',
  description: 'Confidential data for programs.',
  fields: object({
    type: withDefault(string({ description: 'Which keys the data has.' }), 'Opaque'),
    data: optional(
      map(string({ pattern: base64, secret: true }), { keys: dataKey, description: 'Bytes by key, in base64.' }),
    ),
    stringData: optional(
      map(string({ secret: true }), { keys: dataKey, description: 'Text by key. Written into data, never returned.' }),
    ),
    immutable,
  }),
  validate: (fields, old) => [...sameType(fields, old), ...immutableData(fields, old, ['data'])],
  columns: [
    { name: 'TYPE', value: ({ type }) => type },
    { name: 'DATA', value: ({ data = {} }) => String(count(data)) },
  ],
});

/** A program that reads the keys as files would find two of one name. */
function overlap({
  data = {},
  binaryData = {},
}: {
  readonly data?: object;
  readonly binaryData?: object;
}): FieldError[] {
  return Object.keys(data)
    .filter((key) => Object.hasOwn(binaryData, key))
    .map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
}

/** Who reads a secret by its type can rely on the keys of that type. */
function sameType({ type }: { readonly type: string }, old: { readonly type: string } | undefined): FieldError[] {
  return old === undefined || old.type === type ? [] : [invalid('type', type, 'field is immutable')];
}

function count(map: object): number {
  return Object.keys(map).length;
}

function immutableData<Fields extends { readonly immutable?: boolean }>(
  fields: Fields,
  old: Fields | undefined,
  names: readonly (keyof Fields & string)[],
): FieldError[] {
  if (old?.immutable !== true) return [];
  const changed = names.filter((name) => JSON.stringify(fields[name]) !== JSON.stringify(old[name]));
  const errors = changed.map((path) => forbidden(path, 'field is immutable when `immutable` is set'));
  return fields.immutable === true ? errors : [...errors, forbidden('immutable', 'cannot be unset')];
}

function invalid(path: string, value: string, message: string): FieldError {
  return { path, type: 'Invalid value', message: `${JSON.stringify(value)}: ${message}` };
}

function forbidden(path: string, message: string): FieldError {
  return { path, type: 'Forbidden', message };
}
