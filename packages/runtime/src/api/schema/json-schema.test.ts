/**
 * Goal: the JSON Schema accepts the same as `validate`. Method: random documents, valid ones with small changes, are
 * validated by `validate` and by ajv with the generated schema, and the results have to agree.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Widget, widget } from '../example.kit.ts';
import {
  anything,
  boolean,
  integer,
  integerOrString,
  list,
  map,
  number,
  object,
  optional,
  string,
  withDefault,
} from './build.ts';
import { toJsonSchema } from './json-schema.ts';
import type { Schema } from './schema.ts';
import { validate } from './validate.ts';

const even = {
  name: 'even',
  check: (value: string) => (value.length % 2 === 0 ? undefined : 'must have an even length'),
};

function compile(schema: Schema): (value: unknown) => boolean {
  // Without ownProperties ajv takes what an object inherits, such as `constructor`, for its fields.
  const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false });
  ajv.addFormat('even', (value) => even.check(value) === undefined);
  ajv.addKeyword({
    keyword: 'x-kubernetes-list-map-keys',
    type: 'array',
    validate: ([key]: [string], items: Record<string, unknown>[]) => {
      const values = items.map((item) => item?.[key]).filter((value) => value !== undefined);
      return new Set(values).size === values.length;
    },
  });
  return ajv.compile(toJsonSchema(schema));
}

const leaf: fc.Arbitrary<Schema> = fc.oneof(
  fc.constantFrom<Schema>(
    string(),
    string({ minLength: 1, maxLength: 2 }),
    string({ enum: ['a', 'b'] }),
    string({ pattern: { expression: /^a*$/u, hint: 'must be all a' } }),
    string({ format: even }),
    integer(),
    integer({ minimum: 0, maximum: 2 }),
    number({ minimum: 0.5 }),
    boolean(),
    anything(),
    integerOrString(),
    integerOrString({ pattern: { expression: /^a*$/u, hint: 'must be all a' } }),
  ),
);
const names = ['a', 'b', 'c'] as const;
const schemas: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'medium' },
    leaf,
    fc
      .tuple(
        fc.array(
          fc.tuple(fc.constantFrom(...names), tie('schema'), fc.constantFrom('required', 'optional', 'defaulted')),
          { maxLength: 3 },
        ),
        fc.constantFrom({}, { open: true as const }),
      )
      .map(([fields, options]) =>
        object(
          Object.fromEntries(
            fields.map(([name, schema, presence]) => {
              if (presence === 'required') return [name, schema];
              return [name, presence === 'optional' ? optional(schema) : withDefault<Schema>(schema, 1)];
            }),
          ),
          options,
        ),
      ),
    fc
      .tuple(tie('schema'), fc.constantFrom({}, { minItems: 1 }, { maxItems: 1 }))
      .map(([items, options]) => list(items, options)),
    fc.constantFrom(list(integer(), { uniqueItems: true }), list(object({ a: string() }), { uniqueBy: 'a' })),
    fc
      .tuple(tie('schema'), fc.constantFrom({}, { maxProperties: 1 }, { keys: string({ maxLength: 1 }) }))
      .map(([values, options]) => map(values, options)),
  ),
})).schema;

const scalars = fc.constantFrom<unknown>('', 'a', 'aa', 'aab', 'b', 0, 1, 0.5, -1, 3, 2 ** 60, true, null);
const documents: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom(...names, 'constructor'), tie('value')), { maxLength: 3 })
      .map(Object.fromEntries),
  ),
})).value as fc.Arbitrary<unknown>;

/** A document that follows the schema, so that the random ones are not all refused at the first field. */
function valid(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties).map(([name, property]) =>
        fc.tuple(fc.constant(name), fc.boolean(), valid(property)).map(([key, there, value]) => {
          return there || property.presence === undefined ? [[key, value] as const] : [];
        }),
      );
      return fc.tuple(...fields).map((entries) => Object.fromEntries(entries.flat()));
    }
    case 'list':
      return fc.array(fc.oneof({ weight: 9, arbitrary: valid(schema.items) }, scalars), { maxLength: 2 });
    case 'map':
      return fc
        .array(fc.tuple(fc.constantFrom('x', 'yy'), valid(schema.values)), { maxLength: 2 })
        .map(Object.fromEntries);
    default:
      return scalars;
  }
}

describe('toJsonSchema', () => {
  it('accepts the same as validate for random schemas and documents', () => {
    let accepted = 0;
    const property = fc.property(
      schemas.chain((schema) =>
        fc.tuple(fc.constant(schema), fc.array(fc.oneof(valid(schema), documents), { minLength: 20, maxLength: 20 })),
      ),
      ([schema, values]) => {
        const accepts = compile(schema);
        for (const value of values) {
          const errors = validate(schema, value, '');
          if (errors.length === 0) accepted++;
          expect({ value, valid: errors.length === 0 }).toEqual({ value, valid: accepts(value) });
        }
      },
    );
    fc.assert(property, { numRuns: 50 });
    expect(accepted).toBeGreaterThan(100);
  });

  it('accepts the same as validate for objects of a real kind with one change', () => {
    const accepts = compile(Widget.schema);
    const verdicts = new Set<boolean>();
    const paths = ['type', 'replicas', 'nodePool', 'paused', 'update', 'template', 'unknown'];
    fc.assert(
      fc.property(fc.constantFrom(...paths), documents, (name, value) => {
        const bent = { ...widget, spec: { ...widget.spec, [name]: value } };
        const verdict = validate(Widget.schema, bent, '').length === 0;
        verdicts.add(verdict);
        expect(verdict).toBe(accepts(bent));
      }),
      { numRuns: 300 },
    );
    expect(verdicts).toEqual(new Set([true, false]));
  });

  it('is draft 2020-12 with descriptions, defaults and secrets', () => {
    const schema = object(
      {
        password: optional(string({ secret: true, description: 'Never shown.' })),
        size: withDefault(integer({ minimum: 1 }), 3),
      },
      { description: 'Example.' },
    );
    expect(toJsonSchema(schema)).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      description: 'Example.',
      type: 'object',
      additionalProperties: false,
      properties: {
        password: { description: 'Never shown.', writeOnly: true, type: 'string' },
        size: { default: 3, type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      },
    });
  });
});
