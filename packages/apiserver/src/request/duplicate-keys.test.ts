import { describe, expect, it } from 'vitest';
import { DUPLICATES_MAX, duplicateKeys } from './duplicate-keys.ts';

describe('duplicateKeys', () => {
  it.each([
    ['{"a":1,"b":{"a":2}}', []],
    ['{"a":1,"a":2,"a":3}', ['a']],
    ['{"spec":{"replicas":1,"x":[{"n":1},{"n":1,"n":2}],"replicas":2}}', ['spec.x[1].n', 'spec.replicas']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"a":"{\\"a\\":1,\\"a\\":2}"}', []],
    ['{"a\\\\":1,"a\\\\":2}', ['["a\\\\"]']],
    ['{"a":"\\"","a":1}', ['a']],
    ['["a","a",{"a":"a"}]', []],
    ['{"metadata":{"labels":{"x.io/a":"1","x.io/a":"2"}}}', ['metadata.labels[x.io/a]']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ])('of %s are %j', (text, paths) => {
    JSON.parse(text);
    expect(duplicateKeys(text)).toEqual(paths);
  });

  it('reports a bounded number of paths of bounded length', () => {
    const members = Array.from({ length: 2 * DUPLICATES_MAX }, (_, index) => `"k${index}":1,"k${index}":2`);
    expect(duplicateKeys(`{${members.join()}}`)).toHaveLength(DUPLICATES_MAX);
    const key = JSON.stringify('k'.repeat(100_000));
    expect(duplicateKeys(`{${key}:1,${key}:2}`)[0]).toHaveLength(1_000);
  });

  it('reads strings of megabytes', () => {
    const long = JSON.stringify('\\"x'.repeat(1_000_000));
    expect(duplicateKeys(`{"a":${long},"a":1}`)).toEqual(['a']);
  });
});
