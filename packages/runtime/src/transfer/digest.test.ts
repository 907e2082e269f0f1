import { describe, expect, it } from 'vitest';
import { Digest, nextSum } from './digest.ts';

const digestOf = (...records: readonly (readonly [key: string, content: string])[]) => {
  const digest = new Digest();
  for (const [key, content] of records) digest.add(key, Buffer.from(content));
  return digest.finish();
};

describe('the digest of a transfer', () => {
  it('is the same for the same records', () => {
    expect(digestOf(['a', '1'], ['b', '2'])).toBe(digestOf(['a', '1'], ['b', '2']));
  });

  it('differs where the same bytes are divided into other records', () => {
    expect(digestOf(['ab', 'c'])).not.toBe(digestOf(['a', 'bc']));
    expect(digestOf(['a', 'b'], ['c', 'd'])).not.toBe(digestOf(['a', 'bcd']));
    expect(digestOf(['a', '1'], ['b', '2'])).not.toBe(digestOf(['b', '2'], ['a', '1']));
  });

  it('chains: a sum depends on the one before', () => {
    const bytes = Buffer.from('x');
    expect(nextSum('', bytes)).not.toBe(nextSum(nextSum('', bytes), bytes));
  });
});
