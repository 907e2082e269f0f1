import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Condition } from './condition.ts';
import { formatFieldError, isApiError } from './errors.ts';
import { Widget, widget } from './example.kit.ts';
import { defineKind, type InputOf, type KindDefinition, type ObjectOf } from './kind.ts';
import { integer, list, map, object, optional, string, withDefault } from './schema/build.ts';

const texts = (value: unknown) => Widget.validate(value).map(formatFieldError);
const withSpec = (spec: object) => ({ ...widget, spec: { ...widget.spec, ...spec } });

describe('a kind', () => {
  it('gives the types of its objects', () => {
    type Read = ObjectOf<typeof Widget>;
    expectTypeOf<Read['spec']['type']>().toEqualTypeOf<'Dynamic' | 'Static'>();
    expectTypeOf<Read['spec']['paused']>().toEqualTypeOf<boolean>();
    expectTypeOf<Read['spec']['update']>().toEqualTypeOf<{ readonly type: 'InPlace' | 'Rolling' }>();
    expectTypeOf<Read['metadata']['uid']>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<NonNullable<Read['status']>['conditions']>>().toEqualTypeOf<readonly Condition[]>();
    expectTypeOf<{ metadata: { name: string }; spec: { type: 'Static'; template: { image: string } } }>().toExtend<
      InputOf<typeof Widget>
    >();
  });

  it('accepts a valid object', () => {
    expect(texts(widget)).toEqual([]);
    expect(texts({ ...widget, status: { replicas: 1 } })).toEqual([]);
  });

  it.each<[unknown, string[]]>([
    [5, ['Invalid value: 5: must be an object']],
    [
      { ...widget, apiVersion: 'example.io/v2' },
      ['apiVersion: Unsupported value: "example.io/v2": supported values: "example.io/v1"'],
    ],
    [{ ...widget, kind: 'Gadget' }, ['kind: Unsupported value: "Gadget": supported values: "Widget"']],
    [{ ...widget, stauts: {} }, ['stauts: Unknown field: did you mean "status"?']],
    [{ ...widget, metadata: { name: 'x', uuid: '1' } }, ['metadata.uuid: Unknown field: did you mean "uid"?']],
    [
      { ...widget, status: { replicas: -1 } },
      ['status.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [withSpec({ replicas: undefined }), ['spec.replicas: Required value: must be set when type is Dynamic']],
    [
      { ...widget, metadata: { name: 'x', annotations: { a: 'x'.repeat(262_144) } } },
      ['metadata.annotations: Too long: 262145 bytes: must have at most 262144 bytes'],
    ],
  ])('returns the errors of object %#', (value, expected) => {
    expect(texts(value)).toEqual(expected);
  });

  it('checks the cross-field rules only for objects that match the schema', () => {
    expect(texts(withSpec({ replicas: undefined, paused: 1 }))).toEqual([
      'spec.paused: Invalid value: 1: must be true or false',
    ]);
  });

  it('passes the old object to the rules', () => {
    const old = Widget.parse(widget);
    expect(Widget.validate(withSpec({ type: 'Static' }), old).map(formatFieldError)).toEqual([
      'spec.type: Forbidden: may not change',
    ]);
    expect(Widget.validate(widget, old)).toEqual([]);
  });

  it('fills in its own name, the namespace and the defaults', () => {
    const filled = Widget.default({
      metadata: { name: 'x' },
      spec: { type: 'Static', template: { image: 'a@1', env: [{ name: 'A' }] } },
    });
    expect(filled).toEqual({
      apiVersion: 'example.io/v1',
      kind: 'Widget',
      metadata: { name: 'x', namespace: 'default' },
      spec: {
        type: 'Static',
        paused: false,
        update: { type: 'InPlace' },
        template: { image: 'a@1', env: [{ name: 'A', value: '' }] },
      },
    });
    expect(Widget.default(filled)).toBe(filled);
  });

  it('parses untyped data, or throws Invalid with the errors', () => {
    const { metadata, ...rest } = widget;
    const { namespace, ...named } = metadata;
    expect(Widget.parse({ ...rest, metadata: named }).metadata.namespace).toBe(namespace);
    let thrown: unknown;
    try {
      Widget.parse(withSpec({ paused: 'no' }));
    } catch (error) {
      thrown = error;
    }
    expect(isApiError(thrown, 'Invalid') && thrown.message).toBe(
      'Widget "telemetry" is invalid: spec.paused: Invalid value: "no": must be true or false',
    );
    expect(() => Widget.parse({})).toThrow('Widget "" is invalid');
  });

  it('has columns with text for every object', () => {
    const full = {
      ...Widget.parse({ ...widget, status: { replicas: 2 } }),
      metadata: {
        ...widget.metadata,
        uid: 'u',
        resourceVersion: '1',
        generation: 1,
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
    };
    expect(Widget.columns.map((column) => [column.name, column.wide, column.value(full)])).toEqual([
      ['TYPE', false, 'Dynamic'],
      ['READY', false, '2/3'],
      ['IMAGE', true, 'telemetry@1.2.0'],
    ]);
  });

  it('is frozen, and has its names and its JSON Schema', () => {
    expect(Object.isFrozen(Widget)).toBe(true);
    expect(Widget).toMatchObject({
      apiVersion: 'example.io/v1',
      singular: 'widget',
      shortNames: ['wd'],
      categories: ['all'],
    });
    expect(Widget.jsonSchema()).toMatchObject({
      description: 'A thing to test with.',
      required: ['apiVersion', 'kind', 'metadata', 'spec'],
      properties: { apiVersion: { enum: ['example.io/v1'] }, spec: { properties: { replicas: { type: 'integer' } } } },
    });
  });
});

describe('a definition', () => {
  const spec = object({ replicas: integer(), name: string() });
  const good = {
    group: 'example.io',
    version: 'v1',
    kind: 'Thing',
    plural: 'things',
    spec,
    status: object({}),
    columns: [],
  };
  type Change = Partial<KindDefinition<unknown, unknown, unknown, unknown>>;

  it('may be short', () => {
    expect(defineKind(good)).toMatchObject({ singular: 'thing', shortNames: [], categories: [], description: '' });
    expect(defineKind(good)).not.toHaveProperty('scale');
  });

  it.each<[string, Change]>([
    ['must be one CamelCase word', { kind: 'thing' }],
    ['group "Example"', { group: 'Example' }],
    ['version "1": must be a version such as v1', { version: '1' }],
    ['name "Things"', { plural: 'Things' }],
    ['name "a b"', { shortNames: ['a b'] }],
    ['name ""', { categories: [''] }],
    ['"things" is defined twice', { shortNames: ['things'] }],
    [
      '"A" is defined twice',
      {
        columns: [
          { name: 'A', path: 'spec' },
          { name: 'A', path: 'kind' },
        ],
      },
    ],
    ['a column needs a name', { columns: [{ name: '', path: 'kind' }] }],
    ['column "A": there is no field spec.nope', { columns: [{ name: 'A', path: 'spec.nope' }] }],
    ['selector "a" stands for a field that does not exist', { selectors: { a: ['kind', 'spec.nope'] } }],
    ['column "A": there is no field ..', { columns: [{ name: 'A', path: '..' }] }],
    [
      'scale: specReplicasPath spec.name is not a field of type integer',
      { scale: { specReplicasPath: 'spec.name', statusReplicasPath: 'spec.replicas' } },
    ],
    [
      'scale: labelSelectorPath spec.replicas is not a field of type string',
      {
        scale: {
          specReplicasPath: 'spec.replicas',
          statusReplicasPath: 'spec.replicas',
          labelSelectorPath: 'spec.replicas',
        },
      },
    ],
    ['spec.a: Invalid value: 0: must be greater', { spec: object({ a: withDefault(integer({ minimum: 1 }), 0) }) }],
    [
      'spec.l[].a: Too long',
      { spec: object({ l: optional(list(object({ a: withDefault(string({ maxLength: 1 }), 'xx') }))) }) },
    ],
    [
      'spec.m[].a: Too long',
      { spec: object({ m: optional(map(object({ a: withDefault(string({ maxLength: 1 }), 'xx') }))) }) },
    ],
  ])('is refused: %s', (reason, change) => {
    const define = () => defineKind<unknown, unknown, unknown, unknown>({ ...good, ...change });
    expect(define).toThrow(reason);
    expect(define).toThrow('internal error: kind ');
  });
});
