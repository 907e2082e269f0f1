import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonPath, PathError, parseJsonPath, parsePath, printJsonPath } from './jsonpath.ts';
import { pathCharactersMax } from './jsonpath-syntax.ts';

const list = {
  kind: 'List',
  items: [
    {
      kind: 'ECSMService',
      metadata: { name: 'telemetry', labels: { 'ecsm.sh/owner': 'ops', app: 'a' } },
      spec: { replicas: 3, paused: false, command: ['run', '-v', '--fast'] },
      status: {
        conditions: [
          { type: 'Ready', status: 'True', age: 5 },
          { type: 'Progressing', status: 'False', age: 50 },
        ],
      },
    },
    { kind: 'ECSMService', metadata: { name: '网关', labels: {} }, spec: { replicas: 12, paused: true }, status: {} },
    { kind: 'ECSMService', metadata: { name: '👍🏽' }, spec: { replicas: null } },
  ],
  'a.b': 'dotted',
  a: { b: 'nested' },
  empty: [],
};

const print = (text: string, value: unknown = list) => printJsonPath(parseJsonPath(text), value);

describe('a template', () => {
  it.each([
    ['{.kind}', 'List'],
    ['{$.kind}', 'List'],
    ['{@.kind}', 'List'],
    ['{ .kind }', 'List'],
    ['.kind', 'List'],
    ['$.kind', 'List'],
    ['kind is {.kind}.', 'kind is List.'],
    ['just text', 'just text'],
    ['{.items[*].metadata.name}', 'telemetry 网关 👍🏽'],
    ['{.items[0].metadata.name}', 'telemetry'],
    ['{.items[-1].metadata.name}', '👍🏽'],
    ['{.items[-3].metadata.name}', 'telemetry'],
    ['{.items[-4].metadata.name}', ''],
    ['{.items[7].metadata.name}', ''],
    ['{.items[0:2].metadata.name}', 'telemetry 网关'],
    ['{.items[1:].metadata.name}', '网关 👍🏽'],
    ['{.items[:-1].metadata.name}', 'telemetry 网关'],
    ['{.items[::2].metadata.name}', 'telemetry 👍🏽'],
    ['{.items[0,2].metadata.name}', 'telemetry 👍🏽'],
    ["{['a.b']}", 'dotted'],
    ["{['a.b']} {.a.b}", 'dotted nested'],
    ['{["kind"]}', 'List'],
    ['{.a\\.b}', 'dotted'],
    ["{.items[0].metadata.labels['ecsm.sh/owner']}", 'ops'],
    ["{.items[0].metadata.labels['ecsm\\.sh/owner']}", 'ops'],
    ['{.items[0].metadata.labels.ecsm\\.sh/owner}', 'ops'],
    ["{.items[*]['metadata.name', 'spec.replicas']}", 'telemetry 3 网关 12 👍🏽 null'],
    ['{..name}', 'telemetry 网关 👍🏽'],
    ['{.items[0]..type}', 'Ready Progressing'],
    ['{.items[0].metadata.labels.*}', 'ops a'],
    ['{.items[*].kind}{"\\n"}', 'ECSMService ECSMService ECSMService\n'],
    ["{'a\\tb'}", 'a\tb'],
    ['{"}{"}', '}{'],
    ['{"say \\"hi\\""}', 'say "hi"'],
    ['{range .items[*]}{.metadata.name}={.spec.replicas}{"\\n"}{end}', 'telemetry=3\n网关=12\n👍🏽=null\n'],
    ['{range .items[*]}{@.metadata.name} of {$.kind}; {end}!', 'telemetry of List; 网关 of List; 👍🏽 of List; !'],
    ['{range .items[*]}{range .status.conditions[*]}{.type},{end};{end}', 'Ready,Progressing,;;;'],
    ['{range .empty[*]}never{end}after', 'after'],
    ['{range .nowhere}never{end}', ''],
    ['{.items[0].status.conditions[?(@.type=="Ready")].status}', 'True'],
    ["{.items[0].status.conditions[?(@.type != 'Ready')].status}", 'False'],
    ['{.items[?(@.spec.replicas>3)].metadata.name}', '网关'],
    ['{.items[?(@.spec.replicas >= 3)].metadata.name}', 'telemetry 网关'],
    ['{.items[?(@.spec.replicas<12)].metadata.name}', 'telemetry'],
    ['{.items[?(@.spec.replicas<=12)].metadata.name}', 'telemetry 网关'],
    ['{.items[?(@.spec.paused==true)].metadata.name}', '网关'],
    ['{.items[?(@.spec.replicas==null)].metadata.name}', '👍🏽'],
    ['{.items[?(@.metadata.labels)].metadata.name}', 'telemetry 网关'],
    ['{.items[?(@.kind!=$.kind)].metadata.name}', 'telemetry 网关 👍🏽'],
    ['{.items[?(@.status.conditions[?(@.age>10)])].metadata.name}', 'telemetry'],
    ['{.items[?(@.metadata.name=="网关")].spec.replicas}', '12'],
    ['{.items[?(@.metadata.name>"u")].metadata.name}', '网关 👍🏽'],
    ['{.items[?(@.metadata.name=="a)]}")].kind}', ''],
    ['{.items[?(@.spec.replicas=="3")].kind}', ''],
    ['{.items[?(@.spec.replicas<"9")].kind}', ''],
    ['{.items[0].spec.command}', '["run","-v","--fast"]'],
    ['{.items[1].metadata}', '{"name":"网关","labels":{}}'],
    ['{.items[1].spec.paused}', 'true'],
    ['{.missing}', ''],
    ['{.missing.deeper[0]..x}', ''],
    ['{.kind.length}', ''],
    ['{.kind[0]}', ''],
    ['{.toString}{.__proto__}{.items.length}', ''],
  ])('%s prints %j', (text, printed) => {
    expect(print(text)).toBe(printed);
  });

  it('prints a value that is not an object', () => {
    expect([print('{.}', 'text'), print('{@}', [1, 2]), print('{$}', 3), print('{.}', null)]).toEqual([
      'text',
      '[1,2]',
      '3',
      'null',
    ]);
    expect(printJsonPath(parseJsonPath('{.}{@}{$}'), undefined)).toBe('');
  });
});

describe('findJsonPath', () => {
  it('returns the values in order, without texts', () => {
    const find = (text: string) => findJsonPath(parseJsonPath(text), list);
    expect(find('name {.items[1].spec.replicas} {.items[1].spec.paused}')).toEqual([12, true]);
    expect(find('{range .items[*]}{.spec.replicas}{"\\n"}{end}')).toEqual([3, 12, null]);
    expect(find('{.items[0].spec.command}')).toEqual([['run', '-v', '--fast']]);
    expect(find('{.missing}')).toEqual([]);
  });
});

describe('parsePath', () => {
  it.each([
    '.metadata.name',
    'metadata.name',
    '{.metadata.name}',
    '{metadata.name}',
    '$.metadata.name',
    " ['metadata'].name ",
  ])('accepts %j', (text) => {
    expect(findJsonPath(parsePath(text), list.items[0])).toEqual(['telemetry']);
  });

  it.each([
    ['', 'the path "" is invalid at character 1: it is empty'],
    ['.a b', 'the path ".a b" is invalid at character 4: expected the end of the path, but found "b"'],
    ['{.a', 'the path "{.a" is invalid at character 4: expected "}", but found the end'],
    ['{}', 'the path "{}" is invalid at character 2: expected a path such as .metadata.name, but found "}"'],
    ['{.a}{.b}', 'the path "{.a}{.b}" is invalid at character 5: expected the end of the path, but found "{"'],
  ])('rejects %j', (text, message) => {
    expect(() => parsePath(text)).toThrow(new PathError(message));
  });
});

describe('an invalid template', () => {
  it.each([
    ['', 1, 'it is empty'],
    ['{', 2, 'expected a path such as .metadata.name, but found the end'],
    ['{}', 2, 'expected a path such as .metadata.name, but found "}"'],
    ['{.metadata.name', 16, 'expected "}", but found the end'],
    ['x {metadata.name}', 4, 'a path starts with a dot: {.metadata}'],
    ['{.items[}', 9, 'expected a number, a name in quotes, * or ?(...), but found "}"'],
    ['{.items[*}', 10, 'expected "]", but found "}"'],
    ['{.items[0', 10, 'expected "]", but found the end'],
    ['{.items[name]}', 9, 'expected a number, a name in quotes, * or ?(...), but found "n"'],
    ['{.items[0:2:0]}', 13, 'the step must be 1 or more'],
    ['{.a..}', 6, 'expected a name or *, but found "}"'],
    ['{...a}', 4, 'expected a name or *, but found "."'],
    ['{"open}', 2, 'the string has no closing "'],
    ["{['open]}", 3, "the string has no closing '"],
    ['{range .items[*]}{.a}', 1, '{range} without {end}'],
    ['a{end}', 2, '{end} without {range}'],
    ['{.a[?(@.b=~"x")]}', 10, 'expected ")" or one of == != <= >= < >, but found "="'],
    ['{.a[?(@.b==Ready)]}', 12, 'text must be quoted: "Ready"'],
    ['{.a[?(@.b==)]}', 12, 'expected a path such as @.type, or a value, but found ")"'],
    ['{.a[?(@.b=="x"]}', 15, 'expected ")", but found "]"'],
    ['{.a[?()]}', 7, 'expected a path such as @.type, or a value, but found ")"'],
    ['{.a "b"}', 5, `expected "}", but found '"'`],
    ['节点{。}', 4, 'a path starts with a dot: {.。}'],
  ])('%s is rejected at character %i: %s', (text, position, reason) => {
    expect(() => parseJsonPath(text)).toThrow(
      new PathError(`the path "${text}" is invalid at character ${position}: ${reason}`),
    );
  });

  it('is shown on one line and shortened', () => {
    const message = messageOf(`{\n\u001b[2J${'x'.repeat(500)}`);
    expect(message).toMatch(/^the path "\{\\n\\x1b\[2Jx+…" is invalid at character 3: /);
    expect(message.length).toBeLessThan(200);
  });

  it('is shown without control characters', () => {
    expect(messageOf('{\u001b[2J}')).toMatch(/a path starts with a dot: \{\.\\x1b\}$/);
    expect(messageOf(`{${'x'.repeat(4000)}}`).length).toBeLessThan(300);
  });

  it('is rejected if it is too long', () => {
    expect(() => parseJsonPath('x'.repeat(pathCharactersMax))).not.toThrow();
    expect(messageOf('x'.repeat(pathCharactersMax + 1))).toMatch(/it has more than 4096 characters$/);
  });

  it('only throws PathError, for any text', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '.',
      '..',
      '[',
      ']',
      '*',
      '?(',
      ')',
      '@',
      '$',
      '"',
      "'",
      '\\',
      ':',
      ',',
      '-1',
      '0',
      'a',
      ' ',
      '==',
      '<',
      'range ',
      'end',
      '中',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const text = pieces.join('');
        try {
          printJsonPath(parseJsonPath(text), list);
        } catch (error) {
          expect(error).toBeInstanceOf(PathError);
          expect(String(error)).not.toContain('\n');
        }
      }),
      { numRuns: 2000 },
    );
  });
});

it('finds every value by its path', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.nat(5), fc.string({ unit: 'grapheme', minLength: 1 })), { maxLength: 6 }),
      (keys) => {
        const value = keys.reduceRight<unknown>(
          (inner, key) =>
            typeof key === 'number' ? [...Array(key).fill(0), inner] : Object.fromEntries([[key, inner]]),
          'leaf',
        );
        const steps = keys.map((key) =>
          typeof key === 'number' ? `[${key}]` : `['${key.replace(/[\\']/g, '\\$&')}']`,
        );
        expect(print(`{$${steps.join('')}}`, value)).toBe('leaf');
      },
    ),
  );
});

function messageOf(text: string): string {
  try {
    parseJsonPath(text);
  } catch (error) {
    if (error instanceof PathError) return error.message;
  }
  return 'nothing was wrong';
}
