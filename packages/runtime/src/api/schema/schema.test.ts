import { describe, expect, expectTypeOf, it } from 'vitest';
import { type FieldError, formatFieldError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
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
import { applyDefaults } from './defaults.ts';
import { schemaAt } from './lookup.ts';
import type { Infer, Input, Schema } from './schema.ts';
import { FIELD_ERRORS_MAX, validate } from './validate.ts';

const strategy = object({
  type: withDefault(string({ enum: ['InPlace', 'Rolling'] }), 'InPlace'),
  surge: optional(integer({ minimum: 0, maximum: 10 })),
});
const schema = object({
  name: string({ minLength: 1, maxLength: 5 }),
  replicas: optional(integer({ minimum: 0 })),
  ratio: optional(number({ maximum: 1 })),
  paused: withDefault(boolean(), false),
  strategy: withDefault(strategy, {}),
  other: optional(strategy),
  env: optional(list(object({ name: string(), value: withDefault(string(), '') }), { uniqueBy: 'name', maxItems: 60 })),
  nodes: optional(list(string(), { uniqueItems: true, minItems: 1, maxItems: 3 })),
  limits: optional(
    map(strategy, {
      keys: string({ pattern: { expression: /^[a-z]+$/u, hint: 'must be lower case' } }),
      maxProperties: 2,
    }),
  ),
  password: optional(
    string({
      secret: true,
      minLength: 8,
      format: { name: 'strong', check: (value) => (value.includes('!') ? undefined : 'must have a "!"') },
    }),
  ),
  free: optional(anything()),
});
const texts = (value: unknown, path = 'spec') => validate(schema, value, path).map(formatFieldError);

describe('the types', () => {
  it('are exact for output and lenient for input', () => {
    type Strategy = { readonly type: 'InPlace' | 'Rolling'; readonly surge?: number };
    type StrategyInput = { readonly type?: 'InPlace' | 'Rolling'; readonly surge?: number };
    expectTypeOf<Infer<typeof strategy>>().toEqualTypeOf<Strategy>();
    expectTypeOf<Input<typeof strategy>>().toEqualTypeOf<StrategyInput>();
    expectTypeOf<Infer<typeof schema>>().toEqualTypeOf<{
      readonly name: string;
      readonly replicas?: number;
      readonly ratio?: number;
      readonly paused: boolean;
      readonly strategy: Strategy;
      readonly other?: Strategy;
      readonly env?: readonly { readonly name: string; readonly value: string }[];
      readonly nodes?: readonly string[];
      readonly limits?: Readonly<Record<string, Strategy>>;
      readonly password?: string;
      readonly free?: JsonValue;
    }>();
    expectTypeOf<{ name: string; env: [{ name: string }] }>().toExtend<Input<typeof schema>>();
    expectTypeOf<Infer<typeof schema>>().toExtend<JsonValue>();
  });
});

describe('validate', () => {
  it('accepts valid values, before and after defaults', () => {
    const value = {
      name: 'a',
      env: [{ name: 'x' }, { name: 'y' }],
      limits: { a: {} },
      free: [null, { deep: [1] }],
      replicas: undefined,
    };
    expect(texts(value)).toEqual([]);
    expect(texts(applyDefaults(schema, value))).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{}, 'spec.name: Required value: must be set'],
    [{ replicas: 1 }, 'spec.name: Required value: must be set'],
    [{ name: null }, 'spec.name: Required value: must be set'],
    [{ name: '' }, 'spec.name: Required value: must not be empty'],
    [{ name: 'abcdef' }, 'spec.name: Too long: must be no more than 5 characters'],
    [{ name: 5 }, 'spec.name: Invalid value: 5: must be a string'],
    [{ name: 'a', replicas: -1 }, 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    [{ name: 'a', replicas: 1.5 }, 'spec.replicas: Invalid value: 1.5: must be an integer'],
    [{ name: 'a', replicas: 2 ** 53 }, 'spec.replicas: Invalid value: 9007199254740992: must be within ±(2^53 - 1)'],
    [{ name: 'a', replicas: '3' }, 'spec.replicas: Invalid value: "3": must be an integer'],
    [{ name: 'a', replicas: null }, 'spec.replicas: Invalid value: null: must be an integer'],
    [{ name: 'a', ratio: 2 }, 'spec.ratio: Invalid value: 2: must be less than or equal to 1'],
    [{ name: 'a', ratio: Number.NaN }, 'spec.ratio: Invalid value: NaN: must be a finite number'],
    [{ name: 'a', ratio: [] }, 'spec.ratio: Invalid value: list: must be a number'],
    [{ name: 'a', paused: 'yes' }, 'spec.paused: Invalid value: "yes": must be true or false'],
    [{ name: 'a', strategy: 'x' }, 'spec.strategy: Invalid value: "x": must be an object'],
    [
      { name: 'a', strategy: { type: 'Inplace' } },
      'spec.strategy.type: Unsupported value: "Inplace": supported values: "InPlace", "Rolling"',
    ],
    [{ name: 'a', replica: 1 }, 'spec.replica: Unknown field: did you mean "replicas"?'],
    [{ name: 'a', strategy: { zzzzzz: 1 } }, 'spec.strategy.zzzzzz: Unknown field: known fields are "type", "surge"'],
    [{ name: 'a', env: {} }, 'spec.env: Invalid value: object: must be a list'],
    [{ name: 'a', env: [{ name: 'x' }, { name: 'x' }] }, 'spec.env[1].name: Duplicate value: "x"'],
    [{ name: 'a', nodes: ['x', 'y', 'x'] }, 'spec.nodes[2]: Duplicate value: "x"'],
    [{ name: 'a', nodes: [] }, 'spec.nodes: Invalid value: list: must have at least 1 item'],
    [{ name: 'a', nodes: ['a', 'b', 'c', 'd'] }, 'spec.nodes: Too many: 4: must have at most 3 items'],
    [{ name: 'a', limits: [] }, 'spec.limits: Invalid value: list: must be an object'],
    [{ name: 'a', limits: { A: {} } }, 'spec.limits: Invalid value: "A": must be lower case'],
    [{ name: 'a', limits: { a: {}, b: {}, c: {} } }, 'spec.limits: Too many: 3: must have at most 2 items'],
    [
      { name: 'a', limits: { a: { surge: 11 } } },
      'spec.limits.a.surge: Invalid value: 11: must be less than or equal to 10',
    ],
    [{ name: 'a', free: new Map() }, 'spec.free: Invalid value: object: must be JSON data, not an instance of a class'],
    [{ name: 'a', strategy: 'x'.repeat(100) }, `spec.strategy: Invalid value: "${'x'.repeat(64)}…": must be an object`],
    ['x'.repeat(100), 'spec: Invalid value: "<hidden>": must be an object'],
    [
      JSON.parse('{"name":"a","__proto__":{"paused":1}}'),
      'spec.__proto__: Unknown field: known fields are "name", "replicas", "ratio", "paused", "strategy", "other", "env", "nodes", "limits", "password", "free"',
    ],
    [
      { name: 'a', constructor: 1 },
      'spec.constructor: Unknown field: known fields are "name", "replicas", "ratio", "paused", "strategy", "other", "env", "nodes", "limits", "password", "free"',
    ],
  ])('for %j returns %j', (value, expected) => {
    expect(texts(value)).toEqual([expected]);
  });

  it('counts characters, not UTF-16 units', () => {
    expect(texts({ name: '😀😀😀😀😀' })).toEqual([]);
    expect(validate(string({ minLength: 2 }), '😀', '').map(formatFieldError)).toEqual([
      'Invalid value: "😀": must be at least 2 characters',
    ]);
  });

  it('refuses the placeholder of a secret, and repeats no text in place of an object with secrets', () => {
    const env = list(object({ name: string(), value: string({ secret: true }) }));
    const command = list(string({ secret: true }), { secret: true });
    const placeholder = 'Invalid value: "<hidden>": must be the value, not the placeholder that is shown for it';
    const errorsOf = (...args: Parameters<typeof validate>) => validate(...args).map(formatFieldError);
    expect(errorsOf(env, [{ name: 'A', value: '<hidden>' }], 'env')).toEqual([`env[0].value: ${placeholder}`]);
    expect(errorsOf(command, ['run', '<hidden>'], 'command')).toEqual([`command[1]: ${placeholder}`]);
    expect(errorsOf(string(), '<hidden>', 'name')).toEqual([]);
    for (const [schema, value] of [
      [env, 'PIN=4711'],
      [env, ['PIN=4711']],
      [env, { PIN: '4711' }],
      [command, 'run 4711'],
      [command, [4711]],
      [object({ env }), '4711'],
    ] as const) {
      expect(errorsOf(schema, value, 'x')).toHaveLength(1);
      expect(errorsOf(schema, value, 'x').join()).not.toContain('4711');
    }
  });

  it('never shows a secret', () => {
    const all = [
      ...validate(schema, { name: 'a', password: 'hunter2' }, ''),
      ...validate(schema, { name: 'a', password: 'hunter2hunter2' }, ''),
    ];
    expect(all.map(formatFieldError)).toEqual([
      'password: Invalid value: "<hidden>": must be at least 8 characters',
      'password: Invalid value: "<hidden>": must have a "!"',
    ]);
    const secrets = list(string({ secret: true }), { uniqueItems: true });
    expect(validate(secrets, ['hunter2', 'hunter2'], 'keys').map(formatFieldError)).toEqual([
      'keys[1]: Duplicate value: "<hidden>"',
    ]);
  });

  it('reports all errors together, and stops at a limit with a message', () => {
    expect(texts({ name: 5, replicas: 'x', oops: 1 })).toHaveLength(3);
    const many = { name: 'a', env: Array.from({ length: 60 }, () => ({ name: 1 })) };
    const errors: FieldError[] = validate(schema, many, 'spec');
    expect(errors).toHaveLength(FIELD_ERRORS_MAX + 1);
    expect(errors.at(-1)).toEqual({ path: 'spec', type: 'Too many', message: 'only the first 50 errors are shown' });
    const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`u${index}`, 1]));
    expect(validate(map(integer({ minimum: 2 })), unknown, '')).toHaveLength(FIELD_ERRORS_MAX + 1);
  });

  it('refuses free data that is nested too deeply instead of overflowing the stack', () => {
    let free: unknown = 1;
    for (let level = 0; level < 100_000; level++) free = [free];
    expect(texts({ name: 'a', free })).toEqual([
      'spec.free: Invalid value: list: must not be nested deeper than 64 levels',
    ]);
  });
});

describe('applyDefaults', () => {
  it('fills what is absent, also inside lists, maps and defaults', () => {
    expect(
      applyDefaults(schema, {
        name: 'a',
        env: [{ name: 'x' }],
        limits: { a: {}, b: { type: 'Rolling' } },
        nodes: ['n'],
      }),
    ).toEqual({
      name: 'a',
      paused: false,
      strategy: { type: 'InPlace' },
      env: [{ name: 'x', value: '' }],
      limits: { a: { type: 'InPlace' }, b: { type: 'Rolling' } },
      nodes: ['n'],
    });
  });

  it('does not create an optional object for the defaults in it', () => {
    expect(applyDefaults(schema, { name: 'a' })).not.toHaveProperty('other');
    expect(applyDefaults(schema, { name: 'a', other: {} })).toHaveProperty('other', { type: 'InPlace' });
  });

  it('treats null as absent, except where any value is allowed', () => {
    const value = { name: 'a', paused: null, replicas: null, strategy: { type: null }, free: null };
    expect(applyDefaults(schema, value)).toEqual({
      name: 'a',
      paused: false,
      strategy: { type: 'InPlace' },
      free: null,
    });
    expect(value.paused).toBeNull();
  });

  it('returns the same object when there is nothing to add, and shares unchanged parts', () => {
    const full = {
      name: 'a',
      paused: true,
      strategy: { type: 'Rolling' },
      env: [{ name: 'x', value: '' }],
      limits: { a: { type: 'Rolling' } },
    };
    expect(applyDefaults(schema, full)).toBe(full);
    const env = [{ name: 'x', value: '1' }];
    expect((applyDefaults(schema, { name: 'a', env }) as { env: unknown }).env).toBe(env);
  });

  it('leaves wrong types to validation, and keeps unknown keys', () => {
    expect(applyDefaults(schema, 5)).toBe(5);
    expect(applyDefaults(list(strategy), 'x')).toBe('x');
    expect(applyDefaults(map(strategy), null)).toBeNull();
    const odd = JSON.parse('{"__proto__":{}}');
    expect(JSON.stringify(applyDefaults(map(strategy), odd))).toBe('{"__proto__":{"type":"InPlace"}}');
  });
});

describe('the builders', () => {
  it('return frozen nodes with frozen defaults', () => {
    const node = withDefault(object({ a: optional(list(string())) }), { a: ['x'] });
    expect([node, node.properties, node.required, node.default].every(Object.isFrozen)).toBe(true);
    expect(Object.isFrozen((node.default as { a: unknown }).a)).toBe(true);
  });

  it.each<[string, () => Schema]>([
    ['a pattern may have the flag "u" only', () => string({ pattern: { expression: /x/gi, hint: '' } })],
    ['an enum needs at least one value', () => string({ enum: [] })],
    ['items of a list are neither', () => list(optional(string()))],
    ['values of a map are neither', () => map(withDefault(string(), ''))],
    ['uniqueBy needs items with the field "x"', () => list(object({}), { uniqueBy: 'x' })],
    ['uniqueItems needs scalar items', () => list(object({}), { uniqueItems: true })],
    ['a field cannot be called "constructor"', () => object({ constructor: string() })],
    ['only once', () => optional(withDefault(string(), ''))],
    ['only once', () => withDefault(optional(string()), '')],
  ])('refuse an invalid definition: %s', (reason, build) => {
    expect(build).toThrow(reason);
  });
});

describe('schemaAt', () => {
  it('finds the node of a field in any container', () => {
    expect(schemaAt(schema, ['env', 0, 'name'])?.type).toBe('string');
    expect(schemaAt(schema, ['limits', 'any', 'surge'])?.type).toBe('integer');
    expect(schemaAt(schema, ['free', 'what', 3])?.type).toBe('anything');
    expect(schemaAt(schema, [])).toBe(schema);
  });

  it('returns undefined for an unknown field', () => {
    for (const path of [['nope'], ['nope', 'x'], ['env', 'name'], ['limits', 0], ['name', 'x'], ['constructor']]) {
      expect(schemaAt(schema, path)).toBeUndefined();
    }
  });
});

describe('an open object', () => {
  const open = object({ size: withDefault(integer(), 1), inner: optional(object({ a: string() })) }, { open: true });

  it('keeps fields that are not listed, and checks those that are', () => {
    const value = { other: { deep: [1, null] } };
    expect(applyDefaults(open, value)).toEqual({ size: 1, other: { deep: [1, null] } });
    expect(validate(open, value, '')).toEqual([]);
    expect(validate(open, { size: 'x', inner: { b: 1 } }, 'spec').map(formatFieldError)).toEqual([
      'spec.size: Invalid value: "x": must be an integer',
      'spec.inner.b: Unknown field: did you mean "a"?',
      'spec.inner.a: Required value: must be set',
    ]);
  });

  it('accepts only JSON in fields that are not listed', () => {
    expect(validate(open, { other: () => 1 }, '')).toHaveLength(1);
  });

  it('has a schema for every field', () => {
    expect(schemaAt(open, ['other', 'deep', 0])?.type).toBe('anything');
    expect(schemaAt(open, ['inner', 'b'])).toBeUndefined();
  });
});

describe('an integer or a string', () => {
  it('is one of both', () => {
    const errors = [1, '50%', 1.5, true].map((value) =>
      validate(integerOrString(), value, 'port').map(formatFieldError),
    );
    expect(errors).toEqual([
      [],
      [],
      ['port: Invalid value: 1.5: must be an integer or a string'],
      ['port: Invalid value: true: must be an integer or a string'],
    ]);
    const quantity = integerOrString({ pattern: { expression: /^\d+Gi$/u, hint: 'must be such as 1Gi' } });
    expect([1, '1Gi', '1'].map((value) => validate(quantity, value, 'size').map(formatFieldError))).toEqual([
      [],
      [],
      ['size: Invalid value: "1": must be such as 1Gi'],
    ]);
    expectTypeOf<Infer<ReturnType<typeof integerOrString>>>().toEqualTypeOf<number | string>();
  });
});
