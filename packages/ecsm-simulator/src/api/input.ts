/**
 * Parsing and validation of request bodies. Errors name the field. Values that would change when stored as JSON are
 * rejected, because the platform's state is a JSON document.
 */
import type { Shape } from '@ecsm/runtime';
import { Refusal } from '../platform/refusal.ts';
import type { Request } from './exchange.ts';

/** Maximum nesting of objects and lists. Deeper ones could overflow the stack when JSON is written. */
export const bodyDepthMax = 64;

export function badRequest(field: string, reason: string): Refusal {
  return new Refusal('badRequest', `${field} ${reason}`, { [field]: reason });
}

export function readBytes({ headers, body }: Request, bytesMax: number): Uint8Array {
  if (body.length > bytesMax) throw badRequest('body', `has ${body.length} bytes, the limit is ${bytesMax}`);
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity')
    throw badRequest('body', `is encoded as ${encoding.slice(0, 40)}, which is not supported`);
  return body;
}

export function readJson<T>(request: Request, shape: Shape<T>, bytesMax: number): T {
  const value = parse(decode(request, readBytes(request, bytesMax)));
  checkStorable(value);
  const mismatch = shape.check(value);
  if (mismatch) throw badRequest(fieldAt(mismatch.steps), mismatch.reason);
  // Validated above.
  return value as T;
}

function decode({ headers }: Request, bytes: Uint8Array): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    throw badRequest('body', `is written in ${charset.slice(0, 40)} and not in UTF-8`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('body', 'is not UTF-8');
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') throw badRequest('body', 'is missing');
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser would quote the body, which may contain a password.
    throw badRequest('body', 'is not JSON');
  }
}

/** Throws a `Refusal` if the value would change when stored as JSON. */
export function checkStorable(value: unknown, depth = 0): void {
  // `1e999` is valid JSON, but is parsed as infinity.
  if (typeof value === 'number' && !Number.isFinite(value))
    throw badRequest('body', 'contains a number that is too large');
  if (typeof value !== 'object' || value === null) return;
  if (depth >= bodyDepthMax) throw badRequest('body', `is nested deeper than ${bodyDepthMax} levels`);
  // Copying such a field by assignment would change the prototype of the copy.
  if (Object.hasOwn(value, '__proto__')) throw badRequest('body', 'contains a field named __proto__');
  for (const part of Array.isArray(value) ? value : Object.values(value)) checkStorable(part, depth + 1);
}

/** `image.config.mounts[0].source`; the innermost step is first in `steps`. */
function fieldAt(steps: readonly (string | number)[]): string {
  const path = steps.reduceRight<string>(
    (outer, step) => (typeof step === 'number' ? `${outer}[${step}]` : `${outer}.${step}`),
    '',
  );
  return path.replace(/^\./, '') || 'body';
}
