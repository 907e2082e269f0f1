/**
 * Reading the body of a request. What is wrong with it is said by field, and nothing that cannot be stored as JSON and
 * read back the same gets past here: the platform's state is a document, and one bad value would spoil all of it.
 */
import type { Shape } from '@ecsm/runtime';
import { Refusal } from '../platform/refusal.ts';
import type { Request } from './exchange.ts';

/** Levels of objects and lists inside one body. Writing JSON recurses, so deeper ones could overflow the stack. */
export const bodyDepthMax = 64;

export function badRequest(field: string, reason: string): Refusal {
  return new Refusal('badRequest', `${field} ${reason}`, { [field]: reason });
}

export function readBytes({ headers, body }: Request, bytesMax: number): Uint8Array {
  if (body.length > bytesMax) throw badRequest('body', `has ${body.length} bytes, the limit is ${bytesMax}`);
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity')
    throw badRequest('body', `is encoded as ${encoding.slice(0, 40)}, which is not understood`);
  return body;
}

export function readJson<T>(request: Request, shape: Shape<T>, bytesMax: number): T {
  const value = parse(decode(request, readBytes(request, bytesMax)));
  checkStorable(value);
  const mismatch = shape.check(value);
  if (mismatch) throw badRequest(fieldAt(mismatch.steps), mismatch.reason);
  // The shape has just vouched for it.
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
    // The parser's own message would quote the body, and a body may hold a password.
    throw badRequest('body', 'is not JSON');
  }
}

/** Whether the value can become part of a document that is written and read back. */
export function checkStorable(value: unknown, depth = 0): void {
  // `1e999` is JSON, and is read as infinity, which is not.
  if (typeof value === 'number' && !Number.isFinite(value))
    throw badRequest('body', 'holds a number that is too large');
  if (typeof value !== 'object' || value === null) return;
  if (depth >= bodyDepthMax) throw badRequest('body', `is nested deeper than ${bodyDepthMax} levels`);
  // Whoever copies such a field by assignment changes the copy's prototype instead; no honest caller sends one.
  if (Object.hasOwn(value, '__proto__')) throw badRequest('body', 'holds a field called __proto__');
  for (const part of Array.isArray(value) ? value : Object.values(value)) checkStorable(part, depth + 1);
}

/** `image.config.mounts[0].source`; the innermost step comes first. */
function fieldAt(steps: readonly (string | number)[]): string {
  const path = steps.reduceRight<string>(
    (so, step) => (typeof step === 'number' ? `${so}[${step}]` : `${so}.${step}`),
    '',
  );
  return path.replace(/^\./, '') || 'body';
}
