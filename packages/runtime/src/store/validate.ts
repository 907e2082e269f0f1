import { ApiError } from '../api/errors.ts';
import { limits, type Write } from './contract.ts';

const segment = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}';
const form = new RegExp(`^${segment}(?:/${segment})*$`);

/** Refuses a key that some store could not hold: one rule for all, so that a registry can move between them. */
export function checkKey(key: string): void {
  if (key.length <= limits.keyCharactersMax && form.test(key)) return;
  const rule = `A-Z a-z 0-9 _ - and, not first, a dot; at most ${limits.keyCharactersMax} characters`;
  throw new ApiError('BadRequest', {
    reason: `key ${JSON.stringify(key.slice(0, 100))} is not of the form segment/segment/… (${rule})`,
  });
}

/** Refuses a commit that some store could not hold, before anything is written. */
export function checkWrites(writes: readonly Write[]): void {
  if (writes.length > limits.commitWritesMax) {
    throw new ApiError('BadRequest', {
      reason: `a commit of ${writes.length} writes, over the limit of ${limits.commitWritesMax}`,
    });
  }
  let sizeBytes = 0;
  const seen = new Set<string>();
  for (const write of writes) {
    checkKey(write.key);
    if (seen.has(write.key))
      throw new ApiError('BadRequest', { reason: `key "${write.key}" occurs twice in one commit` });
    seen.add(write.key);
    if (write.type === 'put') sizeBytes += write.value.byteLength;
  }
  if (sizeBytes > limits.commitBytesMax) {
    throw new ApiError('TooLarge', { what: 'the commit', sizeBytes, limitBytes: limits.commitBytesMax });
  }
}

/** An empty page could not be continued. */
export function checkLimit(limit: number | undefined): void {
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1)) {
    throw new ApiError('BadRequest', { reason: `limit ${limit} is not a positive integer` });
  }
}
