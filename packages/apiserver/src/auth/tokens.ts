/** Bearer tokens: create, list and revoke them. Only the hash of a secret is stored; the token is shown once. */
import { ApiError, type Clock, timestampAt } from '@ecsm/runtime';
import { groups as systemGroups } from './contract.ts';
import { formatTokenText, hashSecret, newTokenText } from './token-text.ts';

/** Times are RFC 3339, in UTC, to the second, so that they can be compared as text. */
export interface TokenRecord {
  readonly id: string;
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly description: string;
  readonly created: string;
  /** Undefined: it does not expire. */
  readonly expires: string | undefined;
  readonly revoked: string | undefined;
}

/** Where tokens are stored. */
export interface TokenStore {
  /** Returns undefined if there is no such token. */
  get(id: string): Promise<TokenRecord | undefined>;
  list(): Promise<readonly TokenRecord[]>;
  /** Throws `AlreadyExists`. */
  create(record: TokenRecord): Promise<void>;
  /** Sets the time of revocation, unless it is set. Throws `NotFound`. */
  revoke(id: string, time: string): Promise<void>;
}

export interface TokenInput {
  readonly user: string;
  /** Default: none. */
  readonly groups?: readonly string[];
  readonly description?: string;
  /** Default 90 days; at most 10 years. */
  readonly validMs?: number;
}

export interface NewToken {
  readonly record: TokenRecord;
  /** The text to give to the user. It cannot be shown again. */
  readonly token: string;
}

const dayMs = 86_400_000;
export const tokenLimits = {
  validMsDefault: 90 * dayMs,
  validMsMax: 3_650 * dayMs,
  nameLengthMax: 253,
  groupsMax: 64,
  descriptionLengthMax: 1_024,
} as const;

/** Throws `BadRequest` for input that is over a limit or names a group that users get by themselves. */
export async function createToken(store: TokenStore, clock: Clock, input: TokenInput): Promise<NewToken> {
  const { user, groups = [], description = '', validMs = tokenLimits.validMsDefault } = input;
  checkName('user', user);
  for (const group of groups) checkName('group', group);
  if (groups.length > tokenLimits.groupsMax) throw badRequest(`a token has at most ${tokenLimits.groupsMax} groups`);
  if (description.length > tokenLimits.descriptionLengthMax) throw badRequest('the description is too long');
  if (!(validMs >= 1_000 && validMs <= tokenLimits.validMsMax)) {
    throw badRequest('a token is valid for at least a second and at most 10 years');
  }
  const text = newTokenText();
  const nowMs = clock.now();
  const record = {
    id: text.id,
    hash: hashSecret(text.secret),
    user,
    groups: [...new Set(groups)],
    description,
    created: timestampAt(nowMs),
    expires: timestampAt(nowMs + validMs),
    revoked: undefined,
  };
  await store.create(record);
  return { record, token: formatTokenText(text) };
}

/** Takes effect at the next request, at the latest after `cacheMs` of the authenticator. Throws `NotFound`. */
export async function revokeToken(store: TokenStore, clock: Clock, id: string): Promise<void> {
  await store.revoke(id, timestampAt(clock.now()));
}

export type TokenState = 'Active' | 'Expired' | 'Revoked';

export function stateOfToken({ expires, revoked }: TokenRecord, nowMs: number): TokenState {
  if (revoked !== undefined) return 'Revoked';
  return expires !== undefined && expires <= timestampAt(nowMs) ? 'Expired' : 'Active';
}

/** A name in a token is one that the server would not give by itself. */
function checkName(what: string, name: string): void {
  // Control characters would end up in logs and headers.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (name === '' || name.length > tokenLimits.nameLengthMax || /[\u0000-\u001f\u007f]/.test(name)) {
    throw badRequest(
      `the ${what} of a token has 1 to ${tokenLimits.nameLengthMax} characters, none of them control characters`,
    );
  }
  if (name === systemGroups.authenticated || name === systemGroups.unauthenticated || name === 'system:anonymous') {
    throw badRequest(`${name} cannot be the ${what} of a token`);
  }
}

function badRequest(reason: string): ApiError<'BadRequest'> {
  return new ApiError('BadRequest', { reason });
}
