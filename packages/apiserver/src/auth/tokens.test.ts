import { ApiError, isApiError } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { MemoryTokens } from './memory-tokens.kit.ts';
import { hashSecret, isSecretOf, parseTokenText } from './token-text.ts';
import { createToken, revokeToken, stateOfToken, tokenLimits } from './tokens.ts';

const setup = () => ({ store: new MemoryTokens(), clock: new VirtualClock() });
const secret = 'a'.repeat(64);

describe('createToken', () => {
  it('stores a hash and returns the token once', async () => {
    const { store, clock } = setup();
    const { record, token } = await createToken(store, clock, {
      user: 'jane',
      groups: ['dev', 'dev'],
      description: 'laptop',
    });
    expect(token).toMatch(/^ecsm_[0-9a-f]{12}_[0-9a-f]{64}$/);
    expect(await store.list()).toEqual([record]);
    expect(record).toEqual({
      id: token.slice(5, 17),
      hash: hashSecret(token.slice(18)),
      user: 'jane',
      groups: ['dev'],
      description: 'laptop',
      created: '2026-01-02T03:04:05Z',
      expires: '2026-04-02T03:04:05Z',
      revoked: undefined,
    });
    expect(JSON.stringify(record)).not.toContain(token.slice(18));
  });

  it('never returns the same token twice', async () => {
    const { store, clock } = setup();
    const tokens = new Set<string>();
    for (let count = 0; count < 50; count++) tokens.add((await createToken(store, clock, { user: 'jane' })).token);
    expect(tokens.size).toBe(50);
  });

  it.each([
    ['no user', { user: '' }],
    ['a user that is too long', { user: 'x'.repeat(254) }],
    ['a user with a line break', { user: 'jane\nroot' }],
    ['the anonymous user', { user: 'system:anonymous' }],
    ['a group that users get by themselves', { user: 'jane', groups: ['system:authenticated'] }],
    ['too many groups', { user: 'jane', groups: Array.from({ length: 65 }, (_, n) => `g${n}`) }],
    ['a description that is too long', { user: 'jane', description: 'x'.repeat(1_025) }],
    ['a group that is too long', { user: 'jane', groups: ['x'.repeat(254)] }],
    ['no time', { user: 'jane', validMs: 999 }],
    ['too much time', { user: 'jane', validMs: tokenLimits.validMsMax + 1 }],
    ['a time that is not a number', { user: 'jane', validMs: Number.NaN }],
  ])('rejects %s', async (_name, input) => {
    const { store, clock } = setup();
    const error = await createToken(store, clock, input).catch((reason: unknown) => reason);
    expect(isApiError(error, 'BadRequest')).toBe(true);
    expect(store.records.size).toBe(0);
  });
});

describe('createToken at a limit', () => {
  it.each([
    ['the longest names', { user: 'x'.repeat(253), groups: ['y'.repeat(253)] }],
    ['the most groups', { user: 'jane', groups: Array.from({ length: 64 }, (_, n) => `g${n}`) }],
    ['the longest description', { user: 'jane', description: 'x'.repeat(1_024) }],
    ['one second', { user: 'jane', validMs: 1_000 }],
    ['ten years', { user: 'jane', validMs: 3_650 * 86_400_000 }],
  ])('accepts %s', async (_name, input) => {
    const { store, clock } = setup();
    const { record } = await createToken(store, clock, input);
    expect(await store.list()).toEqual([record]);
  });
});

it('a token that cannot be stored, or whose revocation cannot, is not said to be', async () => {
  const { clock } = setup();
  class Failing extends MemoryTokens {
    override async create(): Promise<void> {
      throw new ApiError('Unavailable', { what: 'store', reason: 'down' });
    }
    override async revoke(): Promise<void> {
      throw new ApiError('Unavailable', { what: 'store', reason: 'down' });
    }
  }
  await expect(createToken(new Failing(), clock, { user: 'jane' })).rejects.toMatchObject({ code: 'Unavailable' });
  await expect(revokeToken(new Failing(), clock, 'x')).rejects.toMatchObject({ code: 'Unavailable' });
});

describe('the state of a token', () => {
  it('is Expired from the second of its expiry on', async () => {
    const { store, clock } = setup();
    const { record } = await createToken(store, clock, { user: 'jane', validMs: 10_000 });
    expect(stateOfToken(record, clock.now() + 9_999)).toBe('Active');
    expect(stateOfToken(record, clock.now() + 10_000)).toBe('Expired');
  });

  it('is Revoked after a revocation, even if it expires later', async () => {
    const { store, clock } = setup();
    const { record } = await createToken(store, clock, { user: 'jane' });
    await revokeToken(store, clock, record.id);
    const [revoked] = await store.list();
    expect(revoked && stateOfToken(revoked, clock.now())).toBe('Revoked');
    expect(revoked?.revoked).toBe('2026-01-02T03:04:05Z');
  });
});

describe('the text of a token', () => {
  it.each([
    '',
    'ecsm_',
    `ecsm_${'a'.repeat(12)}_${'a'.repeat(63)}`,
    `ecsm_${'a'.repeat(12)}_${'a'.repeat(65)}`,
    `ecsm_${'a'.repeat(11)}_${secret}`,
    `ECSM_${'a'.repeat(12)}_${secret}`,
    `ecsm_${'A'.repeat(12)}_${secret}`,
    `ecsm_../../../etc_${secret}`,
    ` ecsm_${'a'.repeat(12)}_${secret}`,
    `ecsm_${'a'.repeat(12)}_${secret}\n`,
  ])('is not %j', (text) => {
    expect(parseTokenText(text)).toBeUndefined();
  });

  it('is compared with the hash of its secret only', () => {
    expect(isSecretOf(secret, hashSecret(secret))).toBe(true);
    expect(isSecretOf(secret, hashSecret(`${secret}b`))).toBe(false);
    expect(isSecretOf(secret, undefined)).toBe(false);
    expect(isSecretOf(secret, '')).toBe(false);
    expect(isSecretOf(secret, `${hashSecret(secret)}0`)).toBe(false);
  });
});
