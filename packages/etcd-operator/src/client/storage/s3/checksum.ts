/** Compares what a store says about an object with what was sent. */
import { createHash } from 'node:crypto';
import type { Facts } from './inspect.ts';

/** What was sent. */
export interface Sent {
  readonly sizeBytes: number;
  /** Of the whole object, in hexadecimal. */
  readonly sha256: string;
  /** Of each part. */
  readonly md5s: readonly Uint8Array[];
  readonly sha256s: readonly Uint8Array[];
  readonly isMultipart: boolean;
}

/**
 * `unknown`: the store has no checksum that can be computed here. `different` may also mean that its ETag is derived from
 * something else.
 */
export type Comparison = 'equal' | 'different' | 'unknown';

export function compare(facts: Facts, sent: Sent): Comparison {
  if (facts.sizeBytes !== sent.sizeBytes) return 'different';
  const bySha256 = compareSha256(facts.sha256, sent);
  return bySha256 === 'unknown' ? compareEtag(facts, sent) : bySha256;
}

/** The ETag of S3 is the MD5 of the bytes, or of the MD5s of the parts with their number. */
function compareEtag({ etag, isEtagOpaque }: Facts, { md5s, isMultipart }: Sent): Comparison {
  const form = isMultipart ? /^[0-9a-f]{32}-\d+$/i : /^[0-9a-f]{32}$/i;
  if (isEtagOpaque || !form.test(etag)) return 'unknown';
  const expected = isMultipart
    ? `${digest('md5', md5s).toString('hex')}-${md5s.length}`
    : Buffer.concat(md5s).toString('hex');
  return etag.toLowerCase() === expected ? 'equal' : 'different';
}

function compareSha256(checksum: string, { sha256, sha256s }: Sent): Comparison {
  const [value = '', parts] = checksum.split('-');
  if (value === '') return 'unknown';
  const expected = parts === undefined ? Buffer.from(sha256, 'hex') : digest('sha256', sha256s);
  return Buffer.from(value, 'base64').equals(expected) ? 'equal' : 'different';
}

function digest(algorithm: string, chunks: readonly Uint8Array[]): Buffer {
  const hash = createHash(algorithm);
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest();
}
