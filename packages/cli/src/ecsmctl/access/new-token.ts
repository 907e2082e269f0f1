/** Creates the token that the flags `--user`, `--group`, `--expires` and `--description` describe. */
import { createToken, type NewToken, RegistryTokens, type TokenInput } from '@ecsm/apiserver';
import { type Call, UsageError, visible } from '@ecsm/command-line';
import { isApiError } from '@ecsm/runtime';
import type { Session } from '../shared/session.ts';
import { flagIfSet } from '../shared/targets.ts';
import { parseTime } from '../shared/time-limits.ts';

/** Throws `UsageError`, before the registry is opened. */
export function tokenInputOf(call: Call): TokenInput {
  const user = flagIfSet(call, 'user');
  if (user === undefined) throw new UsageError('whose token? Specify --user NAME');
  const text = call.flag('expires') ?? '';
  const validMs = parseTime(text);
  if (validMs === undefined) throw new UsageError(`--expires has to be a time such as 12h or 720h, not "${text}"`);
  const description = flagIfSet(call, 'description');
  return { user, groups: call.flags('group'), validMs, ...(description === undefined ? {} : { description }) };
}

/** Throws `UsageError` for input over a limit. */
export async function newTokenOf({ terminal }: Call, { registry }: Session, input: TokenInput): Promise<NewToken> {
  try {
    return await createToken(new RegistryTokens(registry), terminal.clock, input);
  } catch (error) {
    if (isApiError(error, 'BadRequest')) throw new UsageError(error.message);
    throw error;
  }
}

/** `token 0123456789ab for jane (dev, ops), valid until 2026-04-02T03:04:05Z` */
export function tokenText({ record: { id, user, groups, expires } }: NewToken): string {
  const members = groups.length === 0 ? '' : ` (${groups.join(', ')})`;
  return visible(`token ${id} for ${user}${members}, valid until ${expires ?? 'it is revoked'}`);
}
