import { describe, expect, it } from 'vitest';
import { bounded, excerpt } from './bounded.ts';

describe('bounded text', () => {
  it('is one line with a maximum length, without half characters', () => {
    expect(bounded(' a\n\tb\u001b[31m\u202e c ', 100)).toBe('a b [31m c');
    expect(bounded('abcdef', 6)).toBe('abcdef');
    expect(bounded('abcdefg', 6)).toBe('abcde…');
    expect(bounded('abcd😀fgh', 6)).toBe('abcd…');
    expect(bounded('x'.repeat(10_000_000), 6)).toBe('xxxxx…');
    expect(excerpt('say "hi"')).toBe('"say \\"hi\\""');
    expect(excerpt('{"DB_PASS":"hunter2')).toBe('"{\\"DB_PASS\\":\\"<hidden>"');
  });
});
