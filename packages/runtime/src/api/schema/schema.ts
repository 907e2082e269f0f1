/**
 * A small structural schema for the spec and status of a kind. TypeScript types (`Infer`, `Input`), validation,
 * defaults, JSON Schema and `explain` are derived from it.
 *
 * It is our own to save memory: ajv costs 9 MB of resident memory, zod 13, typebox 20. It supports only what Kubernetes
 * calls a structural schema: every value has one type, every object lists all its fields unless it is `open`.
 */
import type { JsonValue } from '../json.ts';

declare const types: unique symbol;

interface Common<Output, In = Output> {
  /** Shown by `explain`. */
  readonly description?: string;
  /** Absent: the field is required. `defaulted`: optional in input, always present in output. */
  readonly presence?: 'optional' | 'defaulted';
  /** Frozen; nested defaults are added when it is used. */
  readonly default?: JsonValue;
  /**
   * Text (logs, events, conditions, error messages, `describe`) never shows the value, and an API server shows it only to
   * users who may read Secrets.
   */
  readonly secret?: true;
  /** Exists only for the compiler; no node has this property. */
  readonly [types]?: readonly [Output, In];
}

/** A rule that is too complex for a regular expression. `check` returns the error (`must be …`), or undefined. */
export interface Format {
  /** The name in JSON Schema's `format`. */
  readonly name: string;
  readonly check: (value: string) => string | undefined;
}

export interface StringSchema<Value extends string = string> extends Common<Value> {
  readonly type: 'string';
  /** Lengths count Unicode code points, as JSON Schema does. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** `hint` completes the message "Invalid value: …: must …" in place of the regular expression. */
  readonly pattern?: { readonly expression: RegExp; readonly hint: string };
  readonly format?: Format;
  readonly enum?: readonly Value[];
}

export interface NumberSchema extends Common<number> {
  readonly type: 'integer' | 'number';
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface BooleanSchema extends Common<boolean> {
  readonly type: 'boolean';
}

export interface ObjectSchema<Output = unknown, In = unknown> extends Common<Output, In> {
  readonly type: 'object';
  /** Has no prototype, so that a lookup of `constructor` returns undefined. */
  readonly properties: Readonly<Record<string, Schema>>;
  /** The names of the required fields. */
  readonly required: readonly string[];
  /** The names of the fields that have a default. */
  readonly defaulted: readonly string[];
  /**
   * Fields that are not listed are kept as they are, for objects of Kubernetes of which we know only a part. Their types
   * are not part of the TypeScript type. Default: such fields are errors.
   */
  readonly open?: true;
}

export interface ListSchema<Output = unknown, In = unknown> extends Common<Output, In> {
  readonly type: 'list';
  readonly items: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Items are objects, and no two have the same value in this field. */
  readonly uniqueBy?: string;
  /** Items are scalars, and no two are the same. */
  readonly uniqueItems?: true;
}

export interface MapSchema<Output = unknown, In = unknown> extends Common<Output, In> {
  readonly type: 'map';
  readonly values: Schema;
  readonly keys?: StringSchema;
  readonly maxProperties?: number;
}

export interface AnythingSchema extends Common<JsonValue> {
  readonly type: 'anything';
  /** Marks the secrets in a value that usually has this form. The value is not validated by it. */
  readonly like?: Schema;
}

/** Kubernetes' IntOrString: a count or a percentage, the number or the name of a port. */
export interface IntegerOrStringSchema extends Common<number | string> {
  readonly type: 'integerOrString';
  /** Of strings, as in `StringSchema`. */
  readonly pattern?: StringSchema['pattern'];
}

export type Schema =
  | StringSchema
  | NumberSchema
  | BooleanSchema
  | ObjectSchema
  | ListSchema
  | MapSchema
  | AnythingSchema
  | IntegerOrStringSchema;

/** The type of a value after defaults and validation: the output. */
export type Infer<S extends Schema> = S extends { readonly [types]?: readonly [infer Output, unknown] }
  ? Output
  : never;

/** The type of a value before defaults: the input. */
export type Input<S extends Schema> = S extends { readonly [types]?: readonly [unknown, infer In] } ? In : never;

export type Optional<S extends Schema> = S & { readonly presence: 'optional' };
export type Defaulted<S extends Schema> = S & { readonly presence: 'defaulted' };

type Properties = Readonly<Record<string, Schema>>;
type OptionalKeys<P extends Properties> = {
  [K in keyof P]: P[K] extends { presence: 'optional' } ? K : never;
}[keyof P];
type OmittableKeys<P extends Properties> = { [K in keyof P]: P[K] extends { presence: string } ? K : never }[keyof P];
type Flatten<T> = { readonly [K in keyof T]: T[K] };

export type OutputOfProperties<P extends Properties> = Flatten<
  { [K in Exclude<keyof P, OptionalKeys<P>>]: Infer<P[K]> } & { [K in OptionalKeys<P>]?: Infer<P[K]> }
>;
export type InputOfProperties<P extends Properties> = Flatten<
  { [K in Exclude<keyof P, OmittableKeys<P>>]: Input<P[K]> } & { [K in OmittableKeys<P>]?: Input<P[K]> }
>;
