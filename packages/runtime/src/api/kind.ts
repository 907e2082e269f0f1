/**
 * A kind, defined once. From one definition come the TypeScript types, validation, defaults, the JSON Schema and the
 * columns of every tool. Nothing else in the program says again what a kind looks like.
 */
import { ApiError, type FieldError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { checkKind } from './kind-check.ts';
import { metadataSchema, validateMetadataRules } from './metadata.ts';
import type { ApiObject, DefaultedObject, ObjectInput } from './object.ts';
import { parsePath, scalarText, valueAt } from './path.ts';
import { object as objectOf, optional, string } from './schema/build.ts';
import { applyDefaults } from './schema/defaults.ts';
import { toJsonSchema } from './schema/json-schema.ts';
import type { ObjectSchema } from './schema/schema.ts';
import { boundedErrors, validate } from './schema/validate.ts';

/** One column of `get`. NAME and AGE are not among them: every table has these. */
export type ColumnDefinition<Object> = {
  readonly name: string;
  /** Shown only with `-o wide`. */
  readonly wide?: boolean;
} & ({ readonly path: string } | { readonly value: (object: Object) => string });

export interface Column<Object> {
  readonly name: string;
  readonly wide: boolean;
  /** The empty text where there is nothing to show. */
  value(object: Object): string;
}

/** Which fields `scale` reads and writes, for kinds that have a number of replicas. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface KindDefinition<Spec, Status, SpecInput, StatusInput> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly description?: string;
  readonly spec: ObjectSchema<Spec, SpecInput>;
  readonly status: ObjectSchema<Status, StatusInput>;
  /**
   * Rules between fields, asked only about objects that fit the schema. `old` is the object before an update: rules
   * about what may change need it.
   */
  readonly validate?: (
    object: DefaultedObject<Spec, Status>,
    old?: DefaultedObject<Spec, Status>,
  ) => readonly FieldError[];
  /** Default: none beyond those that every table has. */
  readonly columns?: readonly ColumnDefinition<ApiObject<Spec, Status>>[];
  readonly scale?: ScalePaths;
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
  /** Of the whole object: apiVersion, kind, metadata, spec, status. */
  readonly schema: ObjectSchema;
  readonly spec: ObjectSchema<Spec, SpecInput>;
  readonly status: ObjectSchema<Status, StatusInput>;
  readonly columns: readonly Column<ApiObject<Spec, Status>>[];
  readonly scale?: ScalePaths;
  /** All that is wrong with an object; an empty list if it is valid. Ask after `default`. */
  validate(object: unknown, old?: DefaultedObject<Spec, Status>): FieldError[];
  /** Fills in apiVersion, kind, namespace and the defaults of the schema. The very same object if nothing is missing. */
  default(object: ObjectInput<SpecInput, StatusInput>): DefaultedObject<Spec, Status>;
  /** Data from outside, defaulted and checked. Throws Invalid. */
  parse(value: unknown): DefaultedObject<Spec, Status>;
  /** The first half of `parse`: defaulted and of the right shape, the rules between fields not yet asked. */
  shape(value: unknown): DefaultedObject<Spec, Status>;
  /** The second half: what the rules between fields say of an object that has the right shape. */
  rules(object: DefaultedObject<Spec, Status>, old?: DefaultedObject<Spec, Status>): FieldError[];
  jsonSchema(): JsonObject;
}

/** An object of a kind, as the registry returns it. */
export type ObjectOf<K extends Kind> = K extends Kind<infer Spec, infer Status> ? ApiObject<Spec, Status> : never;

/** An object of a kind, as a writer gives it. */
export type InputOf<K extends Kind> =
  K extends Kind<unknown, unknown, infer SpecInput, infer StatusInput> ? ObjectInput<SpecInput, StatusInput> : never;

/** Throws Internal if the definition contradicts itself: a bad name, a column twice, a default that is not valid. */
export function defineKind<Spec, Status, SpecInput, StatusInput>(
  definition: KindDefinition<Spec, Status, SpecInput, StatusInput>,
): Kind<Spec, Status, SpecInput, StatusInput> {
  const { group, version, kind, plural, spec, status, scale, columns = [], description = '' } = definition;
  const crossFieldRules = definition.validate;
  const apiVersion = `${group}/${version}`;
  const schema = objectOf(
    {
      apiVersion: string({ enum: [apiVersion], description: 'Which version of the API the object is written in.' }),
      kind: string({ enum: [kind], description: 'What the object is.' }),
      metadata: metadataSchema,
      spec,
      status: optional(status),
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

  /** The one place where the schema's word is taken for the type. */
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

  const made: Kind<Spec, Status, SpecInput, StatusInput> = {
    group,
    version,
    apiVersion,
    kind,
    plural,
    singular: definition.singular ?? kind.toLowerCase(),
    shortNames: Object.freeze([...(definition.shortNames ?? [])]),
    categories: Object.freeze([...(definition.categories ?? [])]),
    description,
    schema,
    spec,
    status,
    columns: Object.freeze(columns.map(columnOf)),
    ...(scale === undefined ? {} : { scale: Object.freeze({ ...scale }) }),
    validate: validateObject,
    default(object) {
      const named =
        object.apiVersion !== undefined && object.kind !== undefined ? object : { apiVersion, kind, ...object };
      // A typed writer's object has the right shape, so what the defaults complete is the defaulted shape.
      return applyDefaults(schema, named) as Checked;
    },
    parse,
    shape,
    rules,
    jsonSchema: () => toJsonSchema(schema),
  };
  checkKind(made, columns);
  return Object.freeze(made);
}

function columnOf<Object>(column: ColumnDefinition<Object>): Column<Object> {
  const { name, wide = false } = column;
  if ('value' in column) return { name, wide, value: column.value };
  const path = parsePath(column.path) ?? [];
  return { name, wide, value: (object) => scalarText(valueAt(object, path)) ?? '' };
}
