/** The envelope of every response: `{status, message, data, fieldErrors}`. Its content on failure is an assumption. */
import { Buffer } from 'node:buffer';
import type { JsonValue } from '@ecsm/runtime';
import type { Behaviour } from '../platform/behaviour.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Response } from './exchange.ts';
import { UnknownSubject } from './known.ts';

interface Envelope {
  readonly status: number;
  readonly message: string;
  readonly data: JsonValue;
  readonly fieldErrors: JsonValue;
}

export function success(data: JsonValue): Response {
  return toResponse(200, { status: 200, message: 'success', data, fieldErrors: null });
}

/** Returns the response for any thrown value. */
export function failure(error: unknown, behaviour: Behaviour): Response {
  if (!(error instanceof Refusal)) {
    const reason = error instanceof Error ? error.message : String(error);
    return toResponse(500, { status: 500, message: `服务器内部错误: ${reason}`, data: null, fieldErrors: null });
  }
  if (error instanceof UnknownSubject && behaviour.unknownId === 'success') return success('success');
  // The web server itself responds to an unknown path, so the HTTP status is always 404.
  const httpStatus = behaviour.httpStatus === 'matching' || error.why === 'noSuchCall' ? error.httpStatus : 200;
  return toResponse(httpStatus, {
    status: error.code,
    message: error.message,
    data: behaviour.failureData === 'text' ? error.message : null,
    fieldErrors: fieldErrors(error, behaviour),
  });
}

export function wrongMethod(allowed: readonly string[]): Response {
  const envelope = { status: 405, message: '请求方法不支持', data: null, fieldErrors: null };
  return toResponse(405, envelope, { allow: allowed.join(', ') });
}

function fieldErrors({ fields, message }: Refusal, { failureFieldErrors }: Behaviour): JsonValue {
  if (failureFieldErrors === 'null') return null;
  if (failureFieldErrors === 'object') return { ...fields };
  const messages = Object.entries(fields).map(([field, reason]) => `${field} ${reason}`);
  return messages.length > 0 ? messages.join('; ') : message;
}

function toResponse(status: number, envelope: Envelope, headers: Readonly<Record<string, string>> = {}): Response {
  const body = Buffer.from(JSON.stringify(envelope), 'utf8');
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'content-length': String(body.length), ...headers },
    body,
  };
}
