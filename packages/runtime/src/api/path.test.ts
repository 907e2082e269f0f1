import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPath, parsePath, scalarText, valueAt } from './path.ts';

describe('path', () => {
  it.each<[string, (string | number)[]]>([
    ['', []],
    ['spec', ['spec']],
    ['spec.template.env[2].name', ['spec', 'template', 'env', 2, 'name']],
    ['metadata.labels[example.com/app]', ['metadata', 'labels', 'example.com/app']],
    ['data["12"]', ['data', '12']],
    ['data["a]b"][""]', ['data', 'a]b', '']],
    ['[0][1]', [0, 1]],
  ])('reads and writes %j', (text, segments) => {
    expect(parsePath(text)).toEqual(segments);
    expect(formatPath('', segments)).toBe(text);
  });

  it('parses any formatted segments', () => {
    const segment = fc.oneof(
      fc.nat(),
      fc.string(),
      fc.string({ unit: fc.constantFrom('a', '.', '[', ']', '"', '\\', '1') }),
    );
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        expect(parsePath(formatPath('', segments))).toEqual(segments);
      }),
    );
  });

  it.each(['.a', 'a..b', 'a.', 'a[', 'a[]', 'a]', 'a["x]', 'a b', '["\\x"]', 'a."b"', '["a"]b'])(
    'refuses %j',
    (text) => {
      expect(parsePath(text)).toBeUndefined();
    },
  );

  it('appends to a base', () => {
    expect(formatPath('spec', ['a', 0])).toBe('spec.a[0]');
    expect(formatPath('spec', [])).toBe('spec');
  });

  it('finds the value at a path and nothing that is inherited', () => {
    const value = { a: [{ b: 1 }], c: null };
    expect(valueAt(value, ['a', 0, 'b'])).toBe(1);
    expect(valueAt(value, ['a', '0'])).toBeUndefined();
    expect(valueAt(value, ['c', 'd'])).toBeUndefined();
    expect(valueAt(value, ['constructor', 'name'])).toBeUndefined();
    expect(valueAt(value, [])).toBe(value);
  });

  it('shows scalars as text', () => {
    expect([undefined, null, 1, true, 'x', [], {}].map(scalarText)).toEqual([
      '',
      '',
      '1',
      'true',
      'x',
      undefined,
      undefined,
    ]);
  });
});
