import { describe, expect, it } from 'vitest';
import { readPlainJson } from './plain-json.ts';

describe('reading plain JSON', () => {
  it.each([
    '{"a": 1, "b": [true, null, "x"], "c": {"a": 2}}',
    ' \n[{}, []]',
    '{"a\\"b" : "\\": ", "c\\\\": "\\\\"}',
    '{"a": "b\\":", "c": ":"}',
    '{"a": 0.1, "b": -3e2, "c": 9007199254740991}',
  ])('reads %s', (text) => {
    expect(readPlainJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    '',
    'a: 1',
    '"text"',
    '{"a": 1,}',
    '{"a": 1, "a": 2}',
    '{"a": {"b": 1, "\\u0062": 2}}',
    '{"a": 9007199254740993}',
    '[1e400]',
    '['.repeat(65) + ']'.repeat(65),
  ])('leaves %s to the YAML reader', (text) => {
    expect(readPlainJson(text)).toBeUndefined();
  });
});
