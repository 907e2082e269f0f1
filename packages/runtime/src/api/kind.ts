/**
 * The definition of a kind, the single source of its TypeScript types, validation, defaults, JSON Schema and printer
 * columns.
 */
import { ApiError, type FieldError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { checkKind } from './kind-check.ts';
import { metadataSchemaFor, type ObjectMetadataInput, type Scope, validateMetadataRules } from './metadata.ts';
import type { NameForm } from './names.ts';
import type { ApiObject, DefaultedObject, ObjectInput } from './object.ts';
import { type PathSegment, parsePath, scalarText, valueAt } from './path.ts';
import { object as objectOf, optional, string } from './schema/build.ts';
import { applyDefaults } from './schema/defaults.ts';
import { toJsonSchema } from './schema/json-schema.ts';
import type { ObjectSchema, Schema } from './schema/schema.ts';
import { boundedErrors, validate } from './schema/validate.ts';

/** One column of `get`. NAME and AGE are not listed: every table has them. */
export type ColumnDefinition<Object> = {
  readonly name: string;
  /** Shown only with `-o wide`. */
  readonly wide?: boolean;
  /** With `wide`: also shown without `-o wide` if a row has a value. For what most objects do not have. */
  readonly sparse?: boolean;
} & ({ readonly path: string } | { readonly value: (object: Object) => string });

export interface Column<Object> {
  readonly name: string;
  readonly wide: boolean;
  readonly sparse?: boolean;
  /** The field that is shown; absent if the value is computed. */
  readonly path?: string;
  /** The empty string if there is no value. */
  value(object: Object): string;
}

/** The fields that `scale` reads and writes, for kinds with replicas. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

interface KindNames {
  /** Empty for the core kinds of Kubernetes, whose `apiVersion` is the version alone. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly description?: string;
  /** Default `Namespaced`. */
  readonly scope?: Scope;
  /** The syntax of the names of its objects. Default `label`. */
  readonly names?: NameForm;
  /** Names that field selectors accept besides fields: each stands for the first of these fields that has a value. */
  readonly selectors?: Readonly<Record<string, readonly string[]>>;
  /** A top-level field that is true in one object of the kind at most: a second one is refused. Default: none. */
  readonly exclusive?: string;
}

export interface KindDefinition<Spec, Status, SpecInput, StatusInput> extends KindNames {
  readonly spec: ObjectSchema<Spec, SpecInput>;
  /** Default: no status, and no status subresource. */
  readonly status?: ObjectSchema<Status, StatusInput>;
  /**
   * Cross-field rules, called only for objects that match the schema. `old` is the object before an update, for rules
   * about immutable fields.
   */
  readonly validate?: (
    object: DefaultedObject<Spec, Status>,
    old?: DefaultedObject<Spec, Status>,
  ) => readonly FieldError[];
  /** Default: none besides NAME and AGE. */
  readonly columns?: readonly ColumnDefinition<ApiObject<Spec, Status>>[];
  readonly scale?: ScalePaths;
}

/** A kind whose content is at the top level of the object instead of in `spec`, such as ConfigMap. It has no status. */
export interface FieldsKindDefinition<Fields, FieldsInput> extends KindNames {
  readonly fields: ObjectSchema<Fields, FieldsInput>;
  /** As in `KindDefinition`. */
  readonly validate?: (fields: Fields, old?: Fields) => readonly FieldError[];
  readonly columns?: readonly ColumnDefinition<ApiObject<undefined, undefined> & Fields>[];
}

export interface FieldsKind<Fields, FieldsInput = Fields> extends Kind<undefined, undefined, undefined, undefined> {
  readonly fields: ObjectSchema<Fields, FieldsInput>;
  /** The content of an object of this kind. */
  fieldsOf(object: ApiObject<undefined, undefined> | DefaultedObject<undefined, undefined>): Fields;
  /** The input of a write, from metadata and content. */
  input(metadata: ObjectMetadataInput, fields: FieldsInput): ObjectInput<undefined, undefined>;
}

export interface Kind<Spec = unknown, Status = unknown, SpecInput = unknown, StatusInput = unknown> {
  readonly group: string;
  readonly version: string;
  /** `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly description: string;
  readonly scope: Scope;
  readonly names: NameForm;
  /** Names that field selectors accept besides fields, with the paths of the fields. */
  readonly selectors: ReadonlyMap<string, readonly (readonly PathSegment[])[]>;
  /** A top-level field that is true in one object of the kind at most. */
  readonly exclusive?: string;
  /** Of the whole object: apiVersion, kind, metadata, spec or fields, status. */
  readonly schema: ObjectSchema;
  /** Undefined if the content is in top-level fields. */
  readonly spec: ObjectSchema<Spec, SpecInput> | undefined;
  /** The top-level fields; undefined if the content is in `spec`. */
  readonly fields: ObjectSchema | undefined;
  /** Undefined if the kind has no status. */
  readonly status: ObjectSchema<Status, StatusInput> | undefined;
  readonly columns: readonly Column<ApiObject<Spec, Status>>[];
  readonly scale?: ScalePaths;
  /** Returns all errors of an object, an empty list if it is valid. Call it after `default`. */
  validate(object: unknown, old?: DefaultedObject<Spec, Status>): FieldError[];
  /** Sets apiVersion, kind, namespace and the defaults of the schema. Returns the same object if nothing is missing. */
  default(object: ObjectInput<SpecInput, StatusInput>): DefaultedObject<Spec, Status>;
  /** Defaults and validates untyped data. Throws Invalid. */
  parse(value: unknown): DefaultedObject<Spec, Status>;
  /** The first half of `parse`: defaults and checks the schema, without the cross-field rules. Throws Invalid. */
  shape(value: unknown): DefaultedObject<Spec, Status>;
  /** The second half of `parse`: returns the errors of the cross-field rules. */
  rules(object: DefaultedObject<Spec, Status>, old?: DefaultedObject<Spec, Status>): FieldError[];
  jsonSchema(): JsonObject;
}

/** A kind whose content is in `spec`. */
export interface SpecKind<Spec, Status, SpecInput, StatusInput> extends Kind<Spec, Status, SpecInput, StatusInput> {
  readonly spec: ObjectSchema<Spec, SpecInput>;
}

/** An object of a kind, as the registry returns it. */
export type ObjectOf<K extends Kind> = K extends Kind<infer Spec, infer Status> ? ApiObject<Spec, Status> : never;

/** An object of a kind, as a client writes it. */
export type InputOf<K extends Kind> =
  K extends Kind<unknown, unknown, infer SpecInput, infer StatusInput> ? ObjectInput<SpecInput, StatusInput> : never;

/** Throws Internal if the definition is invalid: a bad name, a duplicate column, an invalid default. */
export function defineKind<Spec, Status, SpecInput, StatusInput>(
  definition: KindDefinition<Spec, Status, SpecInput, StatusInput>,
): SpecKind<Spec, Status, SpecInput, StatusInput> {
  const { spec, status } = definition;
  const content = status === undefined ? { spec } : { spec, status: optional(status) };
  return Object.freeze({ ...build(definition, content, { spec, status, fields: undefined }), spec });
}

/** Like `defineKind`, for a kind whose content is at the top level of the object. */
export function defineFieldsKind<Fields, FieldsInput>(
  definition: FieldsKindDefinition<Fields, FieldsInput>,
): FieldsKind<Fields, FieldsInput> {
  const { fields, validate: rules, columns, ...names } = definition;
  // A validated object has the fields of its schema beside the common ones.
  const contentOf = (object: object) => object as Fields & ApiObject<undefined, undefined>;
  const kind = build<undefined, undefined, undefined, undefined>(
    {
      ...names,
      ...(rules && { validate: (object, old) => rules(contentOf(object), old && contentOf(old)) }),
      columns: (columns ?? []).map((column) =>
        'value' in column ? { ...column, value: (object) => column.value(contentOf(object)) } : column,
      ),
    },
    fields.properties,
    { spec: undefined, status: undefined, fields },
  );
  return Object.freeze({
    ...kind,
    fields,
    fieldsOf: contentOf,
    input: (metadata: ObjectMetadataInput, content: FieldsInput) =>
      ({ metadata, ...content }) as unknown as ObjectInput<undefined, undefined>,
  });
}

type Content<Spec, Status, SpecInput, StatusInput> = Pick<
  Kind<Spec, Status, SpecInput, StatusInput>,
  'spec' | 'status' | 'fields'
>;

function build<Spec, Status, SpecInput, StatusInput>(
  definition: KindNames & Pick<KindDefinition<Spec, Status, SpecInput, StatusInput>, 'validate' | 'columns' | 'scale'>,
  properties: Readonly<Record<string, Schema>>,
  content: Content<Spec, Status, SpecInput, StatusInput>,
): Kind<Spec, Status, SpecInput, StatusInput> {
  const { group, version, kind, plural, scale, columns = [], description = '' } = definition;
  const { scope = 'Namespaced', names = 'label' } = definition;
  const crossFieldRules = definition.validate;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const schema = objectOf(
    {
      apiVersion: string({ enum: [apiVersion], description: 'API group and version of the object.' }),
      kind: string({ enum: [kind], description: 'Kind of the object.' }),
      metadata: metadataSchemaFor(scope, names),
      ...properties,
    },
    { description },
  );
  type Checked = DefaultedObject<Spec, Status>;

  function rules(object: Checked, old?: Checked): FieldError[] {
    const errors = [...validateMetadataRules(object.metadata, 'metadata'), ...(crossFieldRules?.(object, old) ?? [])];
    return errors.length === 0 ? errors : boundedErrors(errors);
  }

  function validateObject(object: unknown, old?: Checked): FieldError[] {
    const errors = validate(schema, object, '');
    return fits(object, errors) ? rules(object, old) : errors;
  }

  /** The only place where a successful validation narrows the type. */
  function fits(object: unknown, errors: readonly FieldError[]): object is Checked {
    return errors.length === 0;
  }

  function shape(value: unknown): Checked {
    const filled = applyDefaults(schema, value);
    const errors = validate(schema, filled, '');
    if (fits(filled, errors)) return filled;
    const name = scalarText(valueAt(value, ['metadata', 'name'])) ?? '';
    throw new ApiError('Invalid', { kind, name, errors });
  }

  function parse(value: unknown): Checked {
    const object = shape(value);
    const errors = rules(object);
    if (errors.length > 0) throw new ApiError('Invalid', { kind, name: object.metadata.name, errors });
    return object;
  }

  const result: Kind<Spec, Status, SpecInput, StatusInput> = {
    group,
    version,
    apiVersion,
    kind,
    plural,
    singular: definition.singular ?? kind.toLowerCase(),
    shortNames: Object.freeze([...(definition.shortNames ?? [])]),
    categories: Object.freeze([...(definition.categories ?? [])]),
    description,
    scope,
    names,
    selectors: new Map(
      Object.entries(definition.selectors ?? {}).map(([name, paths]) => [
        name,
        paths.map((path) => parsePath(path) ?? []),
      ]),
    ),
    ...(definition.exclusive === undefined ? {} : { exclusive: definition.exclusive }),
    schema,
    ...content,
    columns: Object.freeze(columns.map(columnOf)),
    ...(scale === undefined ? {} : { scale: Object.freeze({ ...scale }) }),
    validate: validateObject,
    default(object) {
      const named =
        object.apiVersion !== undefined && object.kind !== undefined ? object : { apiVersion, kind, ...object };
      // The input type matches the schema, so the result with defaults has the defaulted type.
      return applyDefaults(schema, named) as Checked;
    },
    parse,
    shape,
    rules,
    jsonSchema: () => toJsonSchema(schema),
  };
  checkKind(result, columns);
  return result;
}

function columnOf<Object>(column: ColumnDefinition<Object>): Column<Object> {
  const { name, wide = false, sparse } = column;
  const shown = { name, wide, ...(sparse === undefined ? {} : { sparse }) };
  if ('value' in column) return { ...shown, value: column.value };
  const { path } = column;
  const segments = parsePath(path) ?? [];
  return { ...shown, path, value: (object) => scalarText(valueAt(object, segments)) ?? '' };
}
