/** The token that continues a list. It is opaque to callers. */
import { ApiError } from '../api/errors.ts';

export function encodeContinue(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Returns what `read` returns for the parts. Throws `BadRequest` for other text, and if `read` returns undefined. */
export function decodeContinue<T>(token: string, read: (parts: readonly unknown[]) => T | undefined): T {
  const parts = parse(token);
  const value = Array.isArray(parts) ? read(parts) : undefined;
  if (value !== undefined) return value;
  throw new ApiError('BadRequest', {
    reason: 'the continue token does not belong to this list: restart the list without it',
  });
}

function parse(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    return undefined;
  }
}
