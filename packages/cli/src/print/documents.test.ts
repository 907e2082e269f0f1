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
  it('indents by two blanks, keeps the order of keys, and ends with a newline', () => {
    expect(formatJson({ b: [1, '节点'], a: {} })).toBe('{\n  "b": [\n    1,\n    "节点"\n  ],\n  "a": {}\n}\n');
    expect(formatJson(undefined)).toBe('null\n');
  });

  it('escapes control characters without changing the value', () => {
    const text = formatJson({ 'k\u009b': 'a\u001b[2J\u009b31m\u202e\u007f' });
    expect(text).toBe('{\n  "k\\u009b": "a\\u001b[2J\\u009b31m\\u202e\\u007f"\n}\n');
  });

  it('round-trips any value', () => {
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

  it('separates documents by ---', async () => {
    const text = await formatYaml({ a: 1 }, { b: 2 });
    expect(text).toBe('a: 1\n---\nb: 2\n');
    expect(parseAllDocuments(text).map((document) => document.toJS())).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('prints repeated objects without anchors', async () => {
    const shared = { x: 1 };
    expect(await formatYaml({ a: shared, b: shared })).toBe('a:\n  x: 1\nb:\n  x: 1\n');
  });

  it('escapes control characters without changing the value', async () => {
    const value = { 'k\u202e': 'a\u009b31m', text: 'one\ntwo\u2028\n', list: ['\u001b[2J', 'plain'] };
    const text = await formatYaml(value);
    expect(text).toBe('"k\\u202e": "a\\u009b31m"\ntext: "one\\ntwo\\u2028\\n"\nlist:\n  - "\\e[2J"\n  - plain\n');
    expect(parse(text)).toEqual(value);
  });

  it('round-trips any value', async () => {
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

it('combines several objects into a List', async () => {
  expect(await formatYaml(listOf([{ a: 1 }, { b: 2 }]))).toBe(
    'apiVersion: v1\nkind: List\nitems:\n  - a: 1\n  - b: 2\n',
  );
});
