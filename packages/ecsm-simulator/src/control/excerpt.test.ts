/** Secrets do not reach the journal, also where a text is cut in the middle of one. */
import { describe, expect, it } from 'vitest';
import { bodyExcerpt } from './excerpt.ts';

describe('the beginning of a body', () => {
  it('is the whole of a short body, and ends with … for a long one', () => {
    expect(bodyExcerpt(Buffer.from('{"a":1}'), 100)).toBe('{"a":1}');
    expect(bodyExcerpt(Buffer.from('x'.repeat(200)), 100)).toBe(`${'x'.repeat(100)}…`);
    expect(bodyExcerpt(Buffer.from('服'.repeat(100)), 100)).toBe('服'.repeat(100));
    expect(bodyExcerpt(new Uint8Array(), 100)).toBe('');
  });

  it('shows no bytes that are not text', () => {
    expect(bodyExcerpt(new Uint8Array([0, 1, 2]), 100)).toBe('(3 bytes)');
  });

  it('shows no part of a secret, wherever the body is cut', () => {
    const body = Buffer.from(
      '{"a":1,"vsoa":{"password":"hunter2"},"env":["DB_PASS=hunter2"],"c":"{\\"pwd\\":\\"hunter2\\"}"}',
    );
    expect(bodyExcerpt(body, 1_000)).toContain('"password":"<hidden>"');
    for (let length = 0; length <= body.length; length++) expect(bodyExcerpt(body, length)).not.toContain('hun');
  });
});
