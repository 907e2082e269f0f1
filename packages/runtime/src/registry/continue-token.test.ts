import { describe, expect, it } from 'vitest';
import { decodeContinue, encodeContinue } from './continue-token.ts';

describe('a continue token', () => {
  it('gives back its parts', () => {
    expect(decodeContinue(encodeContinue([7, 'a/b ü']), (parts) => parts)).toEqual([7, 'a/b ü']);
    expect(encodeContinue([7, 'a/b?'])).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it.each(['', 'x', '%', Buffer.from('{"a":1}').toString('base64url'), Buffer.from('"[]"').toString('base64url')])(
    'is not %j',
    (token) => {
      expect(() => decodeContinue(token, (parts) => parts)).toThrow('does not belong to this list');
    },
  );

  it('of another list is refused', () => {
    expect(() => decodeContinue(encodeContinue([1]), () => undefined)).toThrow('restart the list without it');
  });
});
