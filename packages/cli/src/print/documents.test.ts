import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { formatJson, formatYaml, listOf } from './documents.ts';

const service = {
  kind: 'ECSMService',
  apiVersion: 'ecsm.sh/v1',
  metadata: { name: '网关', annotations: { note: `${'a long note '.repeat(20)}end` } },
  spec: { script: 'one\ntwo\n', nodes: ['node-1', '👍🏽'], empty: {}, version: '1.10' },
};

const steers = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e]/u;

describe('JSON', () => {
  it('has two blanks a level, keys as they are, and a line end', () => {
    expect(formatJson({ b: [1, '节点'], a: {} })).toBe('{\n  "b": [\n    1,\n    "节点"\n  ],\n  "a": {}\n}\n');
    expect(formatJson(undefined)).toBe('null\n');
  });

  it('says the same with escapes where a terminal would be steered', () => {
    const text = formatJson({ 'k\u009b': 'a\u001b[2J\u009b31m\u202e\u007f' });
    expect(text).toBe('{\n  "k\\u009b": "a\\u001b[2J\\u009b31m\\u202e\\u007f"\n}\n');
  });

  it('can be read again, whatever it holds', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = formatJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text.replaceAll('\n', '')).not.toMatch(steers);
      }),
    );
  });
});

describe('YAML', () => {
  it('does not fold long strings, and keeps the order of keys', async () => {
    expect(await formatYaml(service)).toBe(`kind: ECSMService
apiVersion: ecsm.sh/v1
metadata:
  name: 网关
  annotations:
    note: ${'a long note '.repeat(20)}end
spec:
  script: |
    one
    two
  nodes:
    - node-1
    - 👍🏽
  empty: {}
  version: "1.10"
`);
  });

  it('parts several documents by ---', async () => {
    const text = await formatYaml({ a: 1 }, { b: 2 });
    expect(text).toBe('a: 1\n---\nb: 2\n');
    expect(parseAllDocuments(text).map((document) => document.toJS())).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('writes what stands in two places twice', async () => {
    const shared = { x: 1 };
    expect(await formatYaml({ a: shared, b: shared })).toBe('a:\n  x: 1\nb:\n  x: 1\n');
  });

  it('says the same with escapes where a terminal would be steered', async () => {
    const value = { 'k\u202e': 'a\u009b31m', text: 'one\ntwo\u2028\n', list: ['\u001b[2J', 'plain'] };
    const text = await formatYaml(value);
    expect(text).toBe('"k\\u202e": "a\\u009b31m"\ntext: "one\\ntwo\\u2028\\n"\nlist:\n  - "\\e[2J"\n  - plain\n');
    expect(parse(text)).toEqual(value);
  });

  it('can be read again, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (generated) => {
        const value: unknown = JSON.parse(JSON.stringify(generated));
        const text = await formatYaml(value);
        expect(parse(text)).toEqual(value);
        expect(text.replace(/[\n\t]/g, '')).not.toMatch(steers);
      }),
    );
  });
});

it('makes a list of several objects', async () => {
  expect(await formatYaml(listOf([{ a: 1 }, { b: 2 }]))).toBe(
    'apiVersion: v1\nkind: List\nitems:\n  - a: 1\n  - b: 2\n',
  );
});
