/**
 * The text of a bearer token: `ecsm_<id>_<secret>`. The id finds the record of the token, so that the secret is compared
 * with one hash only. The secret has 256 random bits, so that a plain SHA-256 is enough to store it.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const pattern = /^ecsm_([0-9a-f]{12})_([0-9a-f]{64})$/;

interface TokenText {
  readonly id: string;
  readonly secret: string;
}

/** Returns undefined for a text that cannot be a token of ours. */
export function parseTokenText(text: string): TokenText | undefined {
  const [, id, secret] = pattern.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

export const formatTokenText = ({ id, secret }: TokenText): string => `ecsm_${id}_${secret}`;

export function newTokenText(): TokenText {
  return { id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('hex') };
}

/** Hex. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compared in constant time. Without a hash it takes as long, and the answer is false. */
export function isSecretOf(secret: string, hash: string | undefined): boolean {
  const actual = Buffer.from(hashSecret(secret));
  const expected = Buffer.from(hash ?? '');
  const isComparable = expected.length === actual.length;
  return timingSafeEqual(actual, isComparable ? expected : Buffer.alloc(actual.length)) && isComparable;
}
