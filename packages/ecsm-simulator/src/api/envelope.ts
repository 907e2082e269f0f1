/** Every answer has the same cover: `{status, message, data, fieldErrors}`. What is in it on failure is a guess. */
import { Buffer } from 'node:buffer';
import type { JsonValue } from '@ecsm/runtime';
import type { Behaviour } from '../platform/behaviour.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Answer } from './exchange.ts';
import { UnknownSubject } from './known.ts';

interface Envelope {
  readonly status: number;
  readonly message: string;
  readonly data: JsonValue;
  readonly fieldErrors: JsonValue;
}

export function success(data: JsonValue): Answer {
  return sealed(200, { status: 200, message: 'success', data, fieldErrors: null });
}

/** An answer to whatever was thrown, so that a caller always gets one. */
export function failure(error: unknown, behaviour: Behaviour): Answer {
  if (!(error instanceof Refusal)) {
    const reason = error instanceof Error ? error.message : String(error);
    return sealed(500, { status: 500, message: `服务器内部错误: ${reason}`, data: null, fieldErrors: null });
  }
  if (error instanceof UnknownSubject && behaviour.unknownId === 'success') return success('success');
  // A call that does not exist never reached the platform's business: the web server answers by itself.
  const httpStatus = behaviour.httpStatus === 'matching' || error.why === 'noSuchCall' ? error.httpStatus : 200;
  return sealed(httpStatus, {
    status: error.code,
    message: error.message,
    data: behaviour.failureData === 'text' ? error.message : null,
    fieldErrors: fieldErrors(error, behaviour),
  });
}

export function wrongMethod(allowed: readonly string[]): Answer {
  const envelope = { status: 405, message: '请求方法不支持', data: null, fieldErrors: null };
  return sealed(405, envelope, { allow: allowed.join(', ') });
}

function fieldErrors({ fields, message }: Refusal, { failureFieldErrors }: Behaviour): JsonValue {
  if (failureFieldErrors === 'null') return null;
  if (failureFieldErrors === 'object') return { ...fields };
  const sentences = Object.entries(fields).map(([field, reason]) => `${field} ${reason}`);
  return sentences.length > 0 ? sentences.join('; ') : message;
}

function sealed(status: number, envelope: Envelope, headers: Readonly<Record<string, string>> = {}): Answer {
  const body = Buffer.from(JSON.stringify(envelope), 'utf8');
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'content-length': String(body.length), ...headers },
    body,
  };
}
