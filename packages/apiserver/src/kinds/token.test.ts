import { describe, expect, it } from 'vitest';
import { Token } from './token.ts';

const token = (spec: object = {}) =>
  Token.default({
    metadata: { name: 'abc' },
    spec: { user: 'jane', groups: ['dev'], hash: 'a'.repeat(64), expires: '2026-01-02T03:04:05Z', ...spec },
  });

describe('Token', () => {
  it.each([
    [{}, []],
    [{ hash: 'secret' }, ['spec.hash']],
    [{ user: '' }, ['spec.user']],
    [{ expires: '2026-01-02T03:04:05+02:00' }, ['spec.expires']],
    [{ expires: '2026-01-02T03:04:05.5Z' }, ['spec.expires']],
    [{ expires: 'never' }, ['spec.expires']],
  ])('is valid or not: %j', (spec, paths) => {
    expect(Token.validate(token(spec)).map(({ path }) => path)).toEqual(paths);
  });

  it('keeps its user, groups, hash and expiry', () => {
    const changes = { user: 'root', groups: ['dev', 'ops'], hash: 'b'.repeat(64), expires: '2030-01-02T03:04:05Z' };
    const errors = Token.validate(token(changes), token());
    expect(errors.map(({ path }) => path).sort()).toEqual(['spec.expires', 'spec.groups', 'spec.hash', 'spec.user']);
    expect(Token.validate(token({ description: 'laptop' }), token())).toEqual([]);
  });

  it('has a column with the time when it expires', () => {
    const expires = Token.columns.find(({ name }) => name === 'EXPIRES');
    const stored = (spec: object) => token(spec) as Parameters<NonNullable<typeof expires>['value']>[0];
    expect(expires?.value(stored({}))).toBe('2026-01-02T03:04Z');
    expect(expires?.value(stored({ expires: undefined }))).toBe('never');
  });

  it('stays revoked', () => {
    const revoked = token({ revoked: '2026-01-01T00:00:00Z' });
    expect(Token.validate(revoked, token())).toEqual([]);
    expect(Token.validate(token(), revoked).map(({ path }) => path)).toEqual(['spec.revoked']);
  });
});
