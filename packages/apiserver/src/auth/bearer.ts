/**
 * Authenticates bearer tokens. Every request checks expiry and revocation; a record that was read from the store is used
 * for at most `cacheMs`, so that a busy client does not read the store for every request.
 */
import { ApiError, BoundedMap, type Clock } from '@ecsm/runtime';
import { type Authenticator, type Credentials, credentialId, groups, type User } from './contract.ts';
import { isSecretOf, parseTokenText } from './token-text.ts';
import { stateOfToken, type TokenRecord, type TokenStore } from './tokens.ts';

export const bearerLimits = {
  /** How long a revoked token may still be accepted. */
  cacheMs: 2_000,
  cachedTokensMax: 1_024,
  /** A longer header is invalid without a look at it. Our tokens have 82 characters. */
  headerLengthMax: 8_192,
} as const;

interface Cached {
  readonly untilMs: number;
  readonly record: Promise<TokenRecord | undefined>;
}

export class BearerAuthenticator implements Authenticator {
  readonly #store: TokenStore;
  readonly #clock: Clock;
  readonly #cache = new BoundedMap<string, Cached>(bearerLimits.cachedTokensMax);

  constructor(store: TokenStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Throws `Unauthorized` for another scheme, and the errors of the store. */
  async authenticate({ authorization }: Pick<Credentials, 'authorization'>): Promise<User | undefined> {
    if (authorization === undefined) return undefined;
    const isShort = authorization.length <= bearerLimits.headerLengthMax;
    const [, token] = (isShort ? /^Bearer +([^\s]+) *$/i.exec(authorization) : undefined) ?? [];
    if (token === undefined) throw unauthorized('the Authorization header is not a bearer token');
    return this.userOf(token);
  }

  /** The user of a token, for reviews. Throws `Unauthorized` if it is invalid. */
  async userOf(token: string): Promise<User> {
    const text = parseTokenText(token);
    if (!text) throw unauthorized('the bearer token is invalid');
    const record = await this.#record(text.id);
    // One answer, after the same work, for an unknown token and for a wrong secret.
    if (!isSecretOf(text.secret, record?.hash) || !record) throw unauthorized('the bearer token is invalid');
    const state = stateOfToken(record, this.#clock.now());
    // Only the holder of the right secret learns this.
    if (state === 'Expired') throw unauthorized(`the bearer token has expired at ${record.expires}`);
    if (state === 'Revoked') throw unauthorized('the bearer token is revoked');
    return {
      name: record.user,
      groups: [...record.groups, groups.authenticated],
      extra: { [credentialId]: [`TOKEN=${record.id}`] },
    };
  }

  #record(id: string): Promise<TokenRecord | undefined> {
    const nowMs = this.#clock.monotonicMs();
    const cached = this.#cache.get(id);
    if (cached && cached.untilMs > nowMs) return cached.record;
    const record = this.#store.get(id);
    this.#cache.set(id, { untilMs: nowMs + bearerLimits.cacheMs, record });
    // A failure or an unknown id is not kept: a token works as soon as it is created.
    const forget = () => {
      if (this.#cache.get(id)?.record === record) this.#cache.delete(id);
    };
    record.then((found) => found ?? forget(), forget);
    return record;
  }
}

export function unauthorized(reason: string): ApiError<'Unauthorized'> {
  return new ApiError('Unauthorized', { reason });
}
